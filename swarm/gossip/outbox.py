"""The outbox: what a peer is about to publish, batched and paced.

libp2p queues 32 frames a neighbour and silently drops the rest, and the whole swarm comfortably
carries about 20 messages a second. So no peer sends more than a few messages a second for long, and
records are batched briefly and leave as one bundle. They wait hardly at all after a quiet time,
longer the more was published lately, and longer still where the machine has no time for more
messages. Own records go first, then presence (only the newest), then repetitions for others, which
are also bounded in bytes a minute so that nobody can use a peer as an amplifier.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from swarm.gossip import frames
from swarm.gossip.token_bucket import TokenBucket

BATCH_LEAST_MS = 5
"""Milliseconds that the first record after a quiet time waits for others: the records of one
decision arrive within a millisecond."""

BATCH_MOST_MS = 60
"""Milliseconds that records are batched when this peer has used up its burst of messages. In
between, the wait grows with the square of the share used up, so that an occasional record leaves
quickly."""

LATE_SHARE = 3
LATE_MOST_MS = 500
"""How many times its own lateness a peer pauses between its messages, and how many milliseconds of
lateness count at most. A message costs every peer a few milliseconds whatever its size: where time
is short, fewer and larger messages carry several times as many records."""

MESSAGES_PER_SECOND = 4.0
"""Messages a second that one peer may publish steadily. Eight peers at this pace leave room."""

MESSAGE_BURST = 6.0
"""Messages that may leave at once after a quiet time."""

BYTES_PER_SECOND = 256 * 1024
"""Bytes a second that one peer may publish steadily, in all: some 500 records."""

BYTES_BURST = 512 * 1024
"""Bytes that may leave at once after a quiet time: two thousand records."""

AGAIN_BYTES_PER_SECOND = 8 * 1024 * 1024 / 60
"""Bytes a second that may be repeated for others, on average (8 MiB a minute)."""

AGAIN_BURST = 384 * 1024
"""Bytes that may be repeated at once: a thousand records for a newcomer."""

MAX_AGAIN = 50_000
"""Ids that may wait to be repeated. A later digest repairs what does not fit."""

MAX_PRESENCES = 128
"""Presences that may wait, a few hundred bytes each: more than a newcomer is greeted with."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A frame to publish now, and how many records it contains."""

    frame: bytes
    records: int


class Outbox:
    """Records and digests that wait to be published.

    Args:
        raw_of: returns the bytes of a record to repeat, or None if it is gone by then.
    """

    def __init__(self, raw_of: Callable[[bytes], bytes | None]) -> None:
        self._raw_of = raw_of
        self._own: deque[bytes] = deque()
        self._presences: dict[bytes, bytes] = {}
        """By author, the newest presence: this peer's own, and others' for a newcomer."""
        self._digest: bytes | None = None
        self._again: dict[bytes, None] = {}
        self._ready_ms: int | None = None
        self._promised_ms: int | None = None
        """When the next frame was last promised to be due."""
        self._late_ms = 0
        """By how many milliseconds frames lately left after they were due."""
        self._free_ms = 0
        """When the pause after the last message ends."""
        self._messages = TokenBucket(MESSAGES_PER_SECOND, MESSAGE_BURST)
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_BURST)
        self._bytes_again = TokenBucket(AGAIN_BYTES_PER_SECOND, AGAIN_BURST)

    def put(self, raw: bytes, now_ms: int) -> None:
        """Publish an own record soon."""
        self._own.append(raw)
        self._wake(now_ms)

    def put_presence(self, raw: bytes, now_ms: int) -> None:
        """Publish a presence; it replaces one by the same author that still waits."""
        author = raw[1:33]
        if author in self._presences or len(self._presences) < MAX_PRESENCES:
            self._presences[author] = raw
            self._wake(now_ms)

    def put_digest(self, frame: bytes, now_ms: int) -> None:
        """Publish a digest frame; it replaces one that still waits."""
        self._digest = frame
        self._wake(now_ms)

    def put_again(self, ids: Iterable[bytes], now_ms: int) -> None:
        """Repeat records for others, in this order, unless `heard` withdraws them."""
        for record_id in ids:
            if len(self._again) >= MAX_AGAIN:
                break
            self._again[record_id] = None
        if self._again:
            self._wake(now_ms)

    def heard(self, record_id: bytes) -> None:
        """Withdraw a repetition, because another peer has just published the record."""
        self._again.pop(record_id, None)

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not (self._own or self._again or self._presences or self._digest)

    def due(self, now_ms: int) -> int | None:
        """Return when to call `drain` next, or None while nothing waits."""
        if self.empty or self._ready_ms is None:
            return None
        at = max(
            self._ready_ms,
            now_ms + self._messages.wait(now_ms),
            now_ms + self._bytes.wait(now_ms, 0),
        )
        if not (self._own or self._presences or self._digest):
            at = max(at, now_ms + self._bytes_again.wait(now_ms, self._next_again_size()))
        if at > now_ms:
            self._promised_ms = at
        return at

    def drain(self, now_ms: int) -> Sending | None:
        """Return the next frame to publish, or None if nothing is due yet."""
        due = self.due(now_ms)
        if due is None or due > now_ms:
            return None
        late = 0 if self._promised_ms is None else min(now_ms - self._promised_ms, LATE_MOST_MS)
        self._late_ms = (self._late_ms + late) // 2
        self._promised_ms = None
        sending = self._digest_frame() if not self._own else None
        sending = sending or self._bundle(now_ms) or self._digest_frame()
        if sending is not None:
            self._messages.take(now_ms)
            self._bytes.take(now_ms, len(sending.frame))
            self._free_ms = now_ms + LATE_SHARE * self._late_ms
        self._ready_ms = None if self.empty else max(now_ms, self._free_ms)
        return sending

    def _wake(self, now_ms: int) -> None:
        if self._ready_ms is None:
            used = min(1.0, self._messages.used(now_ms))
            wait = BATCH_LEAST_MS + int(used**2 * (BATCH_MOST_MS - BATCH_LEAST_MS))
            self._ready_ms = max(now_ms + wait, self._free_ms)

    def _digest_frame(self) -> Sending | None:
        frame, self._digest = self._digest, None
        return Sending(frame, 0) if frame else None

    def _bundle(self, now_ms: int) -> Sending | None:
        records: list[bytes] = []
        room = frames.MAX_BUNDLE
        while self._own and (not records or frames.size_in_bundle(self._own[0]) <= room):
            records.append(self._own.popleft())
            room -= frames.size_in_bundle(records[-1])
        while self._presences and not self._own:
            author, presence = next(iter(self._presences.items()))
            size = frames.size_in_bundle(presence)
            if records and size > room:
                break
            records.append(presence)
            room -= size
            del self._presences[author]
        while self._again and not self._own:
            record_id = next(iter(self._again))
            raw = self._raw_of(record_id)
            if raw is not None:
                size = frames.size_in_bundle(raw)
                if (records and size > room) or self._bytes_again.wait(now_ms, size):
                    break
                self._bytes_again.take(now_ms, size)
                records.append(raw)
                room -= size
            del self._again[record_id]
        return Sending(frames.encode_bundle(records), len(records)) if records else None

    def _next_again_size(self) -> int:
        for record_id in self._again:
            raw = self._raw_of(record_id)
            if raw is not None:
                return frames.size_in_bundle(raw)
        return 0
