"""One goal's records and its plan: when it is folded from scratch, and what a fault costs."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.fold.voting import Vote
from swarm.core.records import (
    Ballot,
    Proposal,
    Record,
    sign,
)
from swarm.core.store.goal_log import FAULT_REST_MS
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from tests.core.store.samples import NOW, goal_at, note
from tests.core.worlds import EXECUTORS, SCORERS


def test_a_flood_over_the_bound_does_not_fold_everything_again_each_time() -> None:
    """However many records push others out, a goal is folded from scratch at most once a second."""
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
    """Records that arrive in reverse order are folded in steps proportional to their number."""
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


def test_a_goal_whose_fold_fails_takes_no_other_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect that one goal's records bring to light costs only that goal, and is reported."""
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
