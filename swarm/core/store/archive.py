"""The goals that have ended: counted apart, packed when nobody looks at them, forgotten in the end.

Most of what a peer holds is history. It must take no room from goals that live, little memory
(`sealed_goal`), and go first when room is short. A record that comes late brings its goal back to
life, at least until the next sweep looks (`sweep_queue`).

The store and its archive keep to this:

- Every goal in the store either lives or is in the archive, never both.
- Only a goal whose own record is held is in the archive: nobody can tell when another one ends.
- Only a log in the archive is packed, and one that is not packed has a time to be. Reading a log's
  records or its plan unpacks it, so whoever is about to read calls `touch` first, and whoever adds
  a record or judges records again calls `take` first.
- A goal never takes room both among those that live and among those that have ended. One that lives
  again takes none, until grants change. A foreign goal keeps its place among foreign goals, which
  have room of their own, ended or not.
- A goal counts for its author (`known_askers`) only while it is in the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from swarm.core.policy import MINUTE
from swarm.core.records import Record
from swarm.core.store.fair_share import FairShare
from swarm.core.store.goal_log import GoalLog
from swarm.core.store.known_askers import KnownAskers
from swarm.core.store.limits import Limits
from swarm.core.store.sealed_goal import EndedGoal

SEAL_AFTER_MS = 3 * MINUTE
"""How long after its end, or after somebody looked at it, an ended goal is packed."""

MOST_UNSEALED = 64
"""Ended goals that are kept unpacked at most."""


class _Entry(NamedTuple):
    """A goal in the archive."""

    goal: Record
    log: GoalLog
    ended_ms: int


class Archive:
    """The logs of the goals that have ended, and when each ended."""

    def __init__(
        self,
        limits: Limits,
        askers: KnownAskers,
        on_sealed: Callable[[bytes], None] | None = None,
    ) -> None:
        """Start empty.

        Args:
            limits: how many goals it keeps, and for how long.
            askers: told which goals were done for their authors, as long as they are kept here.
            on_sealed: called with the id of each goal whose records were just packed.
        """
        self._limits = limits
        self._askers = askers
        self._on_sealed = on_sealed
        self._entries: dict[bytes, _Entry] = {}
        self._share = FairShare(limits.ended_goals, limits.ended_goals, first_goes=True)
        self._seal_ms: dict[bytes, int] = {}
        """When to pack each goal that is not packed: the one looked at longest ago comes first."""

    def __contains__(self, goal_id: object) -> bool:
        return goal_id in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the ids of all goals."""
        return iter(self._entries)

    def put(self, log: GoalLog, ended_ms: int, now_ms: int, *, foreign: bool) -> bytes | None:
        """Add a goal that has ended; return the id of the goal that has to go, maybe its own.

        The caller takes that goal out when it forgets it.

        Args:
            log: its records, its own among them.
            ended_ms: when it ended.
            now_ms: the time, in ms.
            foreign: whether its author has no grant; it then takes no room here.
        """
        goal = log.goal
        assert goal is not None
        self._entries[goal.id] = _Entry(goal, log, ended_ms)
        if log.folded is not None:
            self._askers.ended(log.folded)
        # One that ended long ago is packed at once; its stamp may also be ahead of this clock.
        self._seal_at(goal.id, max(now_ms, min(ended_ms, now_ms) + SEAL_AFTER_MS))
        return None if foreign else self._share.put(goal.author, goal.key, goal.id)

    def take(self, goal_id: bytes) -> bool:
        """Take a goal out, as it is forgotten or lives again; return whether it was here.

        Its records stay packed until somebody reads them.
        """
        entry = self._entries.pop(goal_id, None)
        if entry is None:
            return False
        self._seal_ms.pop(goal_id, None)
        self._askers.gone(goal_id)
        self._share.take(entry.goal.author, entry.goal.key, goal_id)
        return True

    def touch(self, goal_id: bytes, now_ms: int) -> None:
        """Keep a goal unpacked for a while, as somebody looks at it; nothing if it is not here."""
        if goal_id in self._entries:
            self._seal_at(goal_id, now_ms + SEAL_AFTER_MS)

    def seal_due(self, now_ms: int) -> None:
        """Pack the goals that nobody looked at for a while."""
        for goal_id, seal_ms in list(self._seal_ms.items()):
            if seal_ms <= now_ms:
                self._seal(goal_id)

    def packed(self, goal_id: bytes) -> EndedGoal | None:
        """Return a goal as it is packed; None: it is not packed, or not here."""
        entry = self._entries.get(goal_id)
        if entry is None or entry.log.packed is None:
            return None
        done = self._askers.counts(goal_id)
        return EndedGoal(entry.goal, entry.ended_ms, done, entry.log.packed)

    def too_old(self, now_ms: int) -> list[bytes]:
        """Return the goals that have been kept for as long as the limits say."""
        oldest_ms = now_ms - self._limits.retention_ms
        return [goal_id for goal_id, entry in self._entries.items() if entry.ended_ms < oldest_ms]

    def first_ended(self) -> bytes | None:
        """Return the goal that ended first; None: there is none."""
        return min(self._entries, key=lambda id_: (self._entries[id_].ended_ms, id_), default=None)

    def _seal_at(self, goal_id: bytes, seal_ms: int) -> None:
        self._seal_ms.pop(goal_id, None)
        self._seal_ms[goal_id] = seal_ms
        if len(self._seal_ms) > MOST_UNSEALED:
            self._seal(next(iter(self._seal_ms)))

    def _seal(self, goal_id: bytes) -> None:
        del self._seal_ms[goal_id]
        if self._entries[goal_id].log.seal() and self._on_sealed is not None:
            self._on_sealed(goal_id)
