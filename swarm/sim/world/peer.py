"""One simulated peer: real store, agent and gossip, driven as `swarm.peer.peer` drives them.

What differs from the real driver is only what performs: calls end when the virtual clock says so,
frames go over the simulated wire, the disk is a dictionary.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, Decision, Job, JobKey, View
from swarm.core.clock import EPOCH
from swarm.core.presence import EVERY_MS, MOST_PER_SECOND, presence_every_ms
from swarm.core.records import (
    Ballot,
    Goal,
    KnownBody,
    Presence,
    Proposal,
    Record,
    record_id,
    sign,
)
from swarm.core.store.store import AddResult, Limits
from swarm.gossip import frames
from swarm.gossip.protocol import Gossip
from swarm.llm.requests import Request
from swarm.sim.world.model_health import ModelHealth
from swarm.sim.world.models import Model
from swarm.sim.world.storage import SimStore
from swarm.sim.world.sync_sessions import Streams
from swarm.sim.world.vote_watch import Watch
from swarm.sim.world.wire import Link, Message

if TYPE_CHECKING:
    from swarm.sim.world.world import World

PRESENCE_SOON_MS = 1_000
GREETING_MS = (100, 600)
IDLE_MS = 30_000
LEAST_PAUSE_MS = 10
"""The same pauses as in `swarm.peer.peer`, in ms."""

FEW = EVERY_MS * MOST_PER_SECOND // 1_000
"""Peers up to which all show themselves when somebody new is met; among more, neighbours tell."""

FROZEN_FRAMES = 256
"""Frames that wait in sockets for a frozen process; more are lost."""


@dataclass(slots=True)
class PeerCounters:
    """What went through one peer."""

    frames_out: int = 0
    bytes_out: int = 0
    """Of frames it published itself."""
    hop_bytes_out: int = 0
    hop_bytes_in: int = 0
    """Over all its links, forwarding included."""
    stream_bytes_out: int = 0
    stream_bytes_in: int = 0
    syncs: int = 0


class SimPeer:
    """One simulated peer."""

    def __init__(
        self,
        world: World,
        index: int,
        make_agent: Callable[[], Agent],
        *,
        model: Model,
        name: str,
        key: Ed25519PrivateKey,
        limits: Limits | None = None,
        grants: Sequence[Record] = (),
    ) -> None:
        """Make a peer; `start` brings it to life.

        Args:
            world: it lives in.
            index: its number there.
            make_agent: makes a fresh agent, as each start of a process does.
            model: answers its calls.
            name: for people.
            key: signs its records.
            limits: of its store.
            grants: the owner's word that it may speak, where the swarm has an owner.
        """
        self.world = world
        self.index = index
        self.name = name
        self.key = key
        self.author = key.public_key().public_bytes_raw()
        self.model = model
        self.rng = random.Random(world.rng.getrandbits(64))
        self.honest = True
        self.alive = False
        self.frozen = False
        self.offset_ms = 0
        """How far its wall clock is off, in ms."""
        self.life = 0
        """How often it was started."""
        self.published: list[Record] = []
        self.held: dict[bytes, bytes] = {}
        """Results (and their authors) that it has held without losing its disk since."""
        self.counters = PeerCounters()
        self.links: dict[int, Link] = {}
        self.dialling = 0
        self.outage = ""
        """Why its model cannot be reached now; empty: it can."""
        self.sent_ms: deque[int] = deque(maxlen=64)
        self._make_agent = make_agent
        self._limits = limits
        self._grants = grants
        self.agent = make_agent()
        self._begin([])

    def _begin(self, disk: list[Record]) -> None:
        self.agent = self._make_agent()
        self.store = SimStore(self.world.swarm, owner=self.world.owner, limits=self._limits)
        self.store.decoder = self.world.decoder
        self.running: dict[JobKey, Job] = {}
        self._watch = Watch(self) if self.world.watching else None
        for record in [*self._grants, *disk]:
            self.store.add_record(record, self.wall())
        self.store.on_new = self._on_new
        asks = self.agent.role != "observer"
        self.gossip = Gossip(
            self.store, self.rng, self._tick(), speaks=asks, asks=asks, hands_on=not asks
        )
        self.spoke: dict[str, int] = {}
        """When each transport last said something, in ticks."""
        self.streams = Streams(self)
        self.health = ModelHealth(self)
        self._present: dict[bytes, tuple[str, bool]] = {}
        self._greeting: dict[bytes, bytes] = {}
        self._wakes_ms: int | None = None
        self._polls_ms: int | None = None
        self._beats_ms: int | None = None
        self._beat_ms = -PRESENCE_SOON_MS
        self._stalled: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._stalled_frames = 0

    # What it is.

    @property
    def role(self) -> str:
        """Its agent's role."""
        return self.agent.role

    @property
    def trouble(self) -> str:
        """Why its model does not answer, as far as it knows; empty if it does."""
        return self.health.trouble

    @property
    def asks(self) -> bool:
        """Whether it takes part in the sync protocol."""
        return self.agent.role != "observer"

    @property
    def transport(self) -> str:
        """Its transport's id, fresh in each life."""
        return f"{self.index}/{self.life}"

    def wall(self) -> int:
        """Return what its wall clock shows, in ms."""
        return self.world.now_ms + self.offset_ms

    def now(self) -> int:
        """Return the time it folds at, in ms."""
        return self.store.clock.now(self.wall())

    def _tick(self) -> int:
        """Milliseconds that only go forward."""
        return self.world.events.elapsed_ms

    # Life and death.

    def start(self) -> None:
        """Begin to live: dial, show presence, decide."""
        self.alive = True
        self.life += 1
        self.dialling = 0
        self.world.wire.join(self)
        self.streams.begin()
        if self.asks:
            for grant in self._grants:
                self.relay(grant)
            self._beat_at(self.world.now_ms)
        if self.role not in ("observer", "submitter"):
            self.later(0, self.health.check)
        self.wake(self.world.now_ms)
        self._poke()

    def kill(self) -> None:
        """End at once: it says nothing more and its calls come to nothing."""
        self.alive = False
        self.frozen = False
        self.running.clear()
        self.world.wire.leave(self)

    def restart(self, *, disk: bool) -> None:
        """Start again with the same key, and with what its disk held or with nothing."""
        if self.alive:
            self.kill()
        kept: list[Record] = []
        if disk:
            kept = [r for goal in self.store.goals() for r in self.store.records(goal)]
        else:
            self.held.clear()
        self._begin(kept)
        self.start()

    def freeze(self) -> None:
        """Stop as with SIGSTOP: nothing is done until `thaw`."""
        if self.alive and not self.frozen:
            self.frozen = True
            self.world.wire.suspect(self)

    def thaw(self) -> None:
        """Go on as with SIGCONT: all that waited happens at once."""
        if not self.frozen:
            return
        self.frozen = False
        stalled, self._stalled, self._stalled_frames = self._stalled, [], 0
        self.world.wire.join(self)
        for do, arguments in stalled:
            self.do(do, *arguments)

    def do(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something as this process: not when dead, later when frozen."""
        if not self.alive:
            return
        if self.frozen:
            self._stalled.append((action, arguments))
        else:
            action(*arguments)

    def do_in(self, life: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something unless the process was started anew since."""
        if life == self.life:
            self.do(action, *arguments)

    def stall_frame(self, action: Callable[..., None], *arguments: Any) -> None:
        """Keep a frame for a frozen process in its sockets, as far as they hold it."""
        if self._stalled_frames < FROZEN_FRAMES:
            self._stalled_frames += 1
            self._stalled.append((action, arguments))

    def later(self, delay_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something in some ms, in this life."""
        self.world.events.after(delay_ms, self.do_in, self.life, action, *arguments)

    # What it hears.

    def receive(self, message: Message) -> None:
        """Take in a frame from the wire."""
        frame = message.frame
        self.spoke[message.origin] = self._tick()
        self.gossip.spoke(message.origin, self._tick())
        if isinstance(frame, frames.Bundle):
            for raw in frame.records:
                self.take(raw, overheard=True)
        elif isinstance(frame, frames.Digest):
            self.gossip.digest(frame, self._tick(), message.origin)
        self._poke()

    def take(self, raw: bytes, *, overheard: bool) -> AddResult:
        """Add a record of another peer; return what became of it."""
        outcome = self.store.add(raw, self.wall())
        if self._greeting:
            self._greeting.pop(record_id(raw), None)
        if outcome is not AddResult.REJECTED:
            self.gossip.received(record_id(raw), outcome, self._tick(), overheard=overheard)
            if not overheard:
                self._poke()
        return outcome

    def subscribed(self, other: SimPeer, dialled: bool) -> None:
        """A neighbour says that it listens."""
        self.streams.met(other, dialled=dialled)
        linked = {link.other(self).transport for link in self.links.values()}
        speakers = linked.intersection(self.spoke)
        if self.gossip.newcomer(
            other.transport, self._tick(), me=self.transport, speakers=speakers
        ):
            self.beat_soon()
            if not self._greeting:
                self.later(self.rng.randint(*GREETING_MS), self._greet)
            self._greeting = {
                record.id: record.raw
                for record in self.store.presences()
                if record.author != self.author
            }
        self._poke()

    def _greet(self) -> None:
        """Say others' presences again for newcomers, but for those overheard meanwhile."""
        waiting, self._greeting = self._greeting, {}
        fresh = {record.id for record in self.store.presences()}
        for rid, raw in waiting.items():
            if rid in fresh:
                self.gossip.publish(raw, self._tick())
        self._poke()

    def missed(self, other: SimPeer, transport: str) -> None:
        """A neighbour's connection has been gone for a while."""
        if not self.alive or self.frozen or other.index in self.links:
            return
        self.gossip.left(transport, self._tick())
        self._poke()
        for record in self.store.presences():
            if isinstance(record.body, Presence) and record.body.peer == transport:
                self.store.miss(record.author)
                self._present.pop(record.author, None)
                self.wake(self.world.now_ms)

    def _on_new(self, record: Record) -> None:
        body = record.body
        if isinstance(body, Presence):
            now = (body.role, bool(body.trouble))
            if record.author not in self._present and self.store.present <= FEW:
                self.beat_soon()
            if self._present.get(record.author) == now:
                return
            self._present[record.author] = now
        else:
            if body.kind == "result":
                self.held[record.id] = record.author
            if self._watch is not None and isinstance(body, Proposal | Ballot):
                self._watch.voted(record, body)
        self.wake(self.world.now_ms)

    # What it says.

    def publish(self, body: KnownBody) -> Record:
        """Stamp, sign, keep and send a body; return its record."""
        wall = self.wall()
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(wall)})
        record = sign(stamped, self.key)
        self.world.decoder.learn(record.raw, record)
        if not isinstance(body, Presence):
            self.published.append(record)
            self.world.timeline.published(self, record)
        self.store.add_record(record, max(wall, record.stamp.ms))
        self.gossip.publish(record.raw, self._tick())
        self._poke()
        return record

    def relay(self, record: Record) -> None:
        """Publish a record of somebody else's that was handed to this peer by a person."""
        self.store.add_record(record, self.wall())
        self.gossip.publish(record.raw, self._tick())
        self._poke()

    def _poke(self) -> None:
        """See that the gossip is looked at when it is due."""
        due = self.gossip.due(self._tick())
        if due is None:
            return
        at = max(due - self._tick(), 0) + self.world.now_ms
        if self._polls_ms is None or at < self._polls_ms or self._polls_ms < self.world.now_ms:
            self._polls_ms = at
            self.world.events.at(at, self.do_in, self.life, self._poll, at)

    def _poll(self, at_ms: int) -> None:
        if self._polls_ms != at_ms:
            return
        self._polls_ms = None
        doings = self.gossip.poll(self._tick())
        if doings.sending is not None:
            self.send(doings.sending.frame)
        if doings.announce:
            self.world.wire.announce(self)
        if doings.ask:
            self.streams.lacking()
        self._poke()

    def send(self, frame: bytes) -> None:
        """Put a frame on the wire."""
        self.counters.frames_out += 1
        self.counters.bytes_out += len(frame)
        self.sent_ms.append(self.world.now_ms)
        self.world.wire.publish(self, frame)

    def _beat_at(self, at_ms: int) -> None:
        if self._beats_ms is None or at_ms < self._beats_ms:
            self._beats_ms = at_ms
            self.world.events.at(at_ms, self.do_in, self.life, self._beat, at_ms)

    def beat_soon(self) -> None:
        """Show itself, unless it has just done so."""
        if self.asks:
            self._beat_at(max(self.world.now_ms, self._beat_ms + PRESENCE_SOON_MS))

    def _beat(self, at_ms: int) -> None:
        if self._beats_ms != at_ms:
            return
        self._beats_ms = None
        self._beat_ms = self.world.now_ms
        self.publish(
            Presence(
                stamp=EPOCH,
                swarm=self.world.swarm,
                role=self.role,
                name=self.name,
                load=len(self.running),
                capabilities=sorted(self.agent.capabilities),
                trouble=self.trouble,
                peer=self.transport,
            )
        )
        self._beat_at(self.world.now_ms + presence_every_ms(self.store.present))

    # What it decides.

    def wake(self, at_ms: int) -> None:
        """Let the agent decide at some time."""
        if self._wakes_ms is not None and self._wakes_ms <= at_ms:
            return
        self._wakes_ms = at_ms
        self.world.events.at(at_ms, self.do_in, self.life, self._decide, at_ms)

    def _decide(self, at_ms: int) -> None:
        if self._wakes_ms != at_ms:
            return
        self._wakes_ms = None
        self.store.advance(self.wall())
        if self.store.present < len(self._present):
            here = {record.author for record in self.store.presences()}
            self._present = {a: known for a, known in self._present.items() if a in here}
        if self._watch is not None:
            self._watch.time_passed()
        decision = self.agent.decide(self._view())
        self._perform(decision)
        self.wake(self.world.now_ms + self._pause(decision))

    def _pause(self, decision: Decision) -> int:
        due = [decision.wake_ms] if decision.wake_ms is not None else []
        for plan in self.store.plans():
            at = plan.next_change_ms()
            if at is not None:
                due.append(at)
        if not due:
            return IDLE_MS
        return min(IDLE_MS, max(LEAST_PAUSE_MS, min(due) - self.now()))

    def _view(self) -> View:
        return View(self.store, self.author, self.now(), able=not self.trouble)

    def _perform(self, decision: Decision) -> None:
        for key in decision.stop:
            self.running.pop(key, None)
        for body in decision.publish:
            if self.publish(body).id not in self.store:
                self._perform(self.agent.unkept(body, self._view()))
        for job in decision.start:
            self.running[job.key] = job
            outcome, latency_ms = self._ask_model(job.request)
            if self._watch is not None and self.role == "executor":
                self._watch.acts_on(job)
            self.health.begun(job, outcome, latency_ms)
            self.later(latency_ms, self.end_call, job, outcome)

    def _ask_model(self, request: Request) -> tuple[Any, int]:
        if self.outage:
            return self.world.unreachable(self.outage), self.rng.randint(10, 2_000)
        return self.model(request)

    def end_call(self, job: Job, outcome: Any) -> None:
        """Take in how a model call ended."""
        if self.running.get(job.key) is not job:
            return
        del self.running[job.key]
        view = self._view()
        if isinstance(outcome, Exception):
            away = getattr(outcome, "away", False)
            if away:
                self.health.call_failed(str(outcome))
                view = self._view()
            retryable = getattr(outcome, "retryable", True)
            decision = self.agent.failed(job, str(outcome), view, retryable=retryable, away=away)
        else:
            decision = self.agent.finished(job, outcome, view)
        self._perform(decision)
        self.wake(self.world.now_ms)

    def knows(self, goal_id: bytes) -> bool:
        """Return whether it holds a goal's own record."""
        record = self.store.record(goal_id)
        return record is not None and isinstance(record.body, Goal)
