"""The simulator: a whole swarm in one process, under a virtual clock, replayed exactly by its seed.

The code under test is real: agents, store, fold, presence, outbox, anti-entropy, reconciliation and
wire frames. Only what a computer cannot be asked to repeat is simulated: links, disks, clocks,
models, and peers that break the rules.

* `run`: one seed of one scenario, played and judged; `sweep`: many of them;
* `invariants`: what must hold in every world;
* `scenarios`: named scenarios, made of `faults`, `model_outages`, `sybil` and `byzantine` attacks,
  which act on the `stage`;
* `world`: the peers and what is between them. `peer` is the counterpart of `swarm.peer.peer`, and
  `environment` is what all peers of a world share.
"""
