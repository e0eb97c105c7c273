"""The sync stream: two neighbours exchange all records that only one of them has.

Gossip brings records to everyone in tens of milliseconds when it works. This brings a peer that is
late or unlucky level with a neighbour in one exchange (see `swarm.gossip.reconcile`). Whom a peer
asks and answers, and when, is decided in `swarm.gossip.sync_schedule`; here are the streams.

On `/swarm/sync/2.1.0` the asking peer sends a salt of 16 bytes and the session's scope: the goals
that it is about (`swarm.gossip.scope`). Then both peers send messages in turn, each preceded
by its length in four bytes, big endian. The asking peer closes the stream when neither has anything
more to send. A session publishes nothing on the topic. A peer that only speaks 2.0.0 gets no packs
(`swarm.gossip.packs`).
"""

from __future__ import annotations

import math
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
import trio

from swarm.core.bounded import BoundedSet
from swarm.gossip.reconcile import MAX_MESSAGE, SALT_SIZE, Index, Reconciler, Total
from swarm.gossip.record_set import AddResult, RecordSet, record_id
from swarm.gossip.scope import ALL, SCOPE_SIZE, Scope
from swarm.gossip.sync_schedule import (
    HISTORY_BYTES_PER_SECOND,
    MAX_TURNS,
    SESSION_MS,
    STALL_MS,
    AnswerSlots,
    Ask,
    SyncSchedule,
)
from swarm.net.streams import Messages, peer_id_of, reset

log = structlog.get_logger(__name__)

PROTOCOL = "/swarm/sync/2.1.0"
PROTOCOL_WITHOUT_PACKS = "/swarm/sync/2.0.0"

FOLD = 10_000
"""Ids looked at before all other tasks get a turn: about ten milliseconds. On a busy event loop a
turn takes long, and many turns would make the other side wait until it gives up."""

SLICE_SECONDS = 0.01
"""Work on a message before all other tasks get a turn, in seconds of processor time."""

MAX_REFUSED = 20_000
"""How many unwanted records are remembered, so that they are not sent to us again."""

MIN_LOOK_SECONDS = 0.05
"""Shortest time between two choices of a neighbour to ask."""


MOST_ASKED = 8
"""Neighbours that `Sync.collect` asks at most."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session that came to its end.

    Attributes:
        new: how many new records it brought.
        whole: whether both sides then held the same, rather than having taken too many turns.
        total: what the other side holds of the session's scope; None: it did not say.
    """

    new: int
    whole: bool
    total: Total | None = None


class Sync:
    """Both sides of the sync protocol for one peer.

    Args:
        host: a running host.
        records: what this peer holds.
        take: takes in one record that arrived; returns what became of it.
        subscribers: returns the ids of the peers that may be asked.
        finished: called after each completed session with the peer's id and the bytes moved.
        rng: for choices and jitter.
        answers: whether to answer others, and to ask a random neighbour once in a while.
        on_meeting: whether to ask new neighbours.
        history: whether to ask them for goals that have ended, too.
    """

    def __init__(
        self,
        host: Any,
        records: RecordSet,
        *,
        take: Callable[[bytes], AddResult],
        subscribers: Callable[[], frozenset[str]],
        finished: Callable[[str, int], None],
        rng: random.Random,
        answers: bool = True,
        on_meeting: bool = True,
        history: bool = True,
    ) -> None:
        self._host = host
        self._records = records
        self._take = take
        self._subscribers = subscribers
        self._finished = finished
        self._refused: BoundedSet[bytes] = BoundedSet(MAX_REFUSED)
        self._schedule = SyncSchedule(
            rng, _now_ms(), on_meeting=on_meeting, history=history, periodic=answers
        )
        self._slots = AnswerSlots()
        self._wake = trio.Event()
        if answers:
            for protocol in (PROTOCOL, PROTOCOL_WITHOUT_PACKS):
                host.set_stream_handler(protocol, self._answer)

    def met(self, peer: str, *, dialled: bool) -> None:
        """Take note of a new neighbour. The side that dialled asks at once."""
        self._schedule.met(peer, _now_ms(), dialled=dialled)
        self._wake.set()

    def lacking(self) -> None:
        """Ask soon: digests show that we lack something, or may be its last holder."""
        self._schedule.lacking()
        self._wake.set()

    async def run(self) -> None:
        """Ask when there is reason to, until cancelled."""
        while True:
            self._wake = trio.Event()
            ask = self._schedule.next_to_ask(self._subscribers(), _now_ms())
            if ask is not None:
                session = await self.ask(ask.peer, ask.scope)
                self._schedule.asked(ask, _now_ms(), finished=session is not None)
                continue
            due_ms = self._schedule.due_ms()
            pause = math.inf if due_ms is None else (due_ms - _now_ms()) / 1000
            with trio.move_on_after(max(MIN_LOOK_SECONDS, pause)):
                await self._wake.wait()

    async def collect(self, scope: Scope) -> list[Session]:
        """Ask all neighbours, one after the other, for the goals of a scope.

        Returns:
            The sessions that came to their end; none if nobody answers.
        """
        sessions = []
        for peer in sorted(self._subscribers())[:MOST_ASKED]:
            session = await self.ask(peer, scope)
            if session is not None:
                sessions.append(session)
        return sessions

    async def ask(self, peer: str, scope: Scope = ALL) -> Session | None:
        """Hold one session with a neighbour, as the asking side.

        Args:
            peer: the neighbour's peer id.
            scope: which goals the session is about.

        Returns:
            What came of it. None if it failed, which is only logged.
        """
        stream: Any = None
        try:
            with trio.fail_after(SESSION_MS / 1000):
                protocols = [PROTOCOL, PROTOCOL_WITHOUT_PACKS]
                stream = await self._host.new_stream(peer_id_of(peer), protocols)
                salt = secrets.token_bytes(SALT_SIZE)
                await stream.write(salt + scope.encode())
                side, _ = await self._side(salt, scope, packs=_takes_packs(stream))
                side.begin()
                wire = Messages(stream, MAX_MESSAGE)
                new, whole = await self._converse(side, wire, asking=True)
                await stream.close()
        except Exception as error:
            # libp2p has no common error class, and a stranger's bytes may raise anything in it.
            log.debug("sync_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
            return None
        self._finished(peer, wire.moved)
        log.debug("synced", peer=peer, scope=scope.kind.name, new=new, bytes=wire.moved)
        return Session(new, whole, side.total)

    async def _answer(self, stream: Any) -> None:
        peer = str(stream.muxed_conn.peer_id)
        if not self._slots.open(peer, _now_ms()):
            await reset(stream)
            return
        try:
            with trio.fail_after(SESSION_MS / 1000):
                wire = Messages(stream, MAX_MESSAGE)
                with trio.fail_after(STALL_MS / 1000):
                    salt = await wire.exactly(SALT_SIZE)
                    scope = Scope.decode(await wire.exactly(SCOPE_SIZE))
                side, seconds = await self._side(salt, scope, packs=_takes_packs(stream))
                side.announce_total(level=self._schedule.level(_now_ms()))
                self._slots.worked(seconds, _now_ms())
                pace = HISTORY_BYTES_PER_SECOND if scope == ALL else math.inf
                await self._converse(side, wire, asking=False, bytes_per_second=pace)
            self._schedule.synced(Ask(peer, scope), _now_ms())
            self._finished(peer, wire.moved)
        except Exception as error:
            # As above; what one neighbour sends must not end the peer.
            log.debug("sync_answer_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
        finally:
            self._slots.close(peer)

    async def _converse(
        self, side: Reconciler, wire: Messages, *, asking: bool, bytes_per_second: float = math.inf
    ) -> tuple[int, bool]:
        """Exchange messages until neither side has more to send.

        Returns:
            How many records were new, and whether both sides came to the end.
        """
        new = 0
        for _ in range(MAX_TURNS):
            if asking:
                with trio.fail_after(STALL_MS / 1000):
                    await wire.send(side.take())
            with trio.fail_after(STALL_MS / 1000):
                message = await wire.message()
            if message is None:
                return new, not asking
            new += await self._read(side, message)
            if asking and not message and side.done:
                return new, True
            if not asking:
                answer = side.take()
                with trio.fail_after(STALL_MS / 1000):
                    await wire.send(answer)
                await trio.sleep(len(answer) / bytes_per_second)
        return new, False

    async def _read(self, side: Reconciler, message: bytes) -> int:
        """Take in a message; return how many new records it brought."""
        new = 0
        parts = side.parts(message)
        turn = time.thread_time()
        while (raw := next(parts, b"")) != b"":
            if raw is not None:
                new += self._took(raw)
            if raw is not None or time.thread_time() - turn > SLICE_SECONDS:
                await trio.lowlevel.checkpoint()
                turn = time.thread_time()
        return new

    def _took(self, raw: bytes) -> bool:
        outcome = self._take(raw)
        # Rejected records are not remembered: an id does not cover the signature, so a copy with a
        # forged signature has the id of the genuine record, which must stay wanted.
        if outcome is AddResult.STALE:
            self._refused.add(record_id(raw))
        return outcome is AddResult.NEW

    async def _side(
        self, salt: bytes, scope: Scope, *, packs: bool = False
    ) -> tuple[Reconciler, float]:
        """Return our side of a session, and the seconds of work it took to prepare."""
        began = time.thread_time()
        goals = scope.goals(self._records)
        ids = [record_id for goal in goals for record_id in self._records.ids(goal)]
        index = Index([*ids, *(self._refused if scope == ALL else ())], salt)
        seconds = time.thread_time() - began
        more = True
        while more:
            await trio.lowlevel.checkpoint()
            began = time.thread_time()
            more = index.fold(FOLD)
            seconds += time.thread_time() - began
        records = self._records
        side = Reconciler(
            index,
            records.raw,
            salt,
            goal_of=records.goal_of,
            goals=goals,
            pack_of=records.pack if packs else None,
        )
        return side, seconds


def _takes_packs(stream: Any) -> bool:
    """Return whether both sides of a stream understand packs."""
    return str(stream.get_protocol()) == PROTOCOL


def _now_ms() -> int:
    return int(trio.current_time() * 1000)
