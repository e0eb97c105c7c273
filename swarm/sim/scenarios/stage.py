"""What a world is made of before it begins, and the stage on which things happen in it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from swarm.core.roles import WORKERS
from swarm.core.store.limits import Limits
from swarm.sim.world.models import Model, Ordinary
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import Quality
from swarm.sim.world.world import World

PLAY_MS = 90_000
"""Plots happen within this time after the first goal, in ms: a plan takes about half of it."""

WARM_UP_MS = (0, 5_000)
"""When the first goal comes, in ms: before any link exists, or when all have met."""


@dataclass(slots=True)
class Setup:
    """What a world is made of; ingredients change it.

    Attributes:
        rng: of every choice about the setup.
        counts: peers of each role.
        listeners: observers from the beginning.
        quality: of the links.
        policy: what differs from the policy that every scenario starts from.
        model: makes the model of a peer, given its role.
        goals: how many are submitted.
        first_ms: when the first of them comes, least and most.
        majority: whether anyone may vote and the quorum is what the asker takes for a majority.
        limits: of every store.
        plots: put things on the stage that happen later.
        liars: roles of which one peer lies, and which lies it tells (none: all).
        owned: whether the swarm has an owner; liars are not granted anything then.
        slack_ms: how much longer than its deadline a goal may seem to live, because clocks are off.
    """

    rng: random.Random
    counts: dict[str, int]
    listeners: int = 1
    quality: Quality = field(default_factory=Quality)
    policy: dict[str, Any] = field(default_factory=dict)
    model: Callable[[str, random.Random], Model] = lambda role, rng: Ordinary(rng)
    goals: int = 1
    first_ms: tuple[int, int] = WARM_UP_MS
    majority: bool = False
    limits: Limits | None = None
    plots: list[Callable[[Stage], None]] = field(default_factory=list)
    liars: dict[str, tuple[str, ...]] = field(default_factory=dict)
    owned: bool = False
    slack_ms: int = 0


@dataclass(slots=True)
class Stage:
    """A world in which a scenario plays.

    Attributes:
        world: the world.
        setup: what it was made of.
        rng: of the plots.
        submitter: who asks.
        cast: the peers that plan, by role.
        add: adds a peer of a role.
        goals: ids of the goals asked for so far.
        ask: asks for one more.
    """

    world: World
    setup: Setup
    rng: random.Random
    submitter: SimPeer
    cast: dict[str, list[SimPeer]]
    add: Callable[[str], SimPeer]
    goals: list[bytes] = field(default_factory=list)
    ask: Callable[[], None] = lambda: None

    def at(self, delay_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Let something happen in some ms; the run does not end before."""
        self.world.clock.keep_busy(delay_ms)
        self.world.clock.after(delay_ms, do, *arguments)

    def soon(self, do: Callable[..., None], *arguments: Any) -> None:
        """Let something happen at some moment of the play."""
        self.at(self.rng.randint(0, PLAY_MS), do, *arguments)

    def workers(self) -> list[SimPeer]:
        """Return all peers that plan, honest or not."""
        return [peer for role in WORKERS for peer in self.cast[role]]

    def fault(self, peer: SimPeer | None, what: str) -> None:
        """Note a fault on the timeline."""
        self.world.timeline.add(peer.name if peer else "network", "fault", what)


Ingredient = Callable[[Setup], None]
