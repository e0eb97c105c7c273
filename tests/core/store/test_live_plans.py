"""Live plans: the list is right, and nothing is folded that has not changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import SECOND, Policy
from swarm.core.records import Cancel, Claim, Goal, Notice, Record, sign
from swarm.core.store.goal_log import GoalLog
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store

NOW = 1_700_000_000_000
KEY = Ed25519PrivateKey.generate()
SHORT = Policy(max_depth=0, deadline_ms=20 * SECOND, lease_ms=5 * SECOND)
GOALS = [
    sign(Goal(stamp=Stamp(NOW + 700 * n), swarm="s", text=f"{n}", policy=SHORT), KEY)
    for n in range(6)
]
STEPS = st.lists(
    st.tuples(st.sampled_from(["goal", "claim", "cancel", "advance", "look"]), st.integers(0, 5)),
    max_size=40,
)


def slow_list(store: Store) -> list[bytes]:
    """Return the goals whose plans have not ended, found by a look at each."""
    return [plan.id for plan in store.plans() if not plan.final]


@given(STEPS)
def test_the_list_is_the_one_that_a_look_at_every_goal_gives(
    steps: list[tuple[str, int]],
) -> None:
    """After any records and any time, and wherever the list is looked at in between."""
    store, now_ms = Store("s", limits=Limits(goals_per_author=4)), NOW
    seen = store.watch()
    digests: dict[bytes, bytes] = {}
    for what, number in steps:
        goal = GOALS[number]
        stamp = Stamp(max(now_ms, goal.stamp.ms + 1))
        if what == "goal":
            store.add_record(goal, now_ms)
        elif what == "claim":
            claim = Claim(stamp=stamp, goal=goal.id, node=goal.id, attempt=1)
            store.add_record(sign(claim, KEY), now_ms)
        elif what == "cancel":
            store.add_record(sign(Cancel(stamp=stamp, goal=goal.id, reason="x"), KEY), now_ms)
        elif what == "advance":
            now_ms += 1_700 * number
            store.advance(now_ms)
            for plan in store.plans():
                if digests.get(plan.id, plan.digest) != plan.digest:
                    assert plan.id in seen
            seen.clear()
            digests = {plan.id: plan.digest for plan in store.plans()}
            assert set(slow_list(store)) >= {g for g in store.live_goals() if store.plan(g)}
            later = [p.next_change_ms() for p in store.live_plans()]
            due = min((at for at in later if at is not None), default=None)
            assert store.next_change_ms() == due
        assert [plan.id for plan in store.live_plans()] == slow_list(store)
        assert all(store.live_plan(plan.id) is plan for plan in store.live_plans())


@pytest.fixture
def folded(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """How often the plan of each goal was asked of its records."""
    looks = Counter[bytes]()
    real: Callable[..., Plan | None] = GoalLog.plan

    def counted(log: GoalLog, *arguments: object) -> Plan | None:
        assert log.goal is not None
        looks[log.goal.id] += 1
        return real(log, *arguments)

    monkeypatch.setattr(GoalLog, "plan", counted)
    return looks


def test_only_goals_that_changed_are_looked_at(folded: Counter[bytes]) -> None:
    """With a thousand live goals, a record for one costs a look at that one."""
    store = Store("s")
    goals: list[Record] = [
        sign(Goal(stamp=Stamp(NOW, n), swarm="s", text=f"{n}"), KEY) for n in range(1_000)
    ]
    for goal in goals:
        store.add_record(goal, NOW)
    store.advance(NOW + 1_000)
    assert len(store.live_plans()) == 1_000
    folded.clear()
    for step in range(20):
        store.advance(NOW + 1_001 + step)
        assert len(store.live_plans()) == 1_000
        assert store.next_change_ms() is not None
    assert not folded
    changed = goals[500].id
    notice = Notice(stamp=Stamp(NOW + 1_100), goal=changed, code="x", text="x")
    store.add_record(sign(notice, KEY), NOW + 1_100)
    store.advance(NOW + 1_100)
    store.live_plans()
    assert set(folded) == {changed}


def test_a_goal_whose_time_comes_is_reported_as_changed() -> None:
    """`advance` names the plans that time alone has changed, and no others."""
    store = Store("s")
    for goal in GOALS[:2]:
        store.add_record(goal, NOW + 1_000)
    assert store.advance(NOW + 1_000) == []
    ends_ms = GOALS[0].stamp.ms + SHORT.deadline_ms
    assert store.advance(ends_ms) == []
    assert store.advance(ends_ms + 1) == [GOALS[0].id]
    assert [plan.id for plan in store.live_plans()] == [GOALS[1].id]
