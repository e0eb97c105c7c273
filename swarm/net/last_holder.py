"""Noticing that this listener may be the only one who holds something, and handing it on.

A peer that only listens never repeats anything on the topic. Yet what it heard may be what nobody
else has: its author was killed when the frame had reached the listener alone. Digests of others say
what they hold, so a listener knows which of its goals somebody who speaks holds just as well. What
nobody has confirmed for a while it hands to a neighbour over a sync stream, which publishes
nothing; the neighbour then sees to the rest. In ordinary times a digest confirms everything within
seconds and no stream is opened.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

from swarm.net.compare import IN_FLIGHT_MS, Comparison
from swarm.net.frames import GoalDigest
from swarm.net.records import RecordSet

LOOK_MS = 2_000
"""Milliseconds between looks at what changed and is not confirmed yet."""

MAX_CHANGES = 8
"""Unconfirmed changes of a goal told apart; later ones count as one."""

LASTING_MS = 10_000
"""Milliseconds for which nobody must have confirmed a goal. A speaker's digest follows a change
within 2 s, within 8 s of a burst or on a busy machine."""

PAUSE_FIRST_MS = 10_000
PAUSE_MOST_MS = 120_000
"""Milliseconds between two attempts: doubling between these while nothing new comes. An attempt
that finds nothing to hand on costs a neighbour some 20 ms."""


class LastHolder:
    """Watches which goals of a listener somebody who speaks holds as well.

    Args:
        records: what the listener holds.
        now: the time it begins; what it holds then is unconfirmed.
    """

    def __init__(self, records: RecordSet, now: int) -> None:
        self._records = records
        self._noted: dict[bytes, tuple[int, bytes]] = {}
        self._changes: dict[bytes, list[int]] = {}
        """When changes that nobody has confirmed were noted, by goal, oldest first."""
        self._look_at: int | None = now + LOOK_MS if records.goals() else None
        self._acted_at: int | None = None
        self._pause = PAUSE_FIRST_MS
        self._overheard = False

    def arrived(self, now: int, *, overheard: bool) -> None:
        """A record is new here; on the topic, or from a neighbour who thus holds it."""
        self._overheard = self._overheard or overheard
        self._pause = PAUSE_FIRST_MS
        self._look_soon(now)

    def compared(self, theirs: GoalDigest, result: Comparison, now: int) -> None:
        """Somebody who speaks said what it holds of a goal, which may be more than we hold.

        The latest word counts: who confirmed a goal may have lost it since.
        """
        summary = self._records.summary(theirs.goal)
        if summary == (theirs.count, theirs.xor):
            self._noted[theirs.goal] = summary
            self._changes.pop(theirs.goal, None)
        elif result.they_lack:
            if result.certain:
                self._changes.setdefault(theirs.goal, [now])
                self._look_soon(now)
        elif not result.flux:
            # What came later may be explained as being on its way to them.
            self._confirm(theirs.goal, now - IN_FLIGHT_MS)

    def handed_on(self) -> None:
        """A neighbour has just exchanged everything with us over a stream."""
        if self._acted_at is None:
            return
        for goal in list(self._changes):
            self._confirm(goal, self._acted_at)
        if not self._overheard:
            # What the neighbour gave us it holds.
            self._noted = {goal: self._records.summary(goal) for goal in self._records.goals()}

    def due(self) -> int | None:
        """When to call `poll` next, or None while all is confirmed."""
        return self._look_at

    def poll(self, now: int) -> bool:
        """Whether to hand on now."""
        if self._look_at is None or self._look_at > now:
            return False
        self._note_changes(now)
        if not self._changes:
            self._look_at, self._acted_at, self._pause = None, None, PAUSE_FIRST_MS
            return False
        self._look_at = now + LOOK_MS
        if now - min(changes[0] for changes in self._changes.values()) < LASTING_MS:
            return False
        if self._acted_at is not None:
            if now - self._acted_at < self._pause:
                return False
            self._pause = min(2 * self._pause, PAUSE_MOST_MS)
        self._acted_at = now
        self._overheard = False
        return True

    def _look_soon(self, now: int) -> None:
        if self._look_at is None:
            self._look_at = now + LOOK_MS

    def _note_changes(self, now: int) -> None:
        current = {goal: self._records.summary(goal) for goal in self._records.goals()}
        self._changes = {g: c for g, c in self._changes.items() if g in current}
        for goal, summary in current.items():
            if self._noted.get(goal) != summary:
                changes = self._changes.setdefault(goal, [])
                if len(changes) == MAX_CHANGES:
                    changes.pop()
                changes.append(now)
        self._noted = current

    def _confirm(self, goal: bytes, until: int) -> None:
        later = [at for at in self._changes.get(goal, ()) if at > until]
        if later:
            self._changes[goal] = later
        else:
            self._changes.pop(goal, None)
