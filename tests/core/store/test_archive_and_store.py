"""What a store and its archive keep to, whatever comes and whenever (see `archive`)."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.policy import SECOND, Policy
from swarm.core.records import Cancel, Claim, Goal, Grant, KnownBody, Notice, Result, sign
from swarm.core.store import archive
from swarm.core.store.archive import SEAL_AFTER_MS
from swarm.core.store.limits import Limits
from swarm.core.store.sealed_goal import EndedGoal
from swarm.core.store.store import AddResult, Store
from tests.core.worlds import KEYS, public

NOW = 1_700_000_000_000
OWNER, ASKERS, WORKER = KEYS[0], KEYS[1:3], KEYS[3]
POLICY = Policy(max_depth=0, deadline_ms=20 * SECOND, lease_ms=5 * SECOND)
LIMITS = Limits(
    goals=3,
    goals_per_author=2,
    ended_goals=3,
    foreign_goals=3,
    records=16,
    orphan_goals=2,
    retention_ms=2 * SEAL_AFTER_MS,
)
GOALS = [
    sign(Goal(stamp=Stamp(NOW + number), swarm="s", text=f"{number}", policy=POLICY), asker)
    for number, asker in enumerate(ASKERS * 3)
]
WAITS = [
    300,
    POLICY.deadline_ms,
    POLICY.deadline_ms,
    SEAL_AFTER_MS,
    SEAL_AFTER_MS,
    LIMITS.retention_ms,
]
OFTEN = ["goal", "goal", "do", "wait"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from([*OFTEN, "note", "cancel", "look", "read", "find", "move", "grant"]),
        st.integers(0, len(GOALS) - 1),
    ),
    min_size=20,
    max_size=60,
)


@dataclass
class Life:
    """A store, its time, and the goals that it packed."""

    store: Store
    now_ms: int = NOW + len(GOALS)
    packed: dict[bytes, EndedGoal] = field(default_factory=dict)
    ended: set[bytes] = field(default_factory=set)
    """The goals that were ever in the archive."""

    def say(self, body: KnownBody, key: object = WORKER) -> bytes:
        """Add a record that is stamped now; time passes."""
        self.now_ms += 1
        body = body.model_copy(update={"stamp": Stamp(self.now_ms)})
        record = sign(body, key)  # type: ignore[arg-type]
        if self.store.add_record(record, self.now_ms) is AddResult.NEW and record.id in self.store:
            goal_id = self.store.goal_of(record.id)
            assert goal_id in self.store.live_goals(), "a record brings its goal back to life"
        return record.id

    def step(self, what: str, number: int) -> None:
        """Let one thing happen, mostly to the goal with this number."""
        goal, stamp = GOALS[number], Stamp(0)
        match what:
            case "goal":
                self.store.add_record(goal, self.now_ms)
            case "do":
                claim = self.say(Claim(stamp=stamp, goal=goal.id, node=goal.id, attempt=1))
                self.say(
                    Result(
                        stamp=stamp,
                        goal=goal.id,
                        node=goal.id,
                        claim=claim,
                        outcome="done",
                        text="x",
                    )
                )
            case "note":
                self.say(Notice(stamp=stamp, goal=goal.id, code="n", text="x"))
            case "cancel":
                cancel = Cancel(stamp=stamp, goal=goal.id, reason="x")
                self.say(cancel, ASKERS[number % len(ASKERS)])
            case "look":
                self.store.plan(goal.id)
            case "read":
                list(self.store.records(goal.id))
            case "find":
                self.store.record(goal.id)
            case "wait":
                self.now_ms += WAITS[number % len(WAITS)]
                self.store.advance(self.now_ms)
            case "move" if goal.id in self.packed:
                self.store.add_packed(self.packed[goal.id], self.now_ms)
            case "grant":
                roles = ["submitter", "executor", "scorer"]
                subject = public([*ASKERS, WORKER][number % 3])
                self.say(Grant(stamp=stamp, swarm="s", subject=subject, roles=roles), OWNER)
        self.ended |= set(self.store._archive)
        for goal_id in self.store.goals():
            if (ended := self.store.packed(goal_id)) is not None:
                self.packed[goal_id] = ended


def check(life: Life) -> None:
    """Assert what is true of a store and its archive at any time."""
    store = life.store
    known = {goal_id: log for goal_id, log in store._logs.items() if log.goal is not None}
    live, ended = set(store.live_goals()), set(store._archive)
    assert not live & ended
    assert live | ended == set(store.goals())
    assert ended <= set(known)
    assert {goal_id for goal_id in store.goals() if store._logs[goal_id].sealed} <= ended
    unpacked = {goal_id for goal_id in ended if not known[goal_id].sealed}
    assert unpacked <= set(store._archive._seal_ms) <= ended
    assert len(store._archive._seal_ms) <= archive.MOST_UNSEALED
    foreign = {goal_id for goal_id in known if store._is_foreign(known[goal_id].goal.author)}  # type: ignore[union-attr]
    assert set(store._archive._share) == ended - foreign
    counted, alive = set(store._goals.get(False, ())), (live & set(known)) - foreign
    assert counted <= alive
    assert alive - counted <= life.ended, "only one that lives again takes no room"
    assert set(store._goals.get(True, ())) == foreign
    assert {goal.id for goal in GOALS if store._askers.counts(goal.id)} <= ended


@settings(max_examples=500, deadline=None)
@given(STEPS, st.booleans(), st.integers(1, 3))
def test_every_goal_lives_or_is_archived_and_takes_room_in_one_place(
    steps: list[tuple[str, int]], owned: bool, most_unsealed: int
) -> None:
    """Full or not, with late records, grants and goals that come packed; time moves all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "MOST_UNSEALED", most_unsealed)
        life = Life(Store("s", owner=public(OWNER) if owned else None, limits=LIMITS))
        for what, number in steps:
            life.step(what, number)
            check(life)
        life.now_ms += POLICY.deadline_ms + 1
        life.store.advance(life.now_ms)
        check(life)
        assert not [goal for goal in life.store.live_goals() if life.store._logs[goal].goal]
        life.now_ms += SEAL_AFTER_MS
        life.store.advance(life.now_ms)
        assert all(life.store._logs[goal].sealed for goal in life.store._archive)
        life.store.advance(life.now_ms + LIMITS.retention_ms)
        assert not len(life.store._archive)
