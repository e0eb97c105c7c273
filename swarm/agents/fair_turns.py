"""In which order agents serve the goals of different authors: in turns, so that none can crowd out.

Anyone may submit goals in an open swarm. If agents served the oldest goal first over all authors,
one stranger's thousand goals would come before an honest author's next one; and if all authors were
alike, so would the goals of two hundred keys that a stranger made up. So authors that are known
come before newcomers, except for a share of the time that is the newcomers'.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from swarm.core.bounded import BoundedDict
from swarm.core.fold.plan import Plan
from swarm.core.records import SortKey

T = TypeVar("T")

SLICE_MS = 250
NEWCOMER_SLICES = 4
"""In one of four slices of 250 ms newcomers come before known authors. Slots become free at any
time, so newcomers get a quarter of them; and peers whose clocks agree see the same order."""


MAX_SERVED = 4_096
"""Authors of which is remembered when they were last served."""


def newcomers_first(now_ms: int) -> bool:
    """Return whether it is the newcomers' share of the time."""
    return now_ms // SLICE_MS % NEWCOMER_SLICES == 0


class Waiting(Generic[T]):
    """What waits in the live goals, kept by author, so that the next in turn costs no scan."""

    def __init__(self) -> None:
        """Start empty."""
        self._goals: dict[bytes, tuple[Plan, Sequence[T]]] = {}
        self._by_author: dict[bytes, list[tuple[SortKey, bytes]]] = {}
        self._served_ms: BoundedDict[bytes, int] = BoundedDict(MAX_SERVED)

    def serve(self, author: bytes, at_ms: int) -> None:
        """Note when an item of an author was served, in ms."""
        self._served_ms[author] = max(at_ms, self._served_ms.get(author, 0))

    def put(self, goal_id: bytes, plan: Plan | None, items: Sequence[T] = ()) -> None:
        """Let these items of a goal wait instead of all earlier ones, the most urgent first."""
        old = self._goals.pop(goal_id, None)
        if old is not None and not items:
            goal = old[0].goal
            order = self._by_author[goal.author]
            del order[bisect_left(order, (goal.key, goal_id))]
            if not order:
                del self._by_author[goal.author]
        if items and plan is not None:
            self._goals[goal_id] = plan, items
            if old is None:
                insort(self._by_author.setdefault(plan.goal.author, []), (plan.goal.key, goal_id))

    def remove(self, goal_id: bytes, item: T) -> None:
        """Let one item wait no longer, because it is served."""
        plan, items = self._goals[goal_id]
        self.put(goal_id, plan, [other for other in items if other is not item])

    def of(self, goal_id: bytes) -> Sequence[T]:
        """Return what waits in a goal."""
        found = self._goals.get(goal_id)
        return () if found is None else found[1]

    def __bool__(self) -> bool:
        return bool(self._goals)

    def in_turns(
        self,
        busy: Mapping[bytes, int],
        is_known: Callable[[bytes], bool],
        *,
        newcomers_first: bool = False,
        only_known: bool = False,
    ) -> Iterator[tuple[Plan, T]]:
        """Yield what waits in the order in which it should be served; only what is taken costs.

        Known authors come first, or newcomers if it is their time. Among them the next is always
        one with the fewest items under way or ahead of it; among equals the one that was served
        longest ago, then the one whose next goal is the oldest. One author's items keep their
        order. What was yielded may be removed meanwhile.

        Args:
            busy: how many items of an author are being worked on; none of one that is missing.
            is_known: returns whether an author is no newcomer.
            newcomers_first: whether it is the newcomers' time.
            only_known: whether what waits for newcomers is left out.
        """
        queues = {
            author: self._queue(list(order))
            for author, order in self._by_author.items()
            if not only_known or is_known(author)
        }
        turns: list[tuple[bool, int, int, SortKey, bytes, Plan, T]] = []

        def enter(author: bytes, count: int) -> None:
            found = next(queues[author], None)
            if found is not None:
                plan, item = found
                late = is_known(author) == newcomers_first
                served_ms = self._served_ms.get(author, 0)
                heapq.heappush(turns, (late, count, served_ms, plan.goal.key, author, plan, item))

        for author in queues:
            enter(author, busy.get(author, 0))
        while turns:
            _, count, _, _, author, plan, item = heapq.heappop(turns)
            yield plan, item
            enter(author, count + 1)

    def _queue(self, order: Sequence[tuple[SortKey, bytes]]) -> Iterator[tuple[Plan, T]]:
        for _, goal_id in order:
            found = self._goals.get(goal_id)
            if found is not None:
                plan, items = found
                for item in items:
                    yield plan, item
