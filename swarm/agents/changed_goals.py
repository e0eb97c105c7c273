"""Which live goals an agent has to look at again: those that changed or whose time has come.

A look at every goal for every record that arrives would let a stranger with a thousand goals take
most of a peer's time. What an agent finds in a goal depends on the goal's plan, on the time, on who
is here and on the agent's own calls; so only a change of those makes it look again.
"""

from __future__ import annotations

from collections.abc import Iterator

from swarm.agents.base import View
from swarm.core.fold.plan import Plan
from swarm.core.store.store import Store
from swarm.core.timers import Timers


class ChangedGoals:
    """The goals that one agent has to look at."""

    def __init__(self) -> None:
        """Start with all goals."""
        self._store: Store | None = None
        self._changed: dict[bytes, None] = {}
        self._timers = Timers()
        self._seen: int | None = None
        """The version of the presences when all goals were last looked at."""

    def take(self, view: View) -> Iterator[tuple[bytes, Plan | None]]:
        """Yield the goals to look at, each with its plan, the oldest first; None: it has ended.

        A goal whose look raises an error is looked at again.
        """
        store = view.store
        if store is not self._store:
            self._store, self._changed, self._seen = store, store.watch(), None
        if store.presence_version != self._seen:
            # Who is here may matter in every goal.
            self._changed |= dict.fromkeys(plan.id for plan in store.live_plans())
            self._seen = store.presence_version
        self._changed |= dict.fromkeys(self._timers.pop_due(view.now_ms))
        goals = {goal_id: store.live_plan(goal_id) for goal_id in self._changed}
        gone = [goal_id for goal_id, plan in goals.items() if plan is None]
        live = sorted((p for p in goals.values() if p is not None), key=lambda p: p.goal.key)
        for goal_id in (*gone, *(plan.id for plan in live)):
            self._timers.set(goal_id, None)
            yield goal_id, goals[goal_id]
            self._changed.pop(goal_id, None)

    def look_again(self, goal_id: bytes) -> None:
        """Look at a goal again next time; not to be called while goals are taken."""
        self._changed[goal_id] = None

    def look_at_all(self) -> None:
        """Look at all goals again next time."""
        self._seen = None

    def wake_at(self, goal_id: bytes, at_ms: int) -> None:
        """Look at a goal again at this time, in ms, unless it is to be looked at earlier."""
        before = self._timers.get(goal_id)
        self._timers.set(goal_id, at_ms if before is None else min(before, at_ms))

    def next_ms(self) -> int | None:
        """Return when a goal has to be looked at again although nothing changed, in ms."""
        return self._timers.next_ms()
