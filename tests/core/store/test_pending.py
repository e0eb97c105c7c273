"""Records stamped in the near future: how many are held, and how they are indexed."""

from __future__ import annotations

from swarm.core.store.limits import Limits
from swarm.core.store.pending import SPARE, Pending
from tests.core.store.samples import NOW, goal_at, note


def test_held_records_and_their_index_are_bounded() -> None:
    """Records that push each other out do not make the heap grow."""
    held = Pending(Limits(held=50, held_per_author=10))
    goal = goal_at(NOW)
    for number in range(300):
        held.put(note(goal, NOW + 10_000 - number))
    assert len(held._heap) <= 2 * 10 + SPARE
