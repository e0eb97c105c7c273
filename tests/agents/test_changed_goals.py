"""Agents look again only at goals that changed, or whose time has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.agents.base import Agent, View
from swarm.agents.changed_goals import ChangedGoals
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.clock import Stamp
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import Goal, Notice, Presence, Record, sign
from swarm.core.store.store import Store

NOW = 1_700_000_000_000
KEY = Ed25519PrivateKey.generate()
ME = b"m" * 32
FLOOD = 1_000


def flooded(goals: int) -> tuple[Store, list[Record]]:
    """Return a store with this many live goals of one author."""
    store = Store("s")
    records = [sign(Goal(stamp=Stamp(NOW, n), swarm="s", text=f"{n}"), KEY) for n in range(goals)]
    for record in records:
        store.add_record(record, NOW)
    store.advance(NOW + 1_000)
    return store, records


def touch(store: Store, goal: Record, ms: int) -> None:
    """Let a record come for a goal."""
    store.add_record(sign(Notice(stamp=Stamp(ms), goal=goal.id, code="x", text="x"), KEY), ms)


def taken(goals: ChangedGoals, store: Store, ms: int) -> list[bytes]:
    return [goal_id for goal_id, _ in goals.take(View(store, ME, ms))]


@pytest.mark.parametrize("make", [Decomposer, Scorer, Executor])
def test_an_agent_looks_at_no_goal_that_has_not_changed(
    make: Callable[[], Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a thousand live goals of a stranger, a record for one costs a look at that one."""
    looked = Counter[bytes]()
    real: Callable[[Plan], Iterator[Node]] = Plan.nodes

    def counted(plan: Plan) -> Iterator[Node]:
        looked[plan.id] += 1
        return real(plan)

    monkeypatch.setattr(Plan, "nodes", counted)
    store, goals = flooded(FLOOD)
    agent = make()
    agent.decide(View(store, ME, NOW + 1_000))
    assert len(looked) == FLOOD
    looked.clear()
    for step in range(5):
        store.advance(NOW + 1_001 + step)
        agent.decide(View(store, ME, NOW + 1_001 + step))
    assert not looked
    touch(store, goals[700], NOW + 1_100)
    store.advance(NOW + 1_100)
    agent.decide(View(store, ME, NOW + 1_100))
    assert set(looked) == {goals[700].id}


def test_a_goal_is_looked_at_when_it_changes_when_asked_for_and_when_its_time_comes() -> None:
    """Each of these causes one look, the oldest goal first."""
    store, goals = flooded(4)
    ids = [goal.id for goal in goals]
    changed = ChangedGoals()
    assert taken(changed, store, NOW) == ids
    assert taken(changed, store, NOW) == []
    touch(store, goals[2], NOW)
    touch(store, goals[1], NOW)
    assert taken(changed, store, NOW) == ids[1:3]
    changed.look_again(ids[3])
    assert taken(changed, store, NOW) == ids[3:]
    changed.wake_at(ids[0], NOW + 60)
    changed.wake_at(ids[0], NOW + 50)
    changed.wake_at(ids[0], NOW + 70)
    assert changed.next_ms() == NOW + 50
    assert taken(changed, store, NOW + 49) == []
    assert taken(changed, store, NOW + 50) == ids[:1]
    assert changed.next_ms() is None
    changed.look_at_all()
    assert taken(changed, store, NOW + 50) == ids


def test_all_goals_are_looked_at_when_others_come_or_change_what_they_can_do() -> None:
    """A presence that says nothing new causes no look."""
    store, goals = flooded(3)
    changed = ChangedGoals()
    taken(changed, store, NOW)

    def show(ms: int, trouble: str = "", capabilities: tuple[str, ...] = ()) -> int:
        body = Presence(
            stamp=Stamp(ms),
            swarm="s",
            role="executor",
            name="x",
            trouble=trouble,
            capabilities=list(capabilities),
        )
        store.add_record(sign(body, KEY), ms)
        return len(taken(changed, store, ms))

    assert show(NOW + 1_001) == len(goals)
    assert show(NOW + 1_002) == 0
    assert show(NOW + 1_003, trouble="no model") == len(goals)
    assert show(NOW + 1_004, trouble="still none") == 0
    assert show(NOW + 1_005, capabilities=("maps",)) == len(goals)
    store.miss(KEY.public_key().public_bytes_raw())
    assert len(taken(changed, store, NOW + 1_006)) == len(goals)


def test_a_goal_whose_look_failed_is_looked_at_again() -> None:
    """A defect costs a decision, and does not hide a goal for ever."""
    store, goals = flooded(3)
    changed = ChangedGoals()
    for goal_id, _ in changed.take(View(store, ME, NOW)):
        if goal_id == goals[1].id:
            break
    assert taken(changed, store, NOW) == [goal.id for goal in goals[1:]]
