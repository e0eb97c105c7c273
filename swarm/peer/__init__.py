"""One running peer: identity, store, network and an agent, wired together under trio."""
