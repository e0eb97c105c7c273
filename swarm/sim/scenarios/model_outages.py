"""Ingredients about model servers: one that all share goes away, some die of certain tasks."""

from __future__ import annotations

import random

from swarm.llm.errors import ServerUnreachable
from swarm.llm.requests import Answer, DoRequest, Request
from swarm.sim.scenarios.stage import Setup, Stage
from swarm.sim.world.models import Model, part_of_all
from swarm.sim.world.peer import SimPeer

BROKE = "The connection to the model server broke."

DEADLY_SHARE = 0.5
"""Part of all tasks at which some servers die."""

DIES_AFTER_MS = (500, 3_000, 15_000)
"""How long calls go well at which one of them dies, in ms: as a rule at once, or in mid-work."""

ANEW_MS = (0, 1_000, 5_000, 20_000)
"""How long such a server takes to come back, in ms: at once, before anyone looks, or later."""


def server_away(setup: Setup) -> None:
    """Let all models be on one server, which is started anew: away for 12 to 30 seconds."""

    def go(stage: Stage) -> None:
        stage.fault(None, "has no model server")
        for peer in stage.workers():
            peer.health.lose("Nobody answers at the model's address.")
        stage.at(stage.rng.randint(12_000, 30_000), come, stage)

    def come(stage: Stage) -> None:
        for peer in stage.workers():
            peer.outage = ""

    setup.counts["executor"] = max(setup.counts["executor"], 4)  # More than a task has attempts.
    setup.plots.append(lambda stage: stage.at(stage.rng.randint(0, 20_000), go, stage))


def poison(setup: Setup) -> None:
    """Let the servers of two executors die of some tasks each time, and be back soon after."""

    def plot(stage: Stage) -> None:
        for peer in stage.cast["executor"][:2]:
            stage.fault(peer, "has a model server that dies of some tasks")
            peer.model = Mortal(peer, stage.rng, peer.model)

    setup.counts["executor"] = max(setup.counts["executor"], 4)
    setup.plots.append(plot)


class Mortal:
    """A model whose server dies of some tasks, each time."""

    def __init__(self, peer: SimPeer, rng: random.Random, sound: Model) -> None:
        """Make it.

        Args:
            peer: whose.
            rng: of when it dies, and for how long.
            sound: answers the rest.
        """
        self._peer = peer
        self._rng = rng
        self._sound = sound
        self._after_ms = rng.choice(DIES_AFTER_MS)

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        """Answer, or die on the way."""
        if not isinstance(request, DoRequest) or part_of_all(request.title) >= DEADLY_SHARE:
            return self._sound(request)
        self._peer.later(self._after_ms, self._die)
        return ServerUnreachable(BROKE), self._after_ms

    def _die(self) -> None:
        self._peer.health.lose(BROKE)
        self._peer.later(self._rng.choice(ANEW_MS), self._come)

    def _come(self) -> None:
        self._peer.outage = ""
