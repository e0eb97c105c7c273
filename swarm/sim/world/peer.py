"""One simulated peer: real store, agent and gossip, driven as `swarm.peer.peer` drives them.

It differs from the real peer only in what performs the decisions: calls end when the virtual clock
says so, frames go over the simulated wire, and the disk is a dictionary.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, Decision, Job, JobKey, View
from swarm.core.clock import EPOCH
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
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult
from swarm.gossip import frames
from swarm.gossip.presence import WATCH_MS, PresenceTracker
from swarm.gossip.protocol import Gossip
from swarm.llm.errors import ServerUnreachable
from swarm.llm.requests import Request
from swarm.sim.world.environment import Environment
from swarm.sim.world.model_health import ModelHealth
from swarm.sim.world.models import Model
from swarm.sim.world.storage import SimStore
from swarm.sim.world.sync_sessions import SyncSessions
from swarm.sim.world.virtual_clock import START_MS, Alarm
from swarm.sim.world.vote_watch import VoteWatch
from swarm.sim.world.wire import Endpoint, Link, Message, StreamEnd, Traffic

IDLE_MS = 30_000
"""The longest that an agent sleeps, in ms, as in `swarm.peer.driver`."""

LEAST_PAUSE_MS = 10
"""The shortest that it sleeps for time alone, in ms, as in `swarm.peer.driver`."""

FROZEN_FRAMES = 256
"""How many frames wait in the sockets of a frozen process; more are lost."""


class SimPeer:
    """One simulated peer."""

    def __init__(
        self,
        env: Environment,
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
            env: what it shares with the other peers of its world.
            index: its number there.
            make_agent: makes a fresh agent, as each start of a process does.
            model: answers its calls.
            name: its display name.
            key: signs its records.
            limits: of its store.
            grants: the owner's grants of its role, where the swarm has an owner.
        """
        self.env = env
        self.index = index
        self.name = name
        self.key = key
        self.author = key.public_key().public_bytes_raw()
        self.model = model
        self.rng = random.Random(env.rng.getrandbits(64))
        self.honest = True
        self.alive = False
        self.frozen = False
        self.offset_ms = 0
        """How far its wall clock is ahead of the true time, in ms."""
        self.life = 0
        """How often its process was started."""
        self.published: list[Record] = []
        self.held: dict[bytes, bytes] = {}
        """Author of each result that it has held without losing its disk since."""
        self.traffic = Traffic()
        self.links: dict[int, Link] = {}
        self.outage = ""
        """Why its model cannot be reached now; empty if it can."""
        self.sent_ms: deque[int] = deque(maxlen=64)
        self._make_agent = make_agent
        self._limits = limits
        self._grants = grants
        self.agent = make_agent()
        self._begin([])

    def _begin(self, disk: list[Record]) -> None:
        self.agent = self._make_agent()
        self.store = SimStore(self.env.swarm, owner=self.env.owner, limits=self._limits)
        self.store.decoder = self.env.decoder
        self.running: dict[JobKey, Job] = {}
        env = self.env
        self._watch = VoteWatch(self, env.tallies, env.timeline) if env.watching else None
        for record in [*self._grants, *disk]:
            self.store.add_record(record, self.wall())
        self.store.on_new = self._on_new
        asks = self.agent.role != "observer"
        self.gossip = Gossip(
            self.store, self.rng, self.tick(), speaks=asks, asks=asks, hands_off=not asks
        )
        self.last_heard: dict[str, int] = {}
        """When each transport was last heard, in ms since the world began."""
        self.sync = SyncSessions(self)
        self.health = ModelHealth(self, self.env.clock)
        self.presence = PresenceTracker(self.store, self.author)
        self._decides = Alarm(self.at, self._decide)
        self._polls = Alarm(self.at_tick, self._poll)
        self._shows = Alarm(self.at_tick, self._show)
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
        """Whether it speaks, and asks and answers over sync streams; a listener does neither."""
        return self.agent.role != "observer"

    @property
    def transport(self) -> str:
        """Its transport's id, fresh in each life."""
        return f"{self.index}/{self.life}"

    def wall(self) -> int:
        """Return what its wall clock shows, in ms."""
        return self.env.clock.now_ms + self.offset_ms

    def now(self) -> int:
        """Return the time it folds at, in ms."""
        return self.store.clock.now(self.wall())

    def tick(self) -> int:
        """Return the time on a clock that only goes forward, in ms."""
        return self.env.clock.elapsed_ms

    # Its process.

    def start(self) -> None:
        """Start the process: dial, show presence, decide."""
        self.alive = True
        self.life += 1
        self.env.wire.join(self)
        self.sync.begin()
        if self.asks:
            for grant in self._grants:
                self.relay(grant)
            self._show()
        self.later(self.rng.randint(0, WATCH_MS), self._watch_neighbours)
        if self.role not in ("observer", "submitter"):
            self.later(0, self.health.check)
        self.wake(self.env.clock.now_ms)
        self._poke()

    def kill(self) -> None:
        """Kill the process at once: it publishes nothing more and its calls are lost."""
        self.alive = False
        self.frozen = False
        self.running.clear()
        self.env.wire.leave(self)

    def restart(self, *, disk: bool) -> None:
        """Start again with the same key, and with or without the records on its disk."""
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
        """Stop the process as with SIGSTOP: it does nothing until `thaw`."""
        if self.alive and not self.frozen:
            self.frozen = True
            self.env.wire.suspect(self)

    def thaw(self) -> None:
        """Continue the process as with SIGCONT: all that waited happens at once."""
        if not self.frozen:
            return
        self.frozen = False
        stalled, self._stalled, self._stalled_frames = self._stalled, [], 0
        self.env.wire.join(self)
        for do, arguments in stalled:
            self.do(do, *arguments)

    def do(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something as this process: not at all if it is dead, later if it is frozen."""
        if not self.alive:
            return
        if self.frozen:
            self._stalled.append((action, arguments))
        else:
            action(*arguments)

    def do_in(self, life: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something, unless the process was restarted since."""
        if life == self.life:
            self.do(action, *arguments)

    def stall_frame(self, action: Callable[..., None], *arguments: Any) -> None:
        """Keep a frame in the sockets of the frozen process, if they have room."""
        if self._stalled_frames < FROZEN_FRAMES:
            self._stalled_frames += 1
            self._stalled.append((action, arguments))

    def later(self, delay_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something after a delay, in this life."""
        self.env.clock.after(delay_ms, self.do_in, self.life, action, *arguments)

    def at(self, at_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time, in ms since the epoch, in this life."""
        self.env.clock.at(at_ms, self.do_in, self.life, action, *arguments)

    def at_tick(self, tick_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time on the clock that only goes forward, in this life."""
        self.at(START_MS + tick_ms, action, *arguments)

    # Its neighbours.

    def neighbours(self) -> frozenset[str]:
        """Return the transport ids of its neighbours."""
        return frozenset(link.other(self).transport for link in self.links.values())

    def open_stream(self, transport: str) -> StreamEnd | None:
        """Open a stream to a neighbour; None: it is not one any more."""
        return self.env.wire.open_stream(self, transport)

    def accept(self, stream: StreamEnd) -> None:
        """Answer a neighbour that has opened a stream."""
        self.sync.accept(stream)

    def synced(self, transport: str) -> None:
        """Note a completed sync session."""
        self.traffic.syncs += 1
        self.gossip.synced(transport)

    # What it hears.

    def receive(self, message: Message) -> None:
        """Take in a frame from the wire."""
        frame = message.frame
        self.last_heard[message.origin] = self.tick()
        self.gossip.heard_from(message.origin, self.tick())
        if isinstance(frame, frames.Bundle):
            for raw in frame.records:
                self.take(raw, overheard=True)
        elif isinstance(frame, frames.Digest):
            self.gossip.digest(frame, self.tick(), message.origin)
        self._poke()

    def take(self, raw: bytes, *, overheard: bool) -> AddResult:
        """Add a record of another peer; return what became of it."""
        outcome = self.store.add(raw, self.wall())
        rid = record_id(raw)
        if outcome is not AddResult.REJECTED:
            self.presence.overheard(rid)
            self.gossip.received(rid, outcome, self.tick(), overheard=overheard)
            if not overheard:
                self._poke()
        return outcome

    def subscribed(self, other: Endpoint, dialled: bool) -> None:
        """Note that a neighbour subscribes to the topic."""
        self.sync.met(other.transport, dialled=dialled)
        if self.gossip.newcomer(
            other.transport,
            self.tick(),
            me=self.transport,
            speakers=self.neighbours().intersection(self.last_heard),
        ):
            self.presence.newcomer(self.tick())
            self._show_when_due()
        self._poke()

    def _watch_neighbours(self) -> None:
        """Keep treating neighbours that stay disconnected as gone, from now on."""
        missed = self.presence.watch(self.neighbours(), self.tick())
        for transport in missed.peers:
            self.gossip.left(transport, self.tick())
        if missed.peers:
            self._poke()
        if missed.presences:
            self.wake(self.env.clock.now_ms)
        self.later(WATCH_MS, self._watch_neighbours)

    def _on_new(self, record: Record) -> None:
        body = record.body
        if isinstance(body, Presence):
            self.presence.heard(record)
            self._show_when_due()
        else:
            if body.kind == "result":
                self.held[record.id] = record.author
            if self._watch is not None and isinstance(body, Proposal | Ballot):
                self._watch.voted(record, body)
        self.wake(self.env.clock.now_ms)

    # What it says.

    def publish(self, body: KnownBody) -> Record:
        """Stamp, sign, keep and send a body; return its record."""
        wall = self.wall()
        stamped = body.model_copy(update={"stamp": self.store.clock.tick(wall)})
        record = sign(stamped, self.key)
        self.env.decoder.learn(record.raw, record)
        if not isinstance(body, Presence):
            self.published.append(record)
            self.env.timeline.published(self.name, record, honest=self.honest)
        self.store.add_record(record, max(wall, record.stamp.ms))
        self.gossip.publish(record.raw, self.tick())
        self._poke()
        return record

    def relay(self, record: Record) -> None:
        """Publish another author's record that a person has handed to this peer."""
        self.store.add_record(record, self.wall())
        self.gossip.publish(record.raw, self.tick())
        self._poke()

    def _poke(self) -> None:
        """Schedule the next turn of the gossip protocol."""
        due_ms = self.gossip.due(self.tick())
        if due_ms is not None:
            self._polls.set(max(due_ms, self.tick()))

    def _poll(self) -> None:
        actions = self.gossip.poll(self.tick())
        if actions.sending is not None:
            self.send(actions.sending.frame)
        if actions.announce:
            self.env.wire.announce(self)
        if actions.ask:
            self.sync.lacking()
        self._poke()

    def send(self, frame: bytes) -> None:
        """Put a frame on the wire."""
        self.traffic.frames_out += 1
        self.traffic.bytes_out += len(frame)
        self.sent_ms.append(self.env.clock.now_ms)
        self.env.wire.publish(self, frame)

    def model_changed(self) -> None:
        """Note that the model has gone or is back: publish that, and decide again."""
        self.presence.hurry()
        self._show_when_due()
        self.wake(self.env.clock.now_ms)

    def _show_when_due(self) -> None:
        """Schedule the next presences."""
        if self.asks:
            self._shows.set(max(self.presence.due_ms(), self.tick()))

    def _show(self) -> None:
        """Publish the presences that are due: its own, and others' for newcomers."""
        to_say = self.presence.poll(self.tick())
        if to_say.own:
            self._publish_presence()
        for raw in to_say.repeated:
            self.gossip.publish(raw, self.tick())
        self._poke()
        self._show_when_due()

    def _publish_presence(self) -> None:
        self.publish(
            Presence(
                stamp=EPOCH,
                swarm=self.env.swarm,
                role=self.role,
                name=self.name,
                load=len(self.running),
                capabilities=sorted(self.agent.capabilities),
                trouble=self.trouble,
                peer=self.transport,
            )
        )

    # What it decides.

    def wake(self, at_ms: int) -> None:
        """Let the agent decide at a time, in ms since the epoch."""
        self._decides.set(at_ms)

    def _decide(self) -> None:
        self.store.advance(self.wall())
        if self._watch is not None:
            self._watch.time_passed()
        decision = self.agent.decide(self._view())
        self._perform(decision)
        self.wake(self.env.clock.now_ms + self._pause(decision))

    def _pause(self, decision: Decision) -> int:
        due = [decision.wake_ms] if decision.wake_ms is not None else []
        if (at := self.store.next_change_ms()) is not None:
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
            return ServerUnreachable(self.outage), self.rng.randint(10, 2_000)
        return self.model(request)

    def end_call(self, job: Job, outcome: Any) -> None:
        """Process the outcome of a model call."""
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
        self.wake(self.env.clock.now_ms)

    def knows(self, goal_id: bytes) -> bool:
        """Return whether it holds a goal's own record."""
        record = self.store.record(goal_id)
        return record is not None and isinstance(record.body, Goal)
