"""What changed in a plan, as lines of text."""

from __future__ import annotations

from swarm.cli.views.changes import changes
from swarm.cli.views.tree import as_text, rows
from tests.cli.plans import Story, name, whole_story


def test_a_story_tells_each_event_once_and_in_order() -> None:
    """From start to end no line repeats, and the important events are there in order."""
    told: list[str] = []
    last = None
    for view in whole_story(Story(), "Food", "Music"):
        told += changes(last, view, name=name)
        assert changes(view, view, name=name) == []
        last = view
    assert len(told) == len(set(told))
    wanted = [
        f"goal {last.goal[:8] if last else ''} by asker: Plan a fair",
        "proposal: split into 2 parts by place (ann)",
        "  cleo rates 0.70 and approves the split by place of ann",
        "accepted: split into 2 parts by place (ann), rated 0.70, 1 of 1 approvals",
        "▶ dan works on “Food”",
        "✔ “Food” is done, by dan",
        "▶ dan puts together the goal",
        "✔ the plan is done",
    ]
    places = [next(i for i, line in enumerate(told) if line.startswith(want)) for want in wanted]
    assert places == sorted(places)


def test_a_goal_that_has_already_ended_is_two_lines() -> None:
    """An observer that starts to watch a finished goal is not shown its history."""
    *_, view = whole_story(Story(), "Food", "Music")
    assert len(changes(None, view, name=name)) == 2


def test_a_cancelled_goal_says_why() -> None:
    """The reason given with a cancel is in the tree and in the lines."""
    story = Story()
    before = story.view()
    story.cancel("we go to Korea instead")
    assert "we go to Korea instead" in as_text(rows(story.view()))
    assert changes(before, story.view())[-1] == "⊘ the plan is cancelled: we go to Korea instead"
