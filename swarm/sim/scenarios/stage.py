"""The setup of a world before it begins, and the stage through which a scenario acts on it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from swarm.core.roles import WORKERS, Role
from swarm.core.store.limits import Limits
from swarm.sim.world.models import Model, Ordinary
from swarm.sim.world.peer import SimPeer
from swarm.sim.world.wire import Quality
from swarm.sim.world.world import World

PLAY_MS = 90_000
"""How long after the first goal plots may happen, in ms: a plan takes about half of it."""

WARM_UP_MS = (0, 5_000)
"""Earliest and latest time of the first goal, in ms: from before any link exists to when all peers
have met."""


@dataclass(slots=True)
class Setup:
    """The setup of a world; the conditions of a scenario change it.

    Attributes:
        rng: makes every choice about the setup.
        counts: number of peers of each role.
        listeners: number of observers from the beginning.
        quality: of the links.
        policy: what differs from the policy that every scenario starts from.
        model: makes the model of a peer, given its role.
        goals: how many goals are submitted.
        first_ms: earliest and latest time of the first goal, in ms.
        majority: whether anyone may vote and the quorum is a majority of the scorers that the
            submitter sees.
        limits: of every store.
        plots: called when the first goal is submitted; each schedules what happens later.
        adversaries: roles of which one peer is an adversary, with its attacks (none named: all).
        owned: whether the swarm has an owner, who then grants adversaries nothing.
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
    adversaries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    owned: bool = False
    slack_ms: int = 0


@dataclass(slots=True)
class Stage:
    """A world in which a scenario plays.

    Attributes:
        world: the world.
        setup: what it was made of.
        rng: makes the choices of the plots.
        submitter: the peer that submits goals.
        cast: the peers that plan, by role.
        add: adds a peer of a role.
        goals: ids of the goals submitted so far.
        ask: submits one more.
    """

    world: World
    setup: Setup
    rng: random.Random
    submitter: SimPeer
    cast: dict[str, list[SimPeer]]
    add: Callable[[Role], SimPeer]
    goals: list[bytes] = field(default_factory=list)
    ask: Callable[[], None] = lambda: None

    def at(self, delay_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Let something happen after a delay; the run does not end before it."""
        self.world.clock.keep_busy(delay_ms)
        self.world.clock.after(delay_ms, do, *arguments)

    def soon(self, do: Callable[..., None], *arguments: Any) -> None:
        """Let something happen at a random time of the play."""
        self.at(self.rng.randint(0, PLAY_MS), do, *arguments)

    def workers(self) -> list[SimPeer]:
        """Return all peers that plan, honest or not."""
        return [peer for role in WORKERS for peer in self.cast[role]]

    def fault(self, peer: SimPeer | None, what: str) -> None:
        """Note a fault on the timeline."""
        self.world.timeline.add(peer.name if peer else "network", "fault", what)


Condition = Callable[[Setup], None]
"""Changes a setup: one of the conditions that a scenario is made of."""


def with_plot(plot: Callable[[Stage], None]) -> Condition:
    """Return a condition that adds a plot and changes nothing else."""

    def prepare(setup: Setup) -> None:
        setup.plots.append(plot)

    return prepare
