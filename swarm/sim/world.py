"""The world: peers with real stores and agents, a network that delays and loses, a clock we own.

Nothing here sleeps or reads a clock. Events lie in a heap by virtual time, and every choice comes
from one seeded generator, so that a seed replays exactly.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, Decision, Job, JobKey, Submitter, View
from swarm.core.clock import EPOCH
from swarm.core.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import Goal, Known, Presence, Record, sign
from swarm.core.store import Store
from swarm.llm.work import (
    Answer,
    AssembleRequest,
    DoRequest,
    Part,
    RateAnswer,
    RateRequest,
    Request,
    SplitAnswer,
    SplitRequest,
    TextAnswer,
)

START_MS = 1_700_000_000_000
"""When a world begins, in ms since the epoch: any moment will do, so it is a fixed one."""

PRESENCE_MS = 20_000
"""Between a peer's presence records, in ms."""

CATCH_UP_MS = 500
"""How long after its start a newcomer has what the others hold, in ms."""

SWARM = "simulated"

Model = Callable[[Request], tuple[Answer | Exception, int]]
"""Answers a request, or fails, and says how long that takes in ms."""


def tidy_model(request: Request, latency_ms: int = 100) -> tuple[Answer, int]:
    """Answer every request well: three parts, good ratings, short texts."""
    match request:
        case SplitRequest():
            better = "better " if request.polish else ""
            parts = tuple(
                Part(title=f"{better}{request.lens} part {i}", detail="what to do")
                for i in range(min(3, request.max_parts))
            )
            return SplitAnswer(parts=parts, rationale="by habit"), latency_ms
        case RateRequest():
            return RateAnswer(concrete=0.9, distinct=0.8, complete=0.7, critique=""), latency_ms
        case DoRequest():
            return TextAnswer(text=f"did {request.title}", draft=False), latency_ms
        case AssembleRequest():
            text = "\n\n".join(f"## {title}\n\n{body}" for title, body in request.parts)
            return TextAnswer(text=text, draft=False), latency_ms


@dataclass
class SimPeer:
    """One simulated peer."""

    name: str
    key: Ed25519PrivateKey
    agent: Agent
    store: Store
    model: Model
    alive: bool = True
    skew_ms: int = 0
    """How far its wall clock is off."""
    running: dict[JobKey, Job] = field(default_factory=dict)
    published: list[Record] = field(default_factory=list)
    wakes_ms: int | None = None

    @property
    def author(self) -> bytes:
        """Its author key."""
        return self.key.public_key().public_bytes_raw()


class World:
    """A swarm under one virtual clock."""

    def __init__(
        self, seed: int = 0, *, delay_ms: tuple[int, int] = (5, 60), loss: float = 0.0
    ) -> None:
        """Make an empty world.

        Args:
            seed: of every choice.
            delay_ms: least and most time a record takes from peer to peer.
            loss: share of deliveries that never arrive by gossip; `heal` mends them.
        """
        self.rng = random.Random(seed)
        self.now_ms = START_MS
        self.peers: list[SimPeer] = []
        self._delay_ms = delay_ms
        self._loss = loss
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()

    # People of the world.

    def add(self, agent: Agent, model: Model | None = None, name: str = "") -> SimPeer:
        """Add a peer; it makes itself known at once."""
        index = len(self.peers)
        peer = SimPeer(
            name=name or f"{agent.role}-{index}",
            key=Ed25519PrivateKey.from_private_bytes(self.rng.randbytes(32)),
            agent=agent,
            store=Store(SWARM),
            model=model or tidy_model,
        )
        peer.store.on_new = lambda record: self._wake(peer)
        self.peers.append(peer)
        self._at(self.now_ms, lambda: self._beat(peer))
        self._at(self.now_ms + CATCH_UP_MS, lambda: self._catch_up(peer))
        return peer

    def kill(self, peer: SimPeer) -> None:
        """End a peer at once: it says nothing more and its calls come to nothing."""
        peer.alive = False

    def submit(self, peer: SimPeer, text: str, policy: Policy | None = None) -> bytes:
        """Publish a goal at a peer and return its id."""
        body = Goal(stamp=EPOCH, swarm=SWARM, text=text, policy=policy or Policy())
        return self.publish(peer, body).id

    def submitter(self) -> SimPeer:
        """Add a peer that only asks."""
        return self.add(Submitter())

    def plan(self, peer: SimPeer, goal_id: bytes) -> Plan:
        """Return a goal's plan as a peer sees it.

        Raises:
            KeyError: it does not know the goal.
        """
        peer.store.advance(self.wall(peer))
        plan = peer.store.plan(goal_id)
        if plan is None:
            raise KeyError(goal_id.hex())
        return plan

    # Time.

    def wall(self, peer: SimPeer) -> int:
        """Return what a peer's wall clock shows."""
        return self.now_ms + peer.skew_ms

    def run(self, *, until: Callable[[], bool] | None = None, seconds: float = 3600) -> bool:
        """Let time pass until a condition holds or virtual seconds have gone.

        Returns:
            Whether the condition came to hold (True without one).
        """
        end_ms = self.now_ms + int(seconds * 1000)
        while self._events and self._events[0][0] <= end_ms:
            if until is not None and until():
                return True
            at_ms, _, event = heapq.heappop(self._events)
            self.now_ms = max(self.now_ms, at_ms)
            event()
        self.now_ms = end_ms if until is None or not until() else self.now_ms
        return until is None or until()

    def at(self, seconds: float, event: Callable[[], None]) -> None:
        """Let something happen in some virtual seconds."""
        self._at(self.now_ms + int(seconds * 1000), event)

    def heal(self) -> None:
        """Give every living peer what any living peer has: anti-entropy in one stroke."""
        for peer in self.peers:
            self._catch_up(peer)

    def _catch_up(self, peer: SimPeer) -> None:
        for source in self.peers:
            if source is peer or not source.alive or not peer.alive:
                continue
            for goal_id in list(source.store.goals()):
                for record in list(source.store.records(goal_id)):
                    peer.store.add_record(record, self.wall(peer))

    def _at(self, at_ms: int, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (at_ms, next(self._order), event))

    # What peers do.

    def publish(self, peer: SimPeer, body: Known) -> Record:
        """Stamp, sign, keep and send a body."""
        wall = self.wall(peer)
        stamped = body.model_copy(update={"stamp": peer.store.clock.tick(wall)})
        record = sign(stamped, peer.key)
        peer.published.append(record)
        peer.store.add_record(record, max(wall, record.stamp.ms))
        for other in self.peers:
            if other is not peer and self.rng.random() >= self._loss:
                self._at(
                    self.now_ms + self.rng.randint(*self._delay_ms),
                    lambda other=other: self._deliver(other, record),  # type: ignore[misc]
                )
        return record

    def _deliver(self, peer: SimPeer, record: Record) -> None:
        if peer.alive:
            peer.store.add_record(record, self.wall(peer))

    def _beat(self, peer: SimPeer) -> None:
        if not peer.alive:
            return
        self.publish(peer, Presence(stamp=EPOCH, swarm=SWARM, role=peer.agent.role, name=peer.name))
        self._at(self.now_ms + PRESENCE_MS, lambda: self._beat(peer))

    def _wake(self, peer: SimPeer, at_ms: int | None = None) -> None:
        at_ms = self.now_ms if at_ms is None else at_ms
        if peer.wakes_ms is not None and peer.wakes_ms <= at_ms:
            return
        peer.wakes_ms = at_ms
        self._at(at_ms, lambda: self._decide(peer, at_ms))

    def _decide(self, peer: SimPeer, at_ms: int) -> None:
        if not peer.alive or peer.wakes_ms != at_ms:
            return
        peer.wakes_ms = None
        peer.store.advance(self.wall(peer))
        decision = peer.agent.decide(self._view(peer))
        self._perform(peer, decision)
        due = [plan.next_change_ms() for plan in peer.store.plans() if not plan.final]
        wakes = [ms - peer.skew_ms for ms in [*due, decision.wake_ms] if ms is not None]
        if wakes:
            self._wake(peer, max(self.now_ms + 1, min(wakes)))

    def _view(self, peer: SimPeer) -> View:
        return View(peer.store, peer.author, peer.store.clock.now(self.wall(peer)))

    def _perform(self, peer: SimPeer, decision: Decision) -> None:
        for key in decision.stop:
            peer.running.pop(key, None)
        for body in decision.publish:
            self.publish(peer, body)
        for job in decision.start:
            peer.running[job.key] = job
            outcome, latency_ms = peer.model(job.request)
            self._at(
                self.now_ms + latency_ms,
                lambda job=job, outcome=outcome: self._end(peer, job, outcome),  # type: ignore[misc]
            )

    def _end(self, peer: SimPeer, job: Job, outcome: Answer | Exception) -> None:
        if not peer.alive or peer.running.get(job.key) is not job:
            return
        del peer.running[job.key]
        view = self._view(peer)
        if isinstance(outcome, Exception):
            retryable = getattr(outcome, "retryable", True)
            decision = peer.agent.failed(job, str(outcome), view, retryable=retryable)
        else:
            decision = peer.agent.finished(job, outcome, view)
        self._perform(peer, decision)
        self._wake(peer)
