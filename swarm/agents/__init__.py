"""What each role decides. Sans-I/O: agents look at the plans and the time, and say what to do.

An agent never awaits, sleeps, reads a clock or calls a model. `decide` returns what to publish and
which model calls to start or stop; a driver (`swarm.peer.peer`) performs that and reports back with
`finished` or `failed`. So a thousand agents run in one simulation under a virtual clock.
"""
