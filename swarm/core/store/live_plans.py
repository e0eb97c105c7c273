"""The plans that have not ended: listed without a look at those that have not changed.

A stranger may have a thousand live goals, and every record that arrives lets a peer look at its
plans. So a plan is folded and listed again only after a record came for its goal, or when its own
time has come.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

from swarm.core.fold.plan import Plan
from swarm.core.records import SortKey
from swarm.core.timers import Timers


class LivePlans:
    """Live plans in the order of their goals, and when each may next change."""

    def __init__(self, fold: Callable[[bytes], tuple[Plan | None, int | None]]) -> None:
        """Start empty.

        Args:
            fold: returns the plan of a goal if it lives, and when the goal has to be looked at
                again even if no record comes, in ms.
        """
        self._fold = fold
        self._changed: dict[bytes, None] = {}
        self._plans: dict[bytes, Plan] = {}
        self._order: list[tuple[SortKey, bytes]] = []
        self._timers = Timers()

    def change(self, goal_id: bytes) -> None:
        """Note that a goal may have changed, or is gone."""
        self._changed[goal_id] = None

    def due(self, now_ms: int) -> list[bytes]:
        """Return the goals whose own time has come, and note them as changed."""
        self._list()
        due = self._timers.pop_due(now_ms)
        self._changed |= dict.fromkeys(due)
        return due

    def next_change_ms(self) -> int | None:
        """Return when a goal may next change without new records, in ms; None: never."""
        self._list()
        return self._timers.next_ms()

    def get(self, goal_id: bytes) -> Plan | None:
        """Return the plan of a goal that lives."""
        self._list()
        return self._plans.get(goal_id)

    def all(self) -> list[Plan]:
        """Return the plans, the oldest goal first."""
        self._list()
        return [self._plans[goal_id] for _, goal_id in self._order]

    def _list(self) -> None:
        while self._changed:
            goal_id = next(iter(self._changed))
            plan, again_ms = self._fold(goal_id)
            del self._changed[goal_id]
            self._timers.set(goal_id, again_ms)
            old = self._plans.pop(goal_id, None)
            if old is not None and plan is None:
                entry = (old.goal.key, goal_id)
                del self._order[bisect_left(self._order, entry)]
            if plan is not None:
                self._plans[goal_id] = plan
                if old is None:
                    insort(self._order, (plan.goal.key, goal_id))
