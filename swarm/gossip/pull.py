"""Noticing that this peer lacks records, and doing something about it in good time.

Digests of others show what is missing here. Most of it is on its way or about to be repaired, so a
lack must last before it is acted on, and each time that did not help the next one waits longer.
Two things use it: a peer that may ask opens a sync stream; a peer that only listens announces its
subscription again (control messages, not publications), and speakers then serve it like a new
subscriber.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass

from swarm.gossip.comparison import Comparison, LocalView
from swarm.gossip.frames import GoalDigest

MAX_LACKS = 256
"""Goals watched at once."""


FORGET_MS = 150_000
"""Milliseconds after which a lack that no digest has shown again is forgotten. A goal is in digests
for two minutes after its last change; an older claim came from a peer that was itself behind, and
of a bucket that differs by several records nobody can tell who lacks them."""


@dataclass(frozen=True, slots=True)
class PullTiming:
    """How long to wait.

    Attributes:
        lasting: milliseconds a lack must last before anything is done.
        first: milliseconds between the first two attempts.
        most: milliseconds between attempts at most; they double while nothing comes.
    """

    lasting: int
    first: int
    most: int


SYNC_TIMING = PullTiming(lasting=700, first=2_000, most=120_000)
"""Asking costs a neighbour some 20 ms of work, and repairs come by themselves within a second."""

ANNOUNCE_TIMING = PullTiming(lasting=2_000, first=4_000, most=300_000)
"""An announcement makes every neighbour ready to publish all it has."""


class Pull:
    """Watches what this peer lacks.

    Args:
        view: what it holds, ready to compare.
        patience: how long to wait.
    """

    def __init__(self, view: LocalView, patience: PullTiming) -> None:
        self._view = view
        self._patience = patience
        self._lacks: dict[bytes, tuple[int, int, GoalDigest]] = {}
        self._acted_at: int | None = None
        self._pause = patience.first

    def arrived(self) -> None:
        """A record came: attempts are worth making again."""
        self._pause = self._patience.first

    def compared(self, theirs: GoalDigest, result: Comparison, now: int) -> None:
        """Note how one goal of somebody's digest compares with ours."""
        if result.we_lack:
            since, _, _ = self._lacks.get(theirs.goal, (now, now, theirs))
            if theirs.goal in self._lacks or len(self._lacks) < MAX_LACKS:
                self._lacks[theirs.goal] = (since, now, theirs)
        elif result.same:
            self._lacks.pop(theirs.goal, None)

    def due(self) -> int | None:
        """When to call `poll` next, or None while nothing is lacking."""
        if not self._lacks:
            return None
        at = min(since for since, _, _ in self._lacks.values()) + self._patience.lasting
        return at if self._acted_at is None else max(at, self._acted_at + self._pause)

    def poll(self, now: int) -> bool:
        """Whether to act now."""
        due = self.due()
        if due is None or due > now:
            return False
        for goal, (_, heard, theirs) in list(self._lacks.items()):
            forgotten = now - heard > FORGET_MS
            if forgotten or not self._view.compare(theirs, heard).we_lack:
                del self._lacks[goal]
        due = self.due()
        if due is None:
            self._acted_at, self._pause = None, self._patience.first
        if due is None or due > now:
            return False
        if self._acted_at is not None:
            self._pause = min(2 * self._pause, self._patience.most)
        self._acted_at = now
        return True
