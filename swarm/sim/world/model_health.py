"""Whether a simulated peer's model answers, looked after as `swarm.peer.driver` does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swarm.agents.base import Job
from swarm.agents.executor import Executor

if TYPE_CHECKING:
    from swarm.sim.world.peer import SimPeer

CHECK_MS = 15_000
"""Between looks at a model that answers, in ms."""

AWAY_CHECK_MS = (2_000, 15_000)
"""First and longest pause between looks at one that does not, in ms; it doubles."""


FIRST_TEXT_MS = 2_000
"""How long a call that will succeed takes to its first text at most, in ms."""


class Health:
    """Keeps a peer's word on its model."""

    def __init__(self, peer: SimPeer) -> None:
        """Look after a peer; `check` begins."""
        self._peer = peer
        self._due_ms = 0
        self._pause_ms = 0
        self._found = False

    def begun(self, job: Job, outcome: Any, latency_ms: int) -> None:
        """Let a call that will bring a text write some of it on the way."""
        peer = self._peer
        if latency_ms > FIRST_TEXT_MS and not isinstance(outcome, Exception):
            peer.later(FIRST_TEXT_MS, self._write, job)

    def _write(self, job: Job) -> None:
        agent = self._peer.agent
        if isinstance(agent, Executor) and self._peer.running.get(job.key) is job:
            agent.wrote(job, 1)

    def check(self) -> None:
        """Look at the model, and again later."""
        self._found |= bool(self._peer.outage)
        if self._peer.outage == self._peer.trouble:
            self._look_again()
        self.say(self._peer.outage)

    def lose(self, why: str) -> None:
        """Lose the model, and with it the calls that are on their way."""
        peer = self._peer
        peer.outage = why
        for job in list(peer.running.values()):
            peer.do(peer.end_call, job, peer.world.unreachable(why))

    def say(self, trouble: str) -> None:
        """Take in why the model does not answer; empty: it does."""
        peer = self._peer
        if trouble == peer.trouble:
            return
        if not trouble and self._found:
            self._found = False
            if recovered := getattr(peer.agent, "recovered", None):
                recovered()
        peer.trouble = trouble
        peer.beat_soon()
        peer.wake(peer.world.now_ms)
        self._pause_ms = 0
        self._look_again()

    def _look_again(self) -> None:
        if self._peer.trouble:
            first, longest = AWAY_CHECK_MS
            self._pause_ms = min(max(first, 2 * self._pause_ms), longest)
        pause = self._pause_ms if self._peer.trouble else CHECK_MS
        self._due_ms = self._peer.world.now_ms + pause
        self._peer.later(pause, self._look, self._due_ms)

    def _look(self, due_ms: int) -> None:
        if due_ms == self._due_ms:
            self.check()
