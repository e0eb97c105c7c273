"""Everything about language models; knows nothing of the network, of records or of Discord.

Where to look: `work` is the contract with the agents; `resolve` finds a model and returns a
`Brain`; `brain` is the brain over Ollama's HTTP API; `prompts`, `lenses`, `parsing`, `checks` are
its pure parts; `server`, `engine`, `embedded`, `weights` are the model that a fresh machine runs by
itself; `scripted` and `fakes` stand in for a model in tests. Importing this package imports none
of them.
"""
