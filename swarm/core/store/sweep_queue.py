"""Which of the goals that live may have ended, and when one has.

A goal ends by a record or by time. Looking means folding, and a flood brings many records, so a
store looks at all such goals together: as time passes, and when room is short.
"""

from __future__ import annotations

from collections.abc import Collection

from swarm.core.fold.plan import Plan
from swarm.core.records import Goal, Record

SWEEP_MS = 1_000
SWEEP_GOALS = 100
"""When room is short, a sweep is worth while so many ms after the last one, or after so many goals
that came."""


class SweepQueue:
    """The goals that the next sweep looks at, each once."""

    def __init__(self) -> None:
        """Start empty; a sweep is worth while at any time."""
        self._waiting: dict[bytes, None] = {}
        self._swept_ms = -SWEEP_MS
        self._opened = 0

    def add(self, goal_id: bytes) -> None:
        """Note that a goal may have ended: it changed, or its own time came."""
        self._waiting[goal_id] = None

    def opened(self) -> None:
        """Note that a goal came."""
        self._opened += 1

    def worthwhile(self, now_ms: int) -> bool:
        """Return whether some of those that seem to live may well have ended since the last sweep.

        Args:
            now_ms: the time, in ms.
        """
        return now_ms - self._swept_ms >= SWEEP_MS or self._opened >= SWEEP_GOALS

    def take(self, now_ms: int) -> Collection[bytes]:
        """Begin a sweep: remove all goals and return them. Some may be gone or have ended before.

        Args:
            now_ms: the time, in ms.
        """
        self._swept_ms, self._opened = now_ms, 0
        taken, self._waiting = self._waiting, {}
        return taken


def end_ms(goal: Record, plan: Plan | None, now_ms: int) -> int | None:
    """Return when a goal ended, in ms; None while it lives.

    Args:
        goal: its own record.
        plan: its plan as of `now_ms`; None: it is not ours to judge, or its fold failed. It is then
            over when its time is.
        now_ms: the time, in ms.
    """
    if plan is None:
        ends_ms = deadline_ms(goal)
        return ends_ms if ends_ms <= now_ms else None
    if not plan.final:
        return None
    return plan.root.settled.ms if plan.root.settled else plan.cutoff.ms


def end_by_time_ms(goal: Record, now_ms: int) -> int | None:
    """Return when a goal ended, in ms, if time ends it without any other record; None: it may live.

    A goal whose other records are not here yet may have ended earlier.
    """
    ends_ms = deadline_ms(goal)
    if ends_ms <= now_ms:
        return ends_ms
    plan = Plan(goal)
    plan.advance(now_ms)
    return end_ms(goal, plan, now_ms)


def deadline_ms(goal: Record) -> int:
    """Return when a goal ends at the latest, in ms."""
    assert isinstance(goal.body, Goal)
    return goal.stamp.ms + goal.body.policy.deadline_ms
