"""Which goals a sweep looks at, when one is worth while, and when a goal has ended."""

from __future__ import annotations

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import MINUTE, Policy
from swarm.core.records import Cancel, Goal, sign
from swarm.core.store.sweep_queue import (
    SWEEP_GOALS,
    SWEEP_MS,
    SweepQueue,
    deadline_ms,
    end_by_time_ms,
    end_ms,
)
from tests.core.store.samples import NOW
from tests.core.worlds import BOT

GOAL = sign(Goal(stamp=Stamp(NOW), swarm="test", text="x", policy=Policy(deadline_ms=MINUTE)), BOT)


def test_a_sweep_takes_each_goal_once_and_leaves_none() -> None:
    """What is added during a sweep waits for the next one."""
    queue = SweepQueue()
    for goal_id in (b"a", b"b", b"a"):
        queue.add(goal_id)
    taken = queue.take(NOW)
    queue.add(b"c")
    assert list(taken) == [b"a", b"b"]
    assert list(queue.take(NOW)) == [b"c"]
    assert not queue.take(NOW)


def test_a_sweep_is_worth_while_after_some_time_or_many_goals() -> None:
    """A flood of goals causes one sweep for many of them, not one for each."""
    queue = SweepQueue()
    assert queue.worthwhile(0)
    queue.take(NOW)
    assert not queue.worthwhile(NOW + SWEEP_MS - 1)
    assert queue.worthwhile(NOW + SWEEP_MS)
    for _ in range(SWEEP_GOALS - 1):
        queue.opened()
    assert not queue.worthwhile(NOW)
    queue.opened()
    assert queue.worthwhile(NOW)
    queue.take(NOW)
    assert not queue.worthwhile(NOW)


def test_a_goal_ends_with_its_plan_or_without_one_at_its_deadline() -> None:
    """A cancel ends it at the cancel's stamp; a goal that cannot be folded ends by time."""
    ends_ms = deadline_ms(GOAL)
    assert ends_ms == NOW + MINUTE
    assert end_ms(GOAL, None, ends_ms - 1) is None
    assert end_ms(GOAL, None, ends_ms) == ends_ms
    assert end_by_time_ms(GOAL, NOW + 1) is None
    assert end_by_time_ms(GOAL, ends_ms) == ends_ms
    plan = Plan(GOAL)
    plan.advance(NOW + 10)
    assert end_ms(GOAL, plan, NOW + 10) is None
    plan.apply_all([sign(Cancel(stamp=Stamp(NOW + 5), goal=GOAL.id, reason="x"), BOT)])
    assert end_ms(GOAL, plan, NOW + 10) == NOW + 5
