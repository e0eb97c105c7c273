"""The sync protocol between simulated peers: `swarm.gossip.reconcile` over links that may break.

The counterpart of `swarm.net.sync`. Whom a peer asks and answers, and when, is decided by the same
`swarm.gossip.sync_schedule`, and the messages are the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from swarm.core.records import record_id
from swarm.core.store.store import AddResult, Store
from swarm.gossip.frames import FrameError
from swarm.gossip.reconcile import SALT_SIZE, Reconciler
from swarm.gossip.scope import ALL, SCOPE_SIZE, Scope
from swarm.gossip.sync_schedule import (
    MAX_TURNS,
    SESSION_MS,
    STALL_MS,
    AnswerSlots,
    Ask,
    SyncSchedule,
)
from swarm.sim.world.virtual_clock import Alarm
from swarm.sim.world.wire import StreamEnd


class SyncingPeer(Protocol):
    """What sync sessions need of their peer."""

    @property
    def store(self) -> Store:
        """What it holds."""

    @property
    def asks(self) -> bool:
        """Whether it asks from time to time and answers, or asks on demand only."""

    @property
    def rng(self) -> random.Random:
        """Draws salts and neighbours."""

    def tick(self) -> int:
        """Return the time on a clock that only goes forward, in ms."""

    def at_tick(self, tick_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Make a call at a time on that clock, in this life."""

    def neighbours(self) -> frozenset[str]:
        """Return the transport ids of its neighbours."""

    def open_stream(self, transport: str) -> StreamEnd | None:
        """Open a stream to a neighbour; None: it is not one any more."""

    def take(self, raw: bytes, *, overheard: bool) -> AddResult:
        """Add a record that came over a stream."""

    def synced(self, transport: str) -> None:
        """Take note of a completed session."""


class SyncSessions:
    """All sync sessions of one life of a peer."""

    def __init__(self, peer: SyncingPeer) -> None:
        """Start without sessions; `begin` starts asking."""
        self._peer = peer
        asks = peer.asks
        self._schedule = SyncSchedule(peer.rng, peer.tick(), on_meeting=asks, periodic=asks)
        self._slots = AnswerSlots()
        self._asking = False
        self._refused: set[bytes] = set()
        """Ids of records that were sent to this peer and are not wanted."""
        self._alarm = Alarm(peer.at_tick, self._look)

    def begin(self) -> None:
        """Ask from time to time from now on."""
        self._look()

    def met(self, transport: str, *, dialled: bool) -> None:
        """Take note of a new neighbour."""
        self._schedule.met(transport, self._peer.tick(), dialled=dialled)
        self._look()

    def lacking(self) -> None:
        """Ask now: digests show that this peer lacks something, or may be its last holder."""
        self._schedule.lacking()
        self._look()

    def accept(self, stream: StreamEnd) -> None:
        """Answer a neighbour that has opened a stream, or refuse it."""
        if not self._peer.asks or not self._slots.open(stream.peer, self._peer.tick()):
            stream.reset()
            return
        _Session(self, stream)

    def ended(self, ask: Ask, *, asking: bool, finished: bool) -> None:
        """Take note that a session is over."""
        now_ms = self._peer.tick()
        if finished:
            self._schedule.synced(ask, now_ms)
            self._peer.synced(ask.peer)
        if not asking:
            self._slots.close(ask.peer)
            return
        self._asking = False
        self._schedule.asked(ask, now_ms, finished=finished)
        self._look()

    def take(self, raw: bytes) -> None:
        """Take in a record that came over a stream."""
        if self._peer.take(raw, overheard=False) is AddResult.STALE:
            self._refused.add(record_id(raw))

    def side(self, salt: bytes, scope: Scope) -> Reconciler:
        """Return this peer's side of a session, with what it holds now."""
        store = self._peer.store
        goals = scope.goals(store)
        ids = [rid for goal in goals for rid in store.ids(goal)]
        refused = self._refused if scope == ALL else ()
        return Reconciler([*ids, *refused], store.raw, salt, goal_of=store.goal_of, goals=goals)

    @property
    def level(self) -> bool:
        """Whether this peer has exchanged everything with another one in this life."""
        return self._schedule.level(self._peer.tick())

    def salt(self) -> bytes:
        """Return a salt for a session that this peer asks for."""
        return self._peer.rng.randbytes(SALT_SIZE)

    def after(self, delay_ms: int, action: Callable[..., None], *arguments: Any) -> None:
        """Make a call after a delay, in this life."""
        self._peer.at_tick(self._peer.tick() + delay_ms, action, *arguments)

    def _look(self) -> None:
        """Ask the neighbour that is due, if any, one at a time."""
        peer = self._peer
        while not self._asking:
            ask = self._schedule.next_to_ask(peer.neighbours(), peer.tick())
            if ask is None:
                due_ms = self._schedule.due_ms()
                if due_ms is not None:
                    self._alarm.set(due_ms)
                return
            stream = peer.open_stream(ask.peer)
            if stream is None:
                self._schedule.asked(ask, peer.tick(), finished=False)
            else:
                self._asking = True
                _Session(self, stream, ask.scope)


class _Session:
    """One side of one session, from the opening of its stream to its end."""

    def __init__(
        self, sessions: SyncSessions, stream: StreamEnd, scope: Scope | None = None
    ) -> None:
        """Begin.

        Args:
            sessions: all of this peer's.
            stream: to the neighbour.
            scope: of the session that this peer asks for; None: the neighbour asks, and says it.
        """
        self._sessions = sessions
        self._stream = stream
        self._asking = scope is not None
        self._scope = scope or ALL
        self._side: Reconciler | None = None
        self._turns = 0
        self._over = False
        stream.on_open = self._begin
        stream.on_message = self._hear
        stream.on_end = self._end
        sessions.after(SESSION_MS, self._give_up)

    def _begin(self) -> None:
        """Send the first message, as the asking side."""
        salt = self._sessions.salt()
        self._side = self._sessions.side(salt, self._scope)
        self._side.begin()
        self._speak(self._side, salt + self._scope.encode())

    def _hear(self, message: bytes) -> None:
        if self._side is None:
            try:
                self._scope = Scope.decode(message[SALT_SIZE : SALT_SIZE + SCOPE_SIZE])
            except FrameError:
                self._give_up()
                return
            self._side = self._sessions.side(message[:SALT_SIZE], self._scope)
            self._side.announce_total(level=self._sessions.level)
            message = message[SALT_SIZE + SCOPE_SIZE :]
        try:
            for raw in self._side.receive(message):
                self._sessions.take(raw)
        except FrameError:
            self._give_up()
            return
        if self._asking and not message and self._side.done:
            self._finish()
        else:
            self._speak(self._side)

    def _speak(self, side: Reconciler, header: bytes = b"") -> None:
        self._turns += 1
        if self._turns > MAX_TURNS:
            self._finish()
            return
        self._stream.send(header + side.take())
        self._sessions.after(STALL_MS, self._give_up_at, self._turns)

    def _give_up_at(self, turn: int) -> None:
        """End a session whose other side has not answered a message."""
        if self._turns == turn:
            self._give_up()

    def _give_up(self) -> None:
        self._stream.reset()
        self._end(finished=False)

    def _finish(self) -> None:
        self._stream.close()
        self._end(finished=True)

    def _end(self, *, finished: bool) -> None:
        if not self._over:
            self._over = True
            ask = Ask(self._stream.peer, self._scope)
            self._sessions.ended(ask, asking=self._asking, finished=finished)
