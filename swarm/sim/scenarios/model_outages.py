"""Conditions about model servers: a shared one restarts, or certain tasks crash some of them."""

from __future__ import annotations

import random

from swarm.llm.errors import ServerUnreachable
from swarm.llm.requests import Answer, DoRequest, Request
from swarm.sim.scenarios.stage import Setup, Stage
from swarm.sim.world.models import Model, part_of_all
from swarm.sim.world.peer import SimPeer

BROKE = "The connection to the model server broke."

DEADLY_SHARE = 0.5
"""Share of all tasks that crash some servers."""

DIES_AFTER_MS = (500, 3_000, 15_000)
"""How long such a call runs before the server crashes, in ms: mostly a short time."""

RESTART_MS = (0, 1_000, 5_000, 20_000)
"""How long such a server is away, in ms: so briefly that no check notices, or longer."""


def server_away(setup: Setup) -> None:
    """Put all models on one server, which is restarted and away for 12 to 30 seconds."""

    def go(stage: Stage) -> None:
        stage.fault(None, "has no model server")
        for peer in stage.workers():
            peer.health.lose("Nobody answers at the model's address.")
        stage.at(stage.rng.randint(12_000, 30_000), come, stage)

    def come(stage: Stage) -> None:
        for peer in stage.workers():
            peer.outage = ""

    setup.counts["executor"] = max(setup.counts["executor"], 4)  # More than the attempts of a task.
    setup.plots.append(lambda stage: stage.at(stage.rng.randint(0, 20_000), go, stage))


def poison(setup: Setup) -> None:
    """Let some tasks crash the servers of two executors each time; the servers are back soon."""

    def plot(stage: Stage) -> None:
        for peer in stage.cast["executor"][:2]:
            stage.fault(peer, "has a model server that some tasks crash")
            peer.model = CrashingServer(peer, stage.rng, peer.model)

    setup.counts["executor"] = max(setup.counts["executor"], 4)
    setup.plots.append(plot)


class CrashingServer:
    """A model whose server crashes every time it gets certain tasks."""

    def __init__(self, peer: SimPeer, rng: random.Random, sound: Model) -> None:
        """Make the model.

        Args:
            peer: whose model it is.
            rng: decides when the server crashes, and for how long.
            sound: answers the other requests.
        """
        self._peer = peer
        self._rng = rng
        self._sound = sound
        self._after_ms = rng.choice(DIES_AFTER_MS)

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        """Answer, or crash on the way."""
        if not isinstance(request, DoRequest) or part_of_all(request.title) >= DEADLY_SHARE:
            return self._sound(request)
        self._peer.later(self._after_ms, self._crash)
        return ServerUnreachable(BROKE), self._after_ms

    def _crash(self) -> None:
        self._peer.health.lose(BROKE)
        self._peer.later(self._rng.choice(RESTART_MS), self._recover)

    def _recover(self) -> None:
        self._peer.outage = ""
