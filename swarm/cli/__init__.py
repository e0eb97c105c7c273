"""The `swarm` command.

`app` finds commands and turns failures into messages and exit codes; `commands/` has one module a
command; `session` joins a swarm for a moment; `tree`, `narrate` and `output` show what is known.
Importing anything here must stay cheap: what is heavy (pydantic, rich, libp2p, ollama) is imported
inside the functions that need it, so that `swarm --help` answers at once.
"""
