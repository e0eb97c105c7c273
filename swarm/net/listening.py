"""How a peer that never publishes still gets what it lacks.

A listener cannot answer a digest. When digests show for a while that it lacks records, it announces
its subscription again (control messages, not publications), and speakers then treat it as a new
subscriber and publish what they hold. It waits longer each time nothing comes of it.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from swarm.net.compare import Comparison, View
from swarm.net.frames import GoalDigest

PATIENCE_MS = 2_000
"""Milliseconds a lack must last: most are records still on their way, or repairs for others."""

AGAIN_FIRST_MS = 4_000
AGAIN_MOST_MS = 300_000
"""Milliseconds between announcements, doubling between these while nothing helps."""

MAX_LACKS = 256
"""Goals watched at once."""


class Listening:
    """Watches what this peer lacks.

    Args:
        view: what it holds, ready to compare.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._lacks: dict[bytes, tuple[int, GoalDigest]] = {}
        self._announced_at: int | None = None
        self._pause = AGAIN_FIRST_MS

    def compared(self, theirs: GoalDigest, result: Comparison, now: int) -> None:
        """Note how one goal of somebody's digest compares with ours."""
        if not result.we_lack:
            if result.same:
                self._lacks.pop(theirs.goal, None)
            return
        since, _ = self._lacks.get(theirs.goal, (now, theirs))
        if theirs.goal in self._lacks or len(self._lacks) < MAX_LACKS:
            self._lacks[theirs.goal] = (since, theirs)

    def due(self) -> int | None:
        """When to call `poll` next, or None while nothing is lacking."""
        if not self._lacks:
            return None
        at = min(since for since, _ in self._lacks.values()) + PATIENCE_MS
        return at if self._announced_at is None else max(at, self._announced_at + self._pause)

    def poll(self, now: int) -> bool:
        """Whether to announce the subscription again now."""
        due = self.due()
        if due is None or due > now:
            return False
        for goal, (_, theirs) in list(self._lacks.items()):
            if not self._view.compare(theirs, now).we_lack:
                del self._lacks[goal]
        if not self._lacks:
            self._announced_at, self._pause = None, AGAIN_FIRST_MS
            return False
        if min(since for since, _ in self._lacks.values()) + PATIENCE_MS > now:
            return False
        if self._announced_at is not None:
            self._pause = min(2 * self._pause, AGAIN_MOST_MS)
        self._announced_at = now
        return True
