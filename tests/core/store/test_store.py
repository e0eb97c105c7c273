"""The store keeps what is genuine and within bounds, and never depends on the order of arrival."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import MAX_DRIFT_MS, HybridClock, Stamp
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Vote
from swarm.core.policy import DAY, MINUTE, Policy
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    Grant,
    Notice,
    Presence,
    Proposal,
    Record,
    record_id,
    sign,
)
from swarm.core.store.goal_log import FAULT_REST_MS
from swarm.core.store.limits import Limits
from swarm.core.store.pending import SPARE, Pending
from swarm.core.store.store import AddResult, Store
from tests.core.worlds import BOT, EXECUTORS, SCORERS, START, World, public, random_world

NOW = 10_000_000
worlds = st.builds(random_world, st.integers(0, 2**32), st.integers(1, 80))


def goal_at(ms: int, text: str = "plan", swarm: str = "test") -> Record:
    return sign(Goal(stamp=Stamp(ms), swarm=swarm, text=text), BOT)


def note(goal: Record, ms: int, text: str = "x") -> Record:
    return sign(Notice(stamp=Stamp(ms), goal=goal.id, code="n", text=text), SCORERS[0])


@settings(max_examples=100, deadline=None)
@given(worlds, st.randoms(use_true_random=False))
def test_two_stores_with_the_same_records_agree(world: World, rng: random.Random) -> None:
    """Any order, goal last even, gives equal summaries and equal plan digests."""
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
    """Over the bound per author, every store keeps the same: those that replay first."""
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
    """Over the bound of goals per author, every store keeps those that replay first."""
    goals = [goal_at(NOW + index, f"goal {index}") for index in range(6)]
    store = Store("test", limits=Limits(goals_per_author=3))
    for index in order:
        store.add(goals[index].raw, NOW + 10)
    assert {plan.id for plan in store.plans()} == {goal.id for goal in goals[:3]}


def test_a_flood_over_the_bound_does_not_fold_everything_again_each_time() -> None:
    """However many records push others out, a goal is folded from scratch once a second at most."""
    store = Store("test", limits=Limits(records_per_author=20))
    goal = goal_at(NOW)
    store.add(goal.raw, NOW)
    folds = 0
    before = store.plan(goal.id)
    for index in range(500):
        store.add(note(goal, NOW + 4_000 - index, str(index)).raw, NOW + index)
        store.advance(NOW + index)
        plan = store.plan(goal.id)
        folds += plan is not before
        before = plan
    assert folds <= 5
    store.advance(NOW + 10_000)
    plan = store.plan(goal.id)
    assert plan is not None
    assert {record.id for record in plan.notices} == set(store.ids(goal.id)) - {goal.id}


def test_a_fold_from_scratch_replays_each_vote_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that arrived last first are folded in steps in proportion to their number."""
    store = Store("test")
    goal = goal_at(NOW)
    proposal = sign(Proposal(stamp=Stamp(NOW + 1), goal=goal.id, node=goal.id), EXECUTORS[0])
    store.add(proposal.raw, NOW)
    for index in reversed(range(300)):
        body = Ballot(
            stamp=Stamp(NOW + 2 + index), goal=goal.id, node=goal.id, proposal=proposal.id,
            verdict="reject", concrete=0.5, distinct=0.5, complete=0.5,
        )  # fmt: skip
        store.add(sign(body, SCORERS[0]).raw, NOW)
    steps = 0
    step = Vote._step

    def counted(vote: Vote, record: Record) -> None:
        nonlocal steps
        steps += 1
        step(vote, record)

    monkeypatch.setattr(Vote, "_step", counted)
    store.add(goal.raw, NOW)
    assert steps <= 2 * 302


@given(st.binary(max_size=300))
def test_garbage_is_rejected_and_raises_nothing(raw: bytes) -> None:
    """No bytes make a store raise or keep anything."""
    store = Store("test")
    assert store.add(raw, NOW) is AddResult.REJECTED
    assert len(store) == 0


def test_another_swarms_goal_is_rejected() -> None:
    """A goal is of one swarm: replayed into another it is no record there."""
    store = Store("test")
    assert store.add(goal_at(NOW, swarm="other").raw, NOW) is AddResult.REJECTED


def test_a_stamp_from_the_near_future_is_held_until_its_time() -> None:
    """Beyond the allowed drift a record waits, does not move the clock, and is folded later."""
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
    """Far-future records cost no memory and drag no clock along."""
    store = Store("test")
    assert store.add(goal_at(NOW + 365 * DAY).raw, NOW) is AddResult.STALE
    assert store.clock.last.ms <= NOW


def test_records_before_their_goal_are_kept_within_bounds() -> None:
    """Orphans wait for their goal; of too many unknown goals the oldest is given up."""
    store = Store("test", limits=Limits(orphan_goals=2))
    goals = [goal_at(NOW - i) for i in range(3)]
    for goal in goals:
        assert store.add(note(goal, NOW).raw, NOW) is AddResult.NEW
    assert set(store.goals()) == {goals[1].id, goals[2].id}
    store.add(goals[1].raw, NOW)
    plan = store.plan(goals[1].id)
    assert plan is not None
    assert len(plan.notices) == 1


def test_presence_is_the_newest_and_runs_out() -> None:
    """Only the newest presence of an author counts, and an old one is forgotten."""
    store = Store("test")

    def beat(ms: int, load: int) -> Record:
        body = Presence(stamp=Stamp(ms), swarm="test", role="scorer", load=load)
        return sign(body, SCORERS[0])

    assert store.add(beat(NOW, 1).raw, NOW) is AddResult.NEW
    assert store.add(beat(NOW - 10, 2).raw, NOW) is AddResult.STALE
    assert [getattr(r.body, "load", None) for r in store.presences()] == [1]
    assert list(store.goals()) == []
    store.advance(NOW + store.limits.presence_ms + 1)
    assert store.presences() == []


def test_a_finished_goal_is_forgotten_after_its_retention_and_stays_so() -> None:
    """After the retention time a goal is dropped, and an echo of it is not taken in again."""
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
    """Asking the same twice gives two plans."""
    store = Store("test")
    store.add(goal_at(NOW).raw, NOW)
    store.add(goal_at(NOW + 1).raw, NOW + 1)
    assert len(store.plans()) == 2


def test_a_claim_for_a_goal_still_unknown_counts_once_it_is_known() -> None:
    """Nothing is lost when a task's claim overtakes the goal it belongs to."""
    goal = sign(Goal(stamp=Stamp(START), swarm="test", text="t", policy=Policy(max_depth=0)), BOT)
    claim = sign(Claim(stamp=Stamp(START + 1), goal=goal.id, node=goal.id, attempt=1), EXECUTORS[0])
    store = Store("test")
    store.add(claim.raw, START + 2)
    store.add(goal.raw, START + 2)
    plan = store.plan(goal.id)
    assert plan is not None
    assert plan.root.outcome.holder == claim


@given(st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=50))
def test_the_hybrid_clock_only_goes_forward(moves: list[tuple[int, bool]]) -> None:
    """Whatever the wall shows and others say, each stamp issued is later than all before."""
    clock = HybridClock(max_drift_ms=10)
    last = Stamp(0)
    for wall, other in moves:
        if other:
            assert clock.observe(Stamp(wall + 10, 3), wall)
            assert not clock.observe(Stamp(wall + 11, 0), wall)
            last = max(last, Stamp(wall + 10, 3))
        stamp = clock.tick(wall)
        assert stamp > last
        last = stamp


def test_a_copy_with_another_signature_is_no_duplicate() -> None:
    """An id does not cover the signature: a forged copy of what is kept or held is rejected."""
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


def test_what_is_held_is_bounded_with_all_that_remembers_it() -> None:
    """Stamps ahead, each earlier than the last and pushing one out: nothing grows with them."""
    held = Pending(Limits(held=50, held_per_author=10))
    goal = goal_at(NOW)
    for number in range(300):
        held.put(note(goal, NOW + 10_000 - number))
    assert len(held._heap) <= 2 * 10 + SPARE


def test_a_goal_whose_fold_fails_takes_no_other_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect that one goal's records bring to light costs that goal, for a while, and is told."""
    told: list[tuple[bytes, str]] = []
    store = Store("test", on_fault=lambda goal, fault: told.append((goal, str(fault))))
    bad, good = goal_at(NOW, "bad"), goal_at(NOW + 1, "good")
    for record in (bad, good, note(bad, NOW + 2), note(good, NOW + 3)):
        assert store.add(record.raw, NOW + 5) is AddResult.NEW
    whole = Plan.apply_all

    def failing(plan: Plan, records: Iterable[Record]) -> None:
        if plan.id == bad.id:
            raise RuntimeError("a defect")
        whole(plan, records)

    monkeypatch.setattr(Plan, "apply_all", failing)
    store.advance(NOW + 5)
    assert [plan.id for plan in store.plans()] == [good.id]
    assert told == [(bad.id, "a defect")]
    assert bad.id in store.live_goals()
    monkeypatch.setattr(Plan, "apply_all", whole)
    store.advance(NOW + 5 + FAULT_REST_MS)
    plan = store.plan(bad.id)
    assert plan is not None
    assert len(plan.notices) == 1, "nothing was lost meanwhile"


def test_the_owners_word_has_room_for_more_grants_than_any_swarm_has() -> None:
    """The newest of some thousand grants counts: it must not be what finds no room."""
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
