"""Everything about language models; it knows nothing of the network, of agents or of Discord.

`requests` is the contract with the agents: what they ask of a `Brain` and what comes back. `client`
finds a model and answers requests through it; start at `client.resolve`. `embedded` is the model
that a new machine runs by itself: weights, engine and a local server. `lenses`, `errors` and
`settings` are shared by both. Stand-ins for a model in tests are in `swarm.testing`. Importing this
package imports none of them.
"""
