"""The plan for programs: the `--json` interface."""

from __future__ import annotations

from swarm.core.views.plan_view import plan_view
from tests.core.story import Story
from tests.core.worlds import EXECUTORS, public


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
