"""How goals end, one by one, and what is told of them."""

from __future__ import annotations

from swarm.core.clock import Stamp
from swarm.core.fold.reasons import Cancelled, DeadlinePassed
from swarm.core.records import (
    Cancel,
)
from swarm.core.views.plan_view import answer, plan_view
from tests.core.story import T0, Story
from tests.core.worlds import BOT, EXECUTORS, public


def test_the_deadline_ends_a_goal_with_what_there_is() -> None:
    """After the deadline: partial if any part is done, and the answer has that part."""
    story = Story(deadline_ms=500)
    story.accept(1)
    story.result(30, story.claim(20, story.first_task().id), text="the first part")
    plan = story.until(501)
    assert (plan.state, plan.reason) == ("partial", DeadlinePassed())
    assert "the first part" in answer(plan)


def test_cancel_is_the_authors_and_loses_nothing() -> None:
    """Only the author's cancel counts; what was done before is kept, later results are not."""
    story = Story()
    story.accept(1)
    first, second = story.plan.root.children
    story.result(30, story.claim(20, first.id), text="kept")
    held = story.claim(40, second.id)
    story.tell(Cancel(stamp=Stamp(T0 + 50), goal=story.goal.id), EXECUTORS[0])
    assert story.plan.state == "executing"
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id, reason="enough"), BOT)
    story.result(70, held)
    assert (story.plan.state, story.plan.reason) == ("cancelled", Cancelled("enough"))
    assert "kept" in answer(story.plan)
    assert story.plan.state_of(second) == "cancelled"


def test_a_cancel_after_the_end_changes_nothing() -> None:
    """A goal that ended stays as it ended."""
    story = Story(max_depth=0)
    story.result(30, story.claim(20, story.goal.id))
    digest = story.plan.digest
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id), BOT)
    assert story.plan.state == "done"
    assert digest == story.plan.digest


def test_the_view_is_complete_json() -> None:
    """The `--json` view names state, proposals, votes, claim and result, and parses back."""
    story = Story()
    proposal = story.accept(1)
    story.result(30, story.claim(20, story.first_task().id), text="done it")
    view = plan_view(story.plan, records=7)
    assert type(view).model_validate_json(view.model_dump_json()) == view
    (shown,) = view.tree.proposals
    assert shown.id == proposal.id.hex()
    assert shown.accepted
    assert [ballot.approves for ballot in shown.ballots] == [True, True]
    task = view.tree.children[0]
    assert task.state == "done"
    assert task.claim is not None
    assert task.claim.holder == public(EXECUTORS[0]).hex()
    assert task.result is not None
    assert task.result.text == "done it"
