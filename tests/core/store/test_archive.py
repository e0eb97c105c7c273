"""Goals that have ended: they take no room from live ones, are packed, and lose nothing by it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.policy import DAY, HOUR, MINUTE, Policy
from swarm.core.records import Goal, Record, sign
from swarm.core.store.archive import MOST_UNSEALED, SEAL_AFTER_MS
from swarm.core.store.limits import Limits
from swarm.core.store.sealed_goal import SealedGoal
from swarm.core.store.store import AddResult, Store
from swarm.testing.finished_goals import RECORDS, Cast
from tests.core.worlds import BOT, START, World, random_world

NOW = 1_700_000_000_000
worlds = st.builds(random_world, st.integers(0, 2**32), st.integers(1, 60))


def short_goal(number: int, *, lasts_ms: int = MINUTE, ago_ms: int = HOUR) -> Record:
    """Return a goal of `BOT`'s that has ended by its deadline, unless it lasts longer."""
    policy = Policy(deadline_ms=lasts_ms)
    stamp = Stamp(NOW - ago_ms + number)
    return sign(Goal(stamp=stamp, swarm="test", text=f"goal {number}", policy=policy), BOT)


def held(*records: Record, limits: Limits | None = None) -> Store:
    """Return a store that was given records in this order."""
    store = Store("test", limits=limits)
    store.advance(NOW)
    for record in records:
        store.add(record.raw, NOW)
    store.advance(NOW)
    return store


@pytest.mark.parametrize("count", [1_000, 1_001, 5_000])
def test_however_many_goals_of_an_author_have_ended_a_new_one_is_planned(count: int) -> None:
    """Within seven days one asker can ask for any number of goals, one after the other."""
    store = held(*(short_goal(number) for number in range(count)))
    assert len(store.goals()) == count
    fresh = short_goal(count, lasts_ms=HOUR, ago_ms=0)
    assert store.add(fresh.raw, NOW) is AddResult.NEW
    plan = store.plan(fresh.id)
    assert plan is not None
    assert not plan.final
    assert store.takes_goal_of(fresh.author)


def test_live_goals_beyond_the_limit_are_refused_and_welcome_later() -> None:
    """The ones that replay first stay; when one of them ends there is room for the next."""
    goals = [short_goal(number, lasts_ms=HOUR, ago_ms=0) for number in range(3)]
    store = held(*goals[:2], limits=Limits(goals_per_author=2))
    assert store.add(goals[2].raw, NOW) is AddResult.FULL
    assert set(store.goals()) == {goal.id for goal in goals[:2]}
    later = NOW + HOUR + MINUTE
    store.advance(later)
    assert store.add(goals[2].raw, later) is AddResult.NEW


def test_of_too_many_ended_goals_the_oldest_are_forgotten() -> None:
    """Live goals stay, whatever their age."""
    live = short_goal(0, lasts_ms=DAY)
    goals = [short_goal(number) for number in range(1, 8)]
    store = held(live, *goals, limits=Limits(ended_goals=3))
    assert set(store.goals()) == {live.id, *(goal.id for goal in goals[-3:])}


def test_an_author_with_many_ended_goals_gives_way_before_one_with_few() -> None:
    """A peer that asks without end pushes out its own history, not that of others."""
    cast = Cast("test", submitters=1)
    (few,) = cast.goals(1, first_ms=NOW - 2 * HOUR, last_ms=NOW - 2 * HOUR)
    store = held(*few, *(short_goal(n) for n in range(9)), limits=Limits(ended_goals=4))
    assert few[0].id in store.goals()
    assert len(store.goals()) == 4


@settings(max_examples=40, deadline=None)
@given(worlds, st.randoms(use_true_random=False))
def test_packing_loses_nothing(world: World, rng: random.Random) -> None:
    """Ids, bytes, copies, the fold and its digest are the same before and after."""
    end_ms = START + 6 * DAY
    store = Store("test")
    for record in (world.goal, *world.records):
        store.add(record.raw, NOW)
    store.advance(end_ms)
    goal = world.goal.id
    plan = store.plan(goal)
    assert plan is not None
    digest, summary, ids = plan.digest, store.summary(goal), set(store.ids(goal))
    store._logs[goal].seal()
    assert store._logs[goal].sealed
    assert store.summary(goal) == summary
    assert set(store.ids(goal)) == ids
    everything = [world.goal, *world.records]
    rng.shuffle(everything)
    for record in everything:
        assert store.raw(record.id) == record.raw
        assert store.add(record.raw, end_ms) is AddResult.DUPLICATE
    assert store._logs[goal].sealed, "none of that unpacks it"
    again = store.plan(goal)
    assert again is not None
    assert again.digest == digest
    assert {record.id for record in store.records(goal)} == ids


def test_a_forged_copy_of_a_packed_record_is_noticed() -> None:
    """An id does not cover the signature: other bytes under a known id are no duplicate."""
    (records,) = Cast("test").goals(1, first_ms=NOW, last_ms=NOW)
    sealed = SealedGoal(records)
    genuine = records[3]
    forged = genuine.raw[:40] + bytes([genuine.raw[40] ^ 1]) + genuine.raw[41:]
    assert sealed.is_copy(genuine.id, genuine.raw)
    assert not sealed.is_copy(genuine.id, forged)
    assert not sealed.is_copy(bytes(32), genuine.raw)


def test_ended_goals_are_packed_when_nobody_looks_at_them() -> None:
    """A look unpacks a goal for some minutes; only a few are unpacked at a time."""
    cast = Cast("test")
    goals = list(cast.goals(MOST_UNSEALED + 20, first_ms=NOW - DAY, last_ms=NOW - HOUR))
    store = held(*(record for records in goals for record in records))
    assert len(store) == len(goals) * RECORDS
    sealed = [goal for goal in store.goals() if store._logs[goal].sealed]
    assert len(sealed) >= 20
    looked_at = goals[0][0].id
    plan = store.plan(looked_at)
    assert plan is not None
    assert plan.final
    assert not store._logs[looked_at].sealed
    store.advance(NOW + SEAL_AFTER_MS + 1)
    assert all(store._logs[goal].sealed for goal in store.goals())
    assert not store.live_goals()


def test_a_record_that_comes_late_reopens_a_packed_goal() -> None:
    """It is folded with all others, and the goal is packed again later."""
    (records,) = Cast("test").goals(1, first_ms=NOW - HOUR, last_ms=NOW - HOUR)
    late = records.pop()
    store = held(*records)
    store.advance(NOW + SEAL_AFTER_MS + 1)
    goal = records[0].id
    assert store.add(late.raw, NOW) is AddResult.NEW
    assert set(store.ids(goal)) == {*(record.id for record in records), late.id}
    whole = held(*records, late)
    one, other = store.plan(goal), whole.plan(goal)
    assert one is not None
    assert other is not None
    assert one.root.result is not None
    assert one.digest == other.digest


def test_a_goal_that_ended_long_ago_is_packed_at_once_and_a_fresh_one_later() -> None:
    """A history that is loaded at a start does not stay unpacked for minutes."""
    old, fresh = short_goal(0), short_goal(1, ago_ms=MINUTE + 10)
    store = held(old, fresh)
    assert not store.live_goals()
    assert store.packed(old.id) is not None
    assert store.packed(fresh.id) is None
    store.advance(NOW + SEAL_AFTER_MS)
    assert store.packed(fresh.id) is not None


def test_a_full_store_forgets_the_goal_that_ended_first() -> None:
    """It counts when a goal ended, not when it was asked."""
    first = short_goal(0, lasts_ms=MINUTE, ago_ms=2 * HOUR)
    second = short_goal(1, lasts_ms=3 * HOUR - MINUTE, ago_ms=3 * HOUR)
    store = held(second, first, limits=Limits(records=2))
    live = short_goal(2, lasts_ms=HOUR, ago_ms=0)
    assert store.add(live.raw, NOW) is AddResult.NEW
    assert set(store.goals()) == {second.id, live.id}
