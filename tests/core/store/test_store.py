"""The store keeps genuine records within its limits, whatever their order of arrival."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.policy import DAY, MINUTE, Policy
from swarm.core.records import (
    Claim,
    Goal,
    Grant,
    record_id,
    sign,
)
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from tests.core.store.samples import NOW, goal_at, note
from tests.core.worlds import BOT, EXECUTORS, START, World, public, random_world

worlds = st.builds(random_world, st.integers(0, 2**32), st.integers(1, 80), eager=st.booleans())


@settings(max_examples=100, deadline=None)
@given(worlds, st.randoms(use_true_random=False))
def test_two_stores_with_the_same_records_agree(world: World, rng: random.Random) -> None:
    """Any order, even with the goal last, gives equal summaries and equal plan digests."""
    records = [world.goal, *world.records]
    stores = []
    for _ in range(2):
        store = Store("test")
        rng.shuffle(records)
        for record in records:
            assert store.add(record.raw, NOW) in (AddResult.NEW, AddResult.DUPLICATE)
        store.advance(NOW)
        stores.append(store)
    first, second = stores
    assert first.summary(world.goal.id) == second.summary(world.goal.id)
    plans = [store.plan(world.goal.id) for store in stores]
    assert plans[0] is not None
    assert plans[1] is not None
    assert plans[0].digest == plans[1].digest


@settings(max_examples=60, deadline=None)
@given(worlds, st.randoms(use_true_random=False), st.integers(1, 10))
def test_bounds_keep_the_same_records_in_any_order(
    world: World, rng: random.Random, most: int
) -> None:
    """Above the limit per author, every store keeps the records that replay first."""
    limits = Limits(records_per_author=most, records_of_submitter=most)
    kept = []
    for _ in range(2):
        store = Store("test", limits=limits)
        records = [world.goal, *world.records]
        rng.shuffle(records)
        for record in records:
            store.add(record.raw, NOW)
        kept.append(set(store.ids(world.goal.id)))
        plan = store.plan(world.goal.id)
        assert plan is None or plan.id == world.goal.id
    assert kept[0] == kept[1]


@settings(deadline=None)
@given(st.permutations(range(6)))
def test_of_too_many_goals_the_same_are_kept_in_any_order(order: list[int]) -> None:
    """Above the limit of goals per author, every store keeps those that replay first."""
    goals = [goal_at(NOW + index, f"goal {index}") for index in range(6)]
    store = Store("test", limits=Limits(goals_per_author=3))
    for index in order:
        store.add(goals[index].raw, NOW + 10)
    assert {plan.id for plan in store.plans()} == {goal.id for goal in goals[:3]}


@given(st.binary(max_size=300))
def test_garbage_is_rejected_and_raises_nothing(raw: bytes) -> None:
    """Arbitrary bytes are rejected; they never make a store raise or keep anything."""
    store = Store("test")
    assert store.add(raw, NOW) is AddResult.REJECTED
    assert len(store) == 0


def test_another_swarms_goal_is_rejected() -> None:
    """A goal belongs to one swarm; replayed into another it is rejected."""
    store = Store("test")
    assert store.add(goal_at(NOW, swarm="other").raw, NOW) is AddResult.REJECTED


def test_a_stamp_from_the_near_future_is_held_until_its_time() -> None:
    """A record beyond the allowed drift waits, does not move the clock, and is folded later."""
    store = Store("test")
    ahead = NOW + MAX_DRIFT_MS + MINUTE
    goal = goal_at(ahead)
    assert store.add(goal.raw, NOW) is AddResult.HELD
    assert store.add(goal.raw, NOW) is AddResult.DUPLICATE
    assert store.clock.last.ms <= NOW
    assert store.plans() == []
    store.advance(ahead)
    assert [plan.id for plan in store.plans()] == [goal.id]


def test_a_stamp_a_year_ahead_is_not_even_held() -> None:
    """Records from the far future take no memory and move no clock."""
    store = Store("test")
    assert store.add(goal_at(NOW + 365 * DAY).raw, NOW) is AddResult.STALE
    assert store.clock.last.ms <= NOW


def test_records_before_their_goal_are_kept_within_bounds() -> None:
    """Orphans wait for their goal; of too many unknown goals the oldest is dropped."""
    store = Store("test", limits=Limits(orphan_goals=2))
    goals = [goal_at(NOW - i) for i in range(3)]
    for goal in goals:
        assert store.add(note(goal, NOW).raw, NOW) is AddResult.NEW
    assert set(store.goals()) == {goals[1].id, goals[2].id}
    store.add(goals[1].raw, NOW)
    plan = store.plan(goals[1].id)
    assert plan is not None
    assert len(plan.notices) == 1


def test_a_finished_goal_is_forgotten_after_its_retention_and_stays_so() -> None:
    """After the retention time a goal is dropped, and a late copy of it is not kept again."""
    store = Store("test")
    goal = sign(
        Goal(stamp=Stamp(NOW), swarm="test", text="t", policy=Policy(deadline_ms=1_000)), BOT
    )
    store.add(goal.raw, NOW)
    later = NOW + store.limits.retention_ms + 2_000
    store.advance(later)
    assert len(store) == 0
    assert store.add(goal.raw, later) is AddResult.STALE


def test_goals_with_the_same_text_are_two_goals() -> None:
    """Submitting the same text twice gives two plans."""
    store = Store("test")
    store.add(goal_at(NOW).raw, NOW)
    store.add(goal_at(NOW + 1).raw, NOW + 1)
    assert len(store.plans()) == 2


def test_a_claim_for_a_goal_still_unknown_counts_once_it_is_known() -> None:
    """A claim that arrives before its goal is not lost."""
    goal = sign(Goal(stamp=Stamp(START), swarm="test", text="t", policy=Policy(max_depth=0)), BOT)
    claim = sign(Claim(stamp=Stamp(START + 1), goal=goal.id, node=goal.id, attempt=1), EXECUTORS[0])
    store = Store("test")
    store.add(claim.raw, START + 2)
    store.add(goal.raw, START + 2)
    plan = store.plan(goal.id)
    assert plan is not None
    assert plan.root.outcome.holder == claim


def test_a_copy_with_another_signature_is_no_duplicate() -> None:
    """An id does not cover the signature, so a forged copy of a known record is rejected."""
    store = Store("test")
    goal = goal_at(NOW)
    held = note(goal, NOW + MAX_DRIFT_MS + 1)
    assert store.add(goal.raw, NOW) is AddResult.NEW
    assert store.add(held.raw, NOW) is AddResult.HELD
    for record in (goal, held):
        for at in (33, 64, 96):
            forged = bytearray(record.raw)
            forged[at] ^= 1
            assert record_id(bytes(forged)) == record.id
            assert store.add(bytes(forged), NOW) is AddResult.REJECTED
        assert store.add(record.raw, NOW) is AddResult.DUPLICATE


def test_an_owner_has_room_for_more_grants_than_any_swarm_needs() -> None:
    """The newest of thousands of grants counts: it must not be the one without room."""
    owner = BOT
    store = Store("test", owner=public(owner))
    for number in range(2_100):
        body = Grant(
            stamp=Stamp(number + 1), swarm="test", subject=number.to_bytes(32), roles=["scorer"]
        )
        assert store.add_record(sign(body, owner), NOW) is AddResult.NEW
    gone = Grant(stamp=Stamp(NOW), swarm="test", subject=bytes(32), roles=[])
    assert store.add_record(sign(gone, owner), NOW) is AddResult.NEW
    assert not store.roster.has_role(bytes(32), "scorer", NOW)
