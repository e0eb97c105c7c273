"""Who is missing for what a node waits for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.core.brief import Brief, Demand
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import SHARED_KEY, Subgoal
from swarm.core.views.english import lack_text
from swarm.core.views.english import why as why_lines
from swarm.core.views.plan_view import plan_view
from swarm.core.views.waiting import (
    Lack,
    Lasting,
    NoneHere,
    NotOffered,
    TooFewScorers,
    kind_of,
    lack_of,
    lacks,
)
from tests.core.story import Story


@dataclass(frozen=True)
class Peer:
    role: str
    name: str = "ann"
    trouble: str = ""
    capabilities: tuple[str, ...] = ()
    foreign: bool = False
    author: str = ""


def words(plan: Plan, node: Node, heard: list[Peer]) -> str:
    lack = lack_of(plan, node, heard)
    return "" if lack is None else lack_text(lack)


@pytest.mark.parametrize(
    ("heard", "why"),
    [
        ([Peer("scorer")], "no executor is here"),
        ([Peer("executor", foreign=True)], "no executor is here"),
        ([Peer("executor")], ""),
        ([Peer("executor", trouble="no model"), Peer("executor", "bob")], ""),
        ([Peer("executor", trouble=f"{SHARED_KEY}: stop one")], ""),
        ([Peer("executor", trouble="no model")], "ann cannot work: no model"),
        (
            [Peer("executor", "bob", "no model"), Peer("executor", "ann", "disk full")],
            "ann (and 1 more) cannot work: disk full",
        ),
    ],
)
def test_a_task_says_who_is_missing(heard: list[Peer], why: str) -> None:
    """A task waits for an executor that is here, can work and counts; or it says who is not."""
    story = Story()
    story.accept(1)
    plan, task = story.plan, story.first_task()
    assert words(plan, task, heard) == why
    children = {child.id: child for child in plan_view(plan, heard=heard).tree.children}
    assert children[task.id.hex()].waits_because == why


def test_a_vote_says_how_many_scorers_are_missing() -> None:
    """One scorer cannot be a quorum of two; before any proposal decomposers are what is missing."""
    story = Story()
    assert words(story.plan, story.plan.root, [Peer("scorer")]) == "no decomposer is here"
    story.propose(1)
    plan = story.plan
    assert plan.policy.quorum == 2
    one = [Peer("scorer"), Peer("scorer", "bob", "no model"), Peer("decomposer")]
    assert words(plan, plan.root, one) == "only 1 of the 2 scorers needed is here"
    assert words(plan, plan.root, [Peer("scorer"), Peer("scorer", "bob")]) == ""
    assert words(plan, plan.root, [Peer("executor")]) == "no scorer is here"


def test_what_is_not_known_is_not_said() -> None:
    """A program that knows no peers gets no field, nor does a plan that has ended."""
    story = Story()
    story.accept(1)
    assert "waits_because" not in plan_view(story.plan).model_dump_json()
    others = [Peer("scorer")]
    assert "waits_because" in plan_view(story.plan, heard=others).model_dump_json()
    ended = story.until(200_000)
    assert ended.final
    assert "waits_because" not in plan_view(ended, heard=others).model_dump_json()


def test_a_capability_that_nobody_offers_is_named() -> None:
    """An executor that cannot do the part is as good as none."""
    story = Story()
    story.accept(1, subgoals=[Subgoal(title="Read", capability="web"), Subgoal(title="Write")])
    plan, task = story.plan, story.first_task()
    assert words(plan, task, [Peer("executor")]) == "no executor here offers web"
    assert words(plan, task, [Peer("executor", capabilities=("web",))]) == ""


def test_a_held_task_says_that_its_executor_is_gone_or_cannot_work() -> None:
    """Else an outage in the middle of a task is invisible until the lease ends."""
    story = Story()
    story.accept(1)
    task = story.first_task()
    holder = story.claim(20, task.id).author.hex()
    plan = story.until(30)
    assert plan.state_of(task) == "executing"
    assert words(plan, task, [Peer("executor", author=holder)]) == ""
    assert "not here" in words(plan, task, [Peer("executor", author="other")])
    ill = Peer("executor", author=holder, trouble="no model")
    assert words(plan, task, [ill]) == "ann cannot work: no model"


ALL = [Peer("decomposer"), Peer("scorer"), Peer("scorer", "bob"), Peer("executor")]


def test_a_plan_says_who_is_missing_for_what_it_has_before_it() -> None:
    """While votes are open all roles are needed; then executors; nobody once it has ended."""
    story = Story()
    roles = [NoneHere("decomposer"), NoneHere("scorer"), NoneHere("executor")]
    assert lacks(story.plan, []) == roles
    assert lacks(story.plan, ALL) == []
    story.propose(1)
    assert lacks(story.plan, []) == roles[1:]
    few = [Peer("scorer"), Peer("executor")]
    assert lacks(story.plan, few) == [TooFewScorers(1, 2)]
    decided = Story()
    decided.accept(1)
    assert lacks(decided.plan, []) == [NoneHere("executor")]
    assert lacks(decided.until(200_000), []) == []


def test_a_capability_of_a_part_is_told_for_the_whole_plan_once() -> None:
    """Two parts that need it are one lack; a peer that offers it ends the lack."""
    story = Story()
    web = [Subgoal(title=title, capability="web") for title in ("Read", "Write")]
    story.accept(1, subgoals=web)
    assert lacks(story.plan, [Peer("executor")]) == [NotOffered(("web",))]
    assert lacks(story.plan, [Peer("executor", capabilities=("web",))]) == []
    unable = Peer("executor", "bob", "no model", capabilities=("web",))
    assert lacks(story.plan, [Peer("executor"), unable]) == [NotOffered(("web",))]


def test_a_review_waits_for_scorers() -> None:
    """A result under review that too few scorers can review says so; a revision needs executors."""
    story = Story(reviews=1)
    story.accept(1)
    task = story.first_task()
    story.result(21, story.claim(20, task.id))
    plan = story.until(30)
    assert plan.state_of(task) == "executing"
    assert words(plan, task, [Peer("executor")]) == "no scorer is here"
    assert words(plan, task, [Peer("scorer")]) == "only 1 of the 2 scorers needed is here"
    assert TooFewScorers(1, 2) in lacks(plan, [Peer("scorer")])
    assert words(plan, task, [Peer("scorer"), Peer("scorer", "bob")]) == ""


def test_why_says_who_is_missing() -> None:
    """`swarm why` of a waiting task names what it waits for and who is missing."""
    story = Story()
    story.accept(1)
    first = why_lines(story.plan, story.first_task(), heard=[Peer("scorer")])[0]
    assert first.endswith("(waits for an executor: no executor is here)")


def test_demands_are_shown_before_the_vote_has_ended() -> None:
    """People see what was read from their goal while they vote, not only after."""
    story = Story()
    story.propose(1, brief=Brief(demands=[Demand(kind="must", text="no stairs")]))
    assert plan_view(story.plan).demands == ["no stairs"]


STEPS = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(1, 5)), max_size=40)


@given(STEPS)
def test_only_what_lasts_is_told(steps: list[tuple[int, bool, int]]) -> None:
    """Whatever changes, a lack is told from the grace on after it began, as long as it is there."""
    lasting = Lasting[Lack](kind_of, 6)
    since: dict[int, int] = {}
    now = 0
    for able, wrong, passed in steps:
        now += passed
        told = lasting.of([TooFewScorers(able, 4)] if wrong else [], now)
        # However many there are, it is the same lack.
        since = {0: since.get(0, now)} if wrong else {}
        assert bool(told) == (wrong and now - since[0] >= 6)
