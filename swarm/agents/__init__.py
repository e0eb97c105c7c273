"""What each role decides. Sans-I/O: agents look at the plans and the time, and decide.

An agent never awaits, sleeps, reads a clock or calls a model. `decide` returns what to publish and
which model calls to start or stop. A driver carries that out and reports back with `finished`,
`failed`, `unkept`, `wrote` and `recovered`: `swarm.peer.driver` in a real peer,
`swarm.sim.world.peer` in the simulator, where hundreds of agents run under one virtual clock.

Start with `base`, which has the `Agent` protocol and the `View` it decides by.
"""
