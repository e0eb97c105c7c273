"""Pull: notice that this peer lacks records, and decide when to get them.

Digests of other peers show what is missing here. Most of it is on its way or about to be repaired.
So a peer acts only when records have been missing for a while, and waits longer after each attempt
that did not help. There are two ways to act. A peer that may ask opens a sync stream. A peer that
only listens announces its subscription again (with control messages; it publishes nothing), and
speakers then serve it like a new subscriber.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass

from swarm.gossip.comparison import Comparison, LocalView
from swarm.gossip.frames import GoalDigest

MAX_MISSING = 256
"""Goals watched at once."""

FORGET_MS = 150_000
"""Milliseconds after which missing records that no digest has shown again are forgotten. A goal
stays in digests for two minutes after its last change. An older digest came from a peer that was
itself behind, and where a bucket differs by several records, nobody can tell who lacks them."""


@dataclass(frozen=True, slots=True)
class PullTiming:
    """How long to wait, in milliseconds.

    Attributes:
        lasting_ms: how long records must be missing before the first attempt.
        first_ms: between the first two attempts.
        most_ms: between two attempts at most; the wait doubles while nothing arrives.
    """

    lasting_ms: int
    first_ms: int
    most_ms: int


SYNC_TIMING = PullTiming(lasting_ms=700, first_ms=2_000, most_ms=120_000)
"""For sync streams: one costs a neighbour 20 ms of work, and most repairs come within a second."""

ANNOUNCE_TIMING = PullTiming(lasting_ms=2_000, first_ms=4_000, most_ms=300_000)
"""For announcements, each of which makes every neighbour prepare to publish all it has."""


class Pull:
    """Watches which records this peer lacks.

    Args:
        view: what it holds, ready to compare.
        timing: how long to wait.
    """

    def __init__(self, view: LocalView, timing: PullTiming) -> None:
        self._view = view
        self._timing = timing
        self._missing: dict[bytes, tuple[int, int, GoalDigest]] = {}
        """For each goal, when records of it were first and last missing, and the last digest."""
        self._acted_ms: int | None = None
        self._pause_ms = timing.first_ms

    def arrived(self) -> None:
        """Wait less again, because a record arrived."""
        self._pause_ms = self._timing.first_ms

    def compared(self, theirs: GoalDigest, result: Comparison, now_ms: int) -> None:
        """Note how one goal of a peer's digest compares with ours."""
        if result.we_lack:
            since, _, _ = self._missing.get(theirs.goal, (now_ms, now_ms, theirs))
            if theirs.goal in self._missing or len(self._missing) < MAX_MISSING:
                self._missing[theirs.goal] = (since, now_ms, theirs)
        elif result.same:
            self._missing.pop(theirs.goal, None)

    def due(self) -> int | None:
        """Return when to call `poll` next, or None while nothing is missing."""
        if not self._missing:
            return None
        at = min(since for since, _, _ in self._missing.values()) + self._timing.lasting_ms
        return at if self._acted_ms is None else max(at, self._acted_ms + self._pause_ms)

    def poll(self, now_ms: int) -> bool:
        """Return whether to act now."""
        due = self.due()
        if due is None or due > now_ms:
            return False
        for goal, (_, heard, theirs) in list(self._missing.items()):
            forgotten = now_ms - heard > FORGET_MS
            if forgotten or not self._view.compare(theirs, heard).we_lack:
                del self._missing[goal]
        due = self.due()
        if due is None:
            self._acted_ms, self._pause_ms = None, self._timing.first_ms
        if due is None or due > now_ms:
            return False
        if self._acted_ms is not None:
            self._pause_ms = min(2 * self._pause_ms, self._timing.most_ms)
        self._acted_ms = now_ms
        return True
