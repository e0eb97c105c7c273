"""The pure core of Leaderless: a function from records to a plan.

Nothing here does I/O, reads a clock, awaits, or knows about libp2p, models or chat. Everything that
can be decided from records alone is decided here, so that every peer decides it the same way:

* `clock`: hybrid logical stamps; `policy`: the rules that a goal carries;
* `records`: the signed, immutable facts that peers gossip, and their wire format;
* `roles` and `roster`: what a peer can do, and who may do it in an owned swarm;
* `fold`: one goal's records to its plan tree; `digest`: the fingerprints that peers compare;
* `store`: the records that a peer holds, and the limits that bound them;
* `views`: the plan for programs, and its history in English;
* `bounded` and `unsafe_text`: what everything else uses against strangers.
"""
