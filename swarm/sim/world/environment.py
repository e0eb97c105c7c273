"""What all simulated peers of a world share: its clock, its wire and its counters."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from swarm.sim.world.storage import Decoder
from swarm.sim.world.timeline import Timeline
from swarm.sim.world.virtual_clock import VirtualClock
from swarm.sim.world.vote_watch import Tallies
from swarm.sim.world.wire import Wire


@dataclass(frozen=True, slots=True)
class Environment:
    """The part of a world that its peers can use.

    Attributes:
        swarm: name of the swarm.
        owner: public key of the swarm's owner; None: the swarm is open.
        rng: of the world's choices.
        clock: the virtual clock.
        wire: all links.
        timeline: where the peers note what they do.
        decoder: decodes each record once for all peers.
        tallies: what is counted over all peers.
        watching: whether to watch for votes that change after they were decided (costs time).
    """

    swarm: str
    owner: bytes | None
    rng: random.Random
    clock: VirtualClock
    wire: Wire
    timeline: Timeline
    decoder: Decoder = field(default_factory=Decoder)
    tallies: Tallies = field(default_factory=Tallies)
    watching: bool = True
