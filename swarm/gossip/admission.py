"""Rate limits on what arrives: a share for each neighbour and for each origin.

A *neighbour* is the peer that a frame came from. An *origin* is the peer that published and signed
the message in it. Honest peers pace themselves (`outbox`). An origin that publishes several times
as much has its messages dropped here, before they are relayed or processed; anti-entropy repairs
what an honest peer loses that way. A neighbour that sends faster than any peer relays is read more
slowly.

No honest peer keeps a record that is malformed or forged. An origin that sends more than a few of
those is ignored for a while.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from swarm.core.bounded import BoundedDict
from swarm.gossip import outbox
from swarm.gossip.frames import MAX_FRAME
from swarm.gossip.token_bucket import TokenBucket

SLACK = 2
"""How many times an honest peer's pace an origin may reach: clocks differ, and queues between us
bunch messages together."""

BYTES_SLACK = 1.25
"""The same for bytes, which cost more: every peer decrypts, encrypts and forwards each of them."""

ORIGIN_BYTES_PER_SECOND = BYTES_SLACK * outbox.BYTES_PER_SECOND
ORIGIN_BYTES_BURST = outbox.BYTES_BURST + MAX_FRAME

FORWARD_BYTES_PER_SECOND = 64 * 1024
FORWARD_BYTES_BURST = 256 * 1024
"""Bytes of one origin that are forwarded. Neighbours mostly receive them from others too: where all
peers are neighbours, every peer sends a copy to every other. What exceeds this reaches peers that
are not neighbours of the origin by anti-entropy."""

NEW_ORIGINS_PER_SECOND = 4.0
NEW_ORIGINS_BURST = 256.0
"""New origins that one neighbour may introduce: a large swarm at once, then a few."""

MAX_ORIGINS = 4_096
"""Origins remembered. The one silent for longest is forgotten, and counts as new if it returns."""

FRAMES_PER_SECOND = 400.0
FRAMES_BURST = 4_000.0
"""Frames of one neighbour: ten times what a whole swarm sends at its limit."""

BYTES_PER_SECOND = 4 * 1024 * 1024
BYTES_BURST = 32 * 1024 * 1024
"""Bytes of one neighbour's frames."""

FORGIVEN = 8
"""Malformed or forged records that an origin is forgiven: a later version may contain mistakes."""

DIGESTS_PER_SECOND = 2.0
DIGESTS_BURST = 6.0
"""Digests of one origin that are compared. An honest origin sends at most one in half a second
(`trickle`). A larger burst, as after a process stood still, would help those who send fake ones."""

MUTED_MS = 300_000
"""Milliseconds for which an origin that sent more than `FORGIVEN` bad records is ignored."""


PAUSE_MOST_MS = 2_000
"""Milliseconds for which a neighbour that publishes too much is left unread, at most. Connections
count as silent only after several times that."""


class _Origin:
    __slots__ = ("bytes", "digests", "faults", "forwards", "messages", "muted_until")

    def __init__(self) -> None:
        self.messages = TokenBucket(
            SLACK * outbox.MESSAGES_PER_SECOND, SLACK * outbox.MESSAGE_BURST
        )
        self.bytes = TokenBucket(ORIGIN_BYTES_PER_SECOND, ORIGIN_BYTES_BURST)
        self.forwards = TokenBucket(FORWARD_BYTES_PER_SECOND, FORWARD_BYTES_BURST)
        self.digests = TokenBucket(DIGESTS_PER_SECOND, DIGESTS_BURST)
        self.faults = 0
        self.muted_until = 0


class Admission:
    """Decides which of the messages that arrive are processed and relayed."""

    def __init__(self) -> None:
        self._origins: BoundedDict[bytes, _Origin] = BoundedDict(MAX_ORIGINS)
        self._newcomers: BoundedDict[str, TokenBucket] = BoundedDict(MAX_ORIGINS)

    def admit(self, neighbour: str, origin: bytes, size: int, now_ms: int) -> bool:
        """Return whether to process and relay a message with a valid signature, and charge for it.

        Args:
            neighbour: the peer that it came from.
            origin: the peer that signed it.
            size: its bytes.
            now_ms: the time.
        """
        if origin not in self._origins and not self._may_introduce(neighbour, now_ms):
            return False
        known = self._origins.use(origin, _Origin)
        if self.is_over(origin, size, now_ms):
            return False
        known.messages.take(now_ms)
        known.bytes.take(now_ms, size)
        return True

    def knows(self, origin: bytes) -> bool:
        """Return whether an origin has been heard from lately."""
        return origin in self._origins

    def is_over(self, origin: bytes, size: int, now_ms: int) -> bool:
        """Return whether an origin's message would be refused, before its signature is checked.

        A peer that only pretends to be this origin is refused as well, and uses up none of its
        share.
        """
        return self.pause(origin, size, now_ms) > 0

    def pause(self, origin: bytes, size: int, now_ms: int) -> int:
        """Return in how many ms an origin may publish so many bytes, at most `PAUSE_MOST_MS`."""
        known = self._origins.get(origin)
        if known is None:
            return 0
        wait = max(
            known.muted_until - now_ms,
            known.messages.wait(now_ms),
            known.bytes.wait(now_ms, size),
            0,
        )
        return min(wait, PAUSE_MOST_MS)

    def may_forward(self, origin: bytes, size: int, now_ms: int) -> bool:
        """Return whether to forward an admitted message, and charge its origin for it."""
        known = self._origins.get(origin)
        if known is None or known.forwards.wait(now_ms, size):
            return False
        known.forwards.take(now_ms, size)
        return True

    def may_compare(self, origin: bytes, now_ms: int) -> bool:
        """Return whether to compare an origin's digest with what we hold, and charge for it."""
        known = self._origins.get(origin)
        if known is None or known.digests.wait(now_ms):
            return False
        known.digests.take(now_ms)
        return True

    def report_fault(self, origin: bytes, now_ms: int) -> bool:
        """Count a record that no honest peer keeps; return whether its origin is muted now."""
        known = self._origins.get(origin)
        if known is None:
            return False
        known.faults += 1
        if known.faults <= FORGIVEN:
            return False
        known.faults, known.muted_until = 0, now_ms + MUTED_MS
        return True

    def _may_introduce(self, neighbour: str, now_ms: int) -> bool:
        bucket = self._newcomers.use(
            neighbour, lambda: TokenBucket(NEW_ORIGINS_PER_SECOND, NEW_ORIGINS_BURST)
        )
        if bucket.wait(now_ms):
            return False
        bucket.take(now_ms)
        return True


class ReadingPace:
    """Decides how fast one neighbour's stream is read."""

    def __init__(self) -> None:
        self._frames = TokenBucket(FRAMES_PER_SECOND, FRAMES_BURST)
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_BURST)

    def pause(self, size: int, now_ms: int, messages: int = 1) -> int:
        """Return the milliseconds to wait before reading the next frame, after one of this size.

        A frame with several messages counts as that many frames.
        """
        self._frames.take(now_ms, max(1, messages))
        self._bytes.take(now_ms, size)
        return max(self._frames.wait(now_ms), self._bytes.wait(now_ms))
