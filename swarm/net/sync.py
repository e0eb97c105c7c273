"""The sync stream: asking one neighbour for everything it has and we lack, and the reverse.

Gossip brings records to everyone in tens of milliseconds when it works; this brings a late or
unlucky peer level with a neighbour in one exchange (`reconcile` says how). A peer asks when it has
dialled somebody new, when a digest shows that it lacks something, and once in a while. A peer that
only listens answers nobody and asks only to hand on what it may be the last to hold
(`last_holder`).

On `/swarm/sync/1.0.0` the one who asks sends a salt of 16 bytes and then both send messages in
turn, each with its length before it in four bytes, big endian. The one who asks closes the stream
when both have nothing more to say. Asking publishes nothing on the topic.
"""

from __future__ import annotations

import math
import random
import secrets
import time
from collections.abc import Callable
from typing import Any

import structlog
import trio

from swarm.core.bounded import BoundedDict, BoundedSet
from swarm.gossip.reconcile import MAX_MESSAGE, SALT_SIZE, Index, Reconciler
from swarm.gossip.record_set import AddResult, RecordSet, record_id
from swarm.gossip.token_bucket import TokenBucket
from swarm.net.connections.host import peer_id_of
from swarm.net.streams import Messages, reset

log = structlog.get_logger(__name__)

PROTOCOL = "/swarm/sync/1.0.0"

SESSION_TIME = 60.0
"""Seconds for one session. A megabyte takes 0.1 s on loopback; the rest is for slow links."""

MAX_TURNS = 500
"""Messages of each side in one session: 128 MB of history."""

MAX_SESSIONS = 8
"""Sessions answered at once, one a neighbour; more are refused and ask again later."""

ANSWERS_PER_SECOND = 0.5
ANSWERS_BURST = 4.0
"""Sessions a neighbour is answered: who lacks something asks every 2 s at the soonest (`lacking`),
and once when it connects. Each costs us a look at all we hold."""

WORK_PER_SECOND = 0.25
WORK_BURST = 4.0
"""Seconds of work on such looks for all neighbours together; beyond that only those are answered
who have not asked before. Sixty sessions at once, of a peer that holds 50,000 records."""

FOLD = 10_000
"""Ids looked at before all other tasks have their turn: ten milliseconds. On a busy loop a turn
takes long, and many of them make the other side wait until it gives up."""

SLICE_SECONDS = 0.01
"""Work on a message before all other tasks have their turn."""

STALL_TIME = 10.0
"""Seconds for one message to come or go: a partner that does neither is let go, so that half-open
sessions do not keep others out. The longest message takes 20 ms on loopback."""

PERIOD = 60.0
"""Seconds between sessions with a random neighbour when nothing calls for one."""

OTHER_SIDE_ASKS = 1.5
"""Seconds to wait for a neighbour that dialled us to ask, before asking it."""

MAX_REFUSED = 20_000
"""Records we were sent and do not want, remembered so that they are not sent again."""

MAX_REMEMBERED = 1_000
"""Neighbours whose last session is remembered."""

TRIES = 4
"""Neighbours asked in turn until one answers: those who only listen do not."""

MIN_LOOK = 0.05
"""Seconds between two looks at what to ask, at least."""


class Sync:
    """Both sides of the sync protocol for one peer.

    Args:
        host: a running host.
        records: what this peer holds.
        take: takes in one record that arrived; returns what became of it.
        subscribers: peer ids that may be asked.
        finished: called after each good session with the peer's id and the bytes moved.
        rng: for choices and jitter.
        on_demand: whether it asks only when `lacking` is called, and answers nobody.
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
        on_demand: bool = False,
    ) -> None:
        self._host = host
        self._records = records
        self._take = take
        self._subscribers = subscribers
        self._finished = finished
        self._rng = rng
        self._refused: BoundedSet[bytes] = BoundedSet(MAX_REFUSED)
        self._wishes: dict[str, float] = {}
        self._synced_at: BoundedDict[str, float] = BoundedDict(MAX_REMEMBERED)
        self._lacks = False
        self._answering: set[str] = set()
        self._answers: BoundedDict[str, TokenBucket] = BoundedDict(MAX_REMEMBERED)
        self._work = TokenBucket(WORK_PER_SECOND, WORK_BURST)
        self._wake = trio.Event()
        self._period = math.inf if on_demand else PERIOD
        if not on_demand:
            host.set_stream_handler(PROTOCOL, self._answer)

    def met(self, peer: str, *, dialled: bool) -> None:
        """A neighbour is new. Whoever dialled asks at once, the other only if it did not."""
        if self._period == math.inf:
            return
        delay = 0.0 if dialled else OTHER_SIDE_ASKS
        self._wishes[peer] = trio.current_time() + delay
        self._wake.set()

    def lacking(self) -> None:
        """Digests have shown for a while that we lack something, or may be its last holder."""
        self._lacks = True
        self._wake.set()

    async def run(self) -> None:
        """Ask when there is reason to, until cancelled."""
        next_period = trio.current_time() + self._period * self._rng.uniform(0.5, 1.0)
        while True:
            now = trio.current_time()
            self._wake = trio.Event()
            subscribers = self._subscribers()
            for peer, at in list(self._wishes.items()):
                if at <= now:
                    del self._wishes[peer]
                    recent = now - self._synced_at.get(peer, -math.inf) < OTHER_SIDE_ASKS
                    if peer in subscribers and not recent:
                        await self.ask(peer)
            if next_period <= now or self._lacks:
                self._lacks = False
                for peer in self._rng.sample(sorted(subscribers), min(TRIES, len(subscribers))):
                    if await self.ask(peer) is not None:
                        break
                next_period = trio.current_time() + self._period * self._rng.uniform(0.5, 1.0)
            soonest = min([next_period, *self._wishes.values()])
            pause = max(MIN_LOOK, soonest - trio.current_time())
            with trio.move_on_after(pause):
                await self._wake.wait()

    async def ask(self, peer: str) -> int | None:
        """One session with a neighbour, as the one who asks.

        Returns:
            How many records it brought that were new. None if it failed, which is only logged.
        """
        stream: Any = None
        try:
            with trio.fail_after(SESSION_TIME):
                stream = await self._host.new_stream(peer_id_of(peer), [PROTOCOL])
                salt = secrets.token_bytes(SALT_SIZE)
                await stream.write(salt)
                side, _ = await self._side(salt)
                side.begin()
                wire = Messages(stream, MAX_MESSAGE)
                new = await self._converse(side, wire, asking=True)
                await stream.close()
        except Exception as error:
            # libp2p has no common error, and a stranger's bytes may raise anything in it.
            log.debug("sync_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
            return None
        self._ended(peer, wire)
        log.debug("synced", peer=peer, new=new, bytes=wire.moved)
        return new

    async def _answer(self, stream: Any) -> None:
        peer = str(stream.muxed_conn.peer_id)
        busy = peer in self._answering or len(self._answering) >= MAX_SESSIONS
        if busy or not self._may_ask(peer):
            await reset(stream)
            return
        self._answering.add(peer)
        try:
            with trio.fail_after(SESSION_TIME):
                wire = Messages(stream, MAX_MESSAGE)
                with trio.fail_after(STALL_TIME):
                    salt = await wire.exactly(SALT_SIZE)
                side, seconds = await self._side(salt)
                self._work.take(_now(), seconds)
                await self._converse(side, wire, asking=False)
            self._ended(peer, wire)
        except Exception as error:
            # As above; what one neighbour sends must not end the peer.
            log.debug("sync_answer_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
        finally:
            self._answering.discard(peer)

    def _may_ask(self, peer: str) -> bool:
        """Whether to answer a neighbour now; takes from what it may."""
        now = _now()
        answers = self._answers.get(peer)
        if answers is not None and (answers.wait(now) or self._work.wait(now, 0)):
            return False
        self._answers.use(peer, lambda: TokenBucket(ANSWERS_PER_SECOND, ANSWERS_BURST)).take(now)
        return True

    async def _converse(self, side: Reconciler, wire: Messages, *, asking: bool) -> int:
        new = 0
        for _ in range(MAX_TURNS):
            if asking:
                with trio.fail_after(STALL_TIME):
                    await wire.send(side.take())
            with trio.fail_after(STALL_TIME):
                message = await wire.message()
            if message is None:
                break
            new += await self._read(side, message)
            if asking and not message and side.done:
                break
            if not asking:
                with trio.fail_after(STALL_TIME):
                    await wire.send(side.take())
        return new

    async def _read(self, side: Reconciler, message: bytes) -> int:
        """Take in a message; return how many records it brought that were new."""
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
        # Not what was rejected: an id does not cover the signature, so a copy with a forged one
        # has the id of the genuine record, which must stay wanted.
        if outcome is AddResult.STALE:
            self._refused.add(record_id(raw))
        return outcome is AddResult.NEW

    async def _side(self, salt: bytes) -> tuple[Reconciler, float]:
        """Our side of a session, and the seconds of work it took to make."""
        began = time.thread_time()
        ids = [i for goal in self._records.goals() for i in self._records.ids(goal)]
        index = Index([*ids, *self._refused], salt)
        seconds = time.thread_time() - began
        more = True
        while more:
            await trio.lowlevel.checkpoint()
            began = time.thread_time()
            more = index.fold(FOLD)
            seconds += time.thread_time() - began
        return Reconciler(index, self._records.raw, salt), seconds

    def _ended(self, peer: str, wire: Messages) -> None:
        self._synced_at[peer] = trio.current_time()
        self._finished(peer, wire.moved)


def _now() -> int:
    return int(trio.current_time() * 1000)
