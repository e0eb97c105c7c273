"""What this peer is about to say, bundled and paced.

libp2p queues 32 frames a neighbour and drops the rest silently, and the whole swarm carries about
20 messages a second in comfort. So no peer sends more than a few messages a second for long, and
records wait for company and leave as one bundle: hardly at all when little was said lately, longer
the more was, and longer still where the machine has no time for more messages. Own records go
first, then presence (only the newest), then what is re-published for others, which is also bounded
in bytes a minute so that nobody can use a peer as an amplifier.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from swarm.gossip import frames
from swarm.gossip.token_bucket import TokenBucket

COMPANY_LEAST_MS = 5
"""Milliseconds the first record after a quiet time waits for others: those of one decision come
within one."""

COMPANY_MOST_MS = 60
"""Milliseconds records wait for company when this peer has used up its burst of messages. In
between with the square of what is used up: whoever says something now and then should be quick."""

LATE_SHARE = 3
LATE_MOST_MS = 500
"""How many times its own lateness a peer leaves between its messages, and the most that counts. A
message costs each peer a few milliseconds whatever is in it: where time is short, fewer and larger
ones carry several times as many records."""

MESSAGES_PER_SECOND = 4.0
"""Steady messages a second of one peer: eight peers at full pace still leave room on the wire."""

MESSAGE_BURST = 6.0
"""Messages that may leave at once after a quiet time."""

BYTES_PER_SECOND = 256 * 1024
"""Steady bytes a second of one peer, of all it says: some 500 records."""

BYTES_BURST = 512 * 1024
"""Bytes that may leave at once after a quiet time: two thousand records."""

AGAIN_BYTES_PER_SECOND = 8 * 1024 * 1024 / 60
"""Bytes a second re-published for others, on average (8 MiB a minute)."""

AGAIN_BURST = 384 * 1024
"""Bytes that may be re-published at once: a thousand records for a newcomer."""

MAX_AGAIN = 50_000
"""Ids that may wait to be re-published. What does not fit is repaired by a later digest."""


MAX_PRESENCES = 128
"""Signs of life that may wait: a few hundred bytes each, more peers than one greets at once."""


@dataclass(frozen=True, slots=True)
class Sending:
    """One frame to publish now, and how many records are in it."""

    frame: bytes
    records: int


class Outbox:
    """Records and digests waiting to leave.

    Args:
        raw_of: gives the bytes of a record to re-publish, or None if it is gone by then.
    """

    def __init__(self, raw_of: Callable[[bytes], bytes | None]) -> None:
        self._raw_of = raw_of
        self._own: deque[bytes] = deque()
        self._presences: dict[bytes, bytes] = {}
        """By author, the newest sign of life: this peer's own, and others' for a newcomer."""
        self._digest: bytes | None = None
        self._again: dict[bytes, None] = {}
        self._ready_at: int | None = None
        self._promised_at: int | None = None
        """When the next frame was last said to be due."""
        self._late_ms = 0
        """By how much frames leave later than they are due."""
        self._free_at = 0
        """Until when the last message keeps others back."""
        self._messages = TokenBucket(MESSAGES_PER_SECOND, MESSAGE_BURST)
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_BURST)
        self._bytes_again = TokenBucket(AGAIN_BYTES_PER_SECOND, AGAIN_BURST)

    def put(self, raw: bytes, now: int) -> None:
        """Send an own record soon."""
        self._own.append(raw)
        self._wake(now)

    def put_presence(self, raw: bytes, now: int) -> None:
        """Send a sign of life; one by the same author that still waits is replaced."""
        author = raw[1:33]
        if author in self._presences or len(self._presences) < MAX_PRESENCES:
            self._presences[author] = raw
            self._wake(now)

    def put_digest(self, frame: bytes, now: int) -> None:
        """Send a digest frame; one that still waits is replaced."""
        self._digest = frame
        self._wake(now)

    def put_again(self, ids: Iterable[bytes], now: int) -> None:
        """Re-publish records for others, in this order, unless `heard` takes them back."""
        for record_id in ids:
            if len(self._again) >= MAX_AGAIN:
                break
            self._again[record_id] = None
        if self._again:
            self._wake(now)

    def heard(self, record_id: bytes) -> None:
        """Somebody else just published it: no need to say it again."""
        self._again.pop(record_id, None)

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not (self._own or self._again or self._presences or self._digest)

    def due(self, now: int) -> int | None:
        """When to call `drain` next, or None while nothing waits."""
        if self.empty or self._ready_at is None:
            return None
        at = max(self._ready_at, now + self._messages.wait(now), now + self._bytes.wait(now, 0))
        if not (self._own or self._presences or self._digest):
            at = max(at, now + self._bytes_again.wait(now, self._next_again_size()))
        if at > now:
            self._promised_at = at
        return at

    def drain(self, now: int) -> Sending | None:
        """The next frame to publish, or None if nothing is due yet."""
        due = self.due(now)
        if due is None or due > now:
            return None
        late = 0 if self._promised_at is None else min(now - self._promised_at, LATE_MOST_MS)
        self._late_ms = (self._late_ms + late) // 2
        self._promised_at = None
        sending = self._digest_frame() if not self._own else None
        sending = sending or self._bundle(now) or self._digest_frame()
        if sending is not None:
            self._messages.take(now)
            self._bytes.take(now, len(sending.frame))
            self._free_at = now + LATE_SHARE * self._late_ms
        self._ready_at = None if self.empty else max(now, self._free_at)
        return sending

    def _wake(self, now: int) -> None:
        if self._ready_at is None:
            used = min(1.0, self._messages.used(now))
            wait = COMPANY_LEAST_MS + int(used**2 * (COMPANY_MOST_MS - COMPANY_LEAST_MS))
            self._ready_at = max(now + wait, self._free_at)

    def _digest_frame(self) -> Sending | None:
        frame, self._digest = self._digest, None
        return Sending(frame, 0) if frame else None

    def _bundle(self, now: int) -> Sending | None:
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
                if (records and size > room) or self._bytes_again.wait(now, size):
                    break
                self._bytes_again.take(now, size)
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
