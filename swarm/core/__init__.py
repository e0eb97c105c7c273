"""The pure heart of Leaderless: a function from records to a plan.

Nothing here does I/O, reads a clock, awaits, or knows of libp2p, models or chat. Everything that
can be decided from records alone is decided here, so that every peer decides it alike:

* `clock`: hybrid logical stamps; `policy`: the numbers a goal carries;
* `records`: the signed, immutable things peers gossip, and their wire format;
* `voting` and `work`: one node's vote and one node's claims, replayed in stamp order;
* `plan`: the fold, a goal's records to its tree; `digest`: its fingerprint;
* `presence`: how often peers show themselves; `roster`: who may say what in an owned swarm;
* `store`: the set of records a peer holds, with what bounds it;
* `view`: the plan as people and programs read it; `explain`: why it came out so.
"""
