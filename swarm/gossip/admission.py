"""How much of what comes in is looked at: a share for each neighbour and each origin.

A *neighbour* is whoever a frame came from, an *origin* whoever published and signed the message in
it. Honest peers pace themselves (`outbox`), so whoever says several times what they ever would is
dropped here before it is relayed or looked into; what an honest one loses that way, anti-entropy
brings again. A neighbour that sends faster than anybody relays is read more slowly.

Nobody relays a record that is malformed or forged: an origin that sends more than a few of those
is not listened to for a while.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from swarm.core.bounded import BoundedDict
from swarm.gossip.frames import MAX_FRAME
from swarm.gossip.outbox import (
    BYTES_BURST as BYTES_BURST_SAID,
)
from swarm.gossip.outbox import (
    BYTES_PER_SECOND as BYTES_PER_SECOND_SAID,
)
from swarm.gossip.outbox import (
    MESSAGE_BURST,
    MESSAGES_PER_SECOND,
)
from swarm.gossip.token_bucket import TokenBucket

SLACK = 2
"""How many times an honest peer's pace an origin may keep, for clocks and queues between us."""

BYTES_SLACK = 1.25
"""The same for bytes, which cost more: each is decrypted, encrypted and sent on by everybody."""

ORIGIN_BYTES_PER_SECOND = BYTES_SLACK * BYTES_PER_SECOND_SAID
ORIGIN_BYTES_BURST = BYTES_BURST_SAID + MAX_FRAME

FORWARD_BYTES_PER_SECOND = 64 * 1024
FORWARD_BYTES_BURST = 256 * 1024
"""Bytes of one origin that are sent on to neighbours, who mostly hear them from others too: in a
swarm where all are neighbours each copy is sent by everybody to everybody. What goes beyond that
reaches those who are no neighbours of its origin by anti-entropy."""

NEW_ORIGINS_PER_SECOND = 4.0
NEW_ORIGINS_BURST = 256.0
"""Origins never heard before that one neighbour may bring: a large swarm at once, then a few."""

MAX_ORIGINS = 4_096
"""Origins remembered; the one silent for longest is forgotten and counts as new again."""

FRAMES_PER_SECOND = 400.0
FRAMES_BURST = 4_000.0
"""Frames of one neighbour: what a whole swarm says at its limit, ten times over."""

BYTES_PER_SECOND = 4 * 1024 * 1024
BYTES_BURST = 32 * 1024 * 1024
"""Bytes of one neighbour's frames."""

FORGIVEN = 8
"""Records of an origin that may be malformed or forged: a version from the future may err."""

DIGESTS_PER_SECOND = 2.0
DIGESTS_BURST = 6.0
"""Digests of one origin that are compared: between two of an honest one half a second passes at
least (`trickle`). More at once, as after a process stood still, would serve those who sham them."""

MUTED_MS = 300_000
"""For how long an origin beyond that is not listened to."""


PAUSE_MOST_MS = 2_000
"""The longest a neighbour is left unread for saying too much itself: links are taken for silent
after several times that."""


class _Origin:
    __slots__ = ("bytes", "digests", "faults", "forwards", "messages", "muted_until")

    def __init__(self) -> None:
        self.messages = TokenBucket(SLACK * MESSAGES_PER_SECOND, SLACK * MESSAGE_BURST)
        self.bytes = TokenBucket(ORIGIN_BYTES_PER_SECOND, ORIGIN_BYTES_BURST)
        self.forwards = TokenBucket(FORWARD_BYTES_PER_SECOND, FORWARD_BYTES_BURST)
        self.digests = TokenBucket(DIGESTS_PER_SECOND, DIGESTS_BURST)
        self.faults = 0
        self.muted_until = 0


class Admission:
    """What of the messages that arrive is taken further."""

    def __init__(self) -> None:
        self._origins: BoundedDict[bytes, _Origin] = BoundedDict(MAX_ORIGINS)
        self._newcomers: BoundedDict[str, TokenBucket] = BoundedDict(MAX_ORIGINS)

    def admit(self, neighbour: str, origin: bytes, size: int, now: int) -> bool:
        """Whether to relay and look into a message whose signature is good.

        Args:
            neighbour: who it came from.
            origin: who signed it.
            size: its bytes.
            now: the time.
        """
        if origin not in self._origins and not self._may_introduce(neighbour, now):
            return False
        known = self._origins.use(origin, _Origin)
        if self.is_over(origin, size, now):
            return False
        known.messages.take(now)
        known.bytes.take(now, size)
        return True

    def knows(self, origin: bytes) -> bool:
        """Whether an origin has said something lately."""
        return origin in self._origins

    def is_over(self, origin: bytes, size: int, now: int) -> bool:
        """Whether a message would be refused whoever brings it, before its signature is looked at.

        Who only pretends to be this origin takes nothing of its share, and is refused as well.
        """
        return self.pause(origin, size, now) > 0

    def pause(self, origin: bytes, size: int, now: int) -> int:
        """How long until an origin may say so many bytes, in ms; at most `PAUSE_MOST_MS`."""
        known = self._origins.get(origin)
        if known is None:
            return 0
        wait = max(
            known.muted_until - now, known.messages.wait(now), known.bytes.wait(now, size), 0
        )
        return min(wait, PAUSE_MOST_MS)

    def may_forward(self, origin: bytes, size: int, now: int) -> bool:
        """Whether to send a message that was admitted on to neighbours; takes from what it may."""
        known = self._origins.get(origin)
        if known is None or known.forwards.wait(now, size):
            return False
        known.forwards.take(now, size)
        return True

    def may_compare(self, origin: bytes, now: int) -> bool:
        """Whether to compare a digest of an origin with what we hold; takes from what it may."""
        known = self._origins.get(origin)
        if known is None or known.digests.wait(now):
            return False
        known.digests.take(now)
        return True

    def report_fault(self, origin: bytes, now: int) -> bool:
        """Note that an origin sent what no honest peer keeps; return whether it is now muted."""
        known = self._origins.get(origin)
        if known is None:
            return False
        known.faults += 1
        if known.faults <= FORGIVEN:
            return False
        known.faults, known.muted_until = 0, now + MUTED_MS
        return True

    def _may_introduce(self, neighbour: str, now: int) -> bool:
        bucket = self._newcomers.use(
            neighbour, lambda: TokenBucket(NEW_ORIGINS_PER_SECOND, NEW_ORIGINS_BURST)
        )
        if bucket.wait(now):
            return False
        bucket.take(now)
        return True


class ReadingPace:
    """How fast one neighbour's stream is read."""

    def __init__(self) -> None:
        self._frames = TokenBucket(FRAMES_PER_SECOND, FRAMES_BURST)
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_BURST)

    def pause(self, size: int, now: int, messages: int = 1) -> int:
        """Milliseconds to wait before the next frame is read, after one of so many bytes.

        A frame with several messages in it counts as as many.
        """
        self._frames.take(now, max(1, messages))
        self._bytes.take(now, size)
        return max(self._frames.wait(now), self._bytes.wait(now))
