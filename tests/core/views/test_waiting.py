"""Who is missing for what a node waits for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from swarm.core.records import SHARED_KEY, Subgoal
from swarm.core.views.plan_view import plan_view
from swarm.core.views.waiting import waits_because
from tests.core.story import Story


@dataclass(frozen=True)
class Peer:
    role: str
    name: str = "ann"
    trouble: str = ""
    capabilities: tuple[str, ...] = ()
    foreign: bool = False
    author: str = ""


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
    assert waits_because(plan, task, heard) == why
    children = {child.id: child for child in plan_view(plan, heard=heard).tree.children}
    assert children[task.id.hex()].waits_because == why


def test_a_vote_says_how_many_scorers_are_missing() -> None:
    """One scorer cannot be a quorum of two; before any proposal decomposers are what is missing."""
    story = Story()
    assert waits_because(story.plan, story.plan.root, [Peer("scorer")]) == "no decomposer is here"
    story.propose(1)
    plan = story.plan
    assert plan.policy.quorum == 2
    one = [Peer("scorer"), Peer("scorer", "bob", "no model"), Peer("decomposer")]
    assert waits_because(plan, plan.root, one) == "only 1 of the 2 scorers needed is here"
    assert waits_because(plan, plan.root, [Peer("scorer"), Peer("scorer", "bob")]) == ""
    assert waits_because(plan, plan.root, [Peer("executor")]) == "no scorer is here"


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
    assert waits_because(plan, task, [Peer("executor")]) == "no executor here offers web"
    assert waits_because(plan, task, [Peer("executor", capabilities=("web",))]) == ""


def test_a_held_task_says_that_its_executor_is_gone_or_cannot_work() -> None:
    """Else an outage in the middle of a task is invisible until the lease ends."""
    story = Story()
    story.accept(1)
    task = story.first_task()
    holder = story.claim(20, task.id).author.hex()
    plan = story.until(30)
    assert plan.state_of(task) == "executing"
    assert waits_because(plan, task, [Peer("executor", author=holder)]) == ""
    assert "not here" in waits_because(plan, task, [Peer("executor", author="other")])
    ill = Peer("executor", author=holder, trouble="no model")
    assert waits_because(plan, task, [ill]) == "ann cannot work: no model"
