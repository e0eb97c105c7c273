"""The simulator: a whole swarm in one process, under a clock we own, replayed exactly by its seed.

What runs here is real: agents, store, fold, outbox, anti-entropy, reconciliation and wire frames.
What is simulated is what a computer cannot be asked to repeat: links, disks, clocks, models, and
people who lie.

* `events`: the virtual clock; `wire`: links that delay, lose, repeat and break; `streams`: the sync
  protocol over them;
* `peer`: one peer's driver, the counterpart of `swarm.peer.peer`, on `storage`; `world`: all
  together;
* `models`: answers of every quality; `liars`: peers that break the rules;
* `scenarios`: named stories made of `ingredients` that change the `stage`;
* `checks` and `watch`: what must hold in all of them, and how often a decided vote changes;
* `run`: one seed of one scenario, judged; `sweep`: many; `timeline`: what happened, for people.
"""
