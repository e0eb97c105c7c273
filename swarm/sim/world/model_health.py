"""Whether a simulated peer's model answers: `ModelWatch` under the virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from swarm.agents.base import Agent, Job, JobKey
from swarm.agents.model_watch import AWAY_CHECK_MS, ModelWatch
from swarm.llm.errors import ServerUnreachable
from swarm.sim.world.virtual_clock import VirtualClock

FIRST_TEXT_MS = 2_000
"""How long a call that will succeed takes to its first text at most, in ms."""


class ModelUser(Protocol):
    """What the checks need of a peer."""

    outage: str
    agent: Agent
    running: dict[JobKey, Job]

    def do(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something as this process: not when dead, later when frozen."""

    def later(self, delay_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something after a delay, in this life."""

    def end_call(self, job: Job, outcome: Any) -> None:
        """Take in how a model call ended."""

    def model_changed(self) -> None:
        """Take note that the model has gone or is back."""


class ModelHealth:
    """Checks the model of one peer, as `swarm.peer.driver` does."""

    def __init__(self, peer: ModelUser, clock: VirtualClock) -> None:
        """Watch a peer's model; `check` begins.

        Args:
            peer: whose model.
            clock: the virtual clock.
        """
        self._peer = peer
        self._clock = clock
        self._watch = ModelWatch(peer.agent, peer.model_changed)
        self._due_ms = 0
        """When the next check is due, in ms; earlier ones that are still scheduled are void."""

    @property
    def trouble(self) -> str:
        """Why the peer cannot work now, as far as it knows; empty if it can."""
        return self._watch.trouble

    def begun(self, job: Job, outcome: Any, latency_ms: int) -> None:
        """Let a call that will bring a text write some of it on the way."""
        if latency_ms > FIRST_TEXT_MS and not isinstance(outcome, Exception):
            self._peer.later(FIRST_TEXT_MS, self._write, job)

    def check(self) -> None:
        """Check the model now, and again later."""
        self._check_in(self._watch.checked(self._peer.outage))

    def lose(self, why: str) -> None:
        """Take the model away; the calls that are under way fail."""
        peer = self._peer
        peer.outage = why
        for job in list(peer.running.values()):
            peer.do(peer.end_call, job, ServerUnreachable(why))

    def call_failed(self, trouble: str) -> None:
        """Take in that a call could not reach the model."""
        if self._watch.call_failed(trouble):
            early_ms = self._clock.now_ms + AWAY_CHECK_MS[0]
            if early_ms < self._due_ms:
                self._check_in(AWAY_CHECK_MS[0])

    def _check_in(self, pause_ms: int) -> None:
        self._due_ms = self._clock.now_ms + pause_ms
        self._peer.later(pause_ms, self._check_due, self._due_ms)

    def _check_due(self, due_ms: int) -> None:
        if due_ms == self._due_ms:
            self.check()

    def _write(self, job: Job) -> None:
        if self._peer.running.get(job.key) is job:
            self._peer.agent.wrote(job, 1)
