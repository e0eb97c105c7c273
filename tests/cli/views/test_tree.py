"""The tree of a plan: signs, states, votes, progress, and how a long plan is folded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.views.tree import SIGNS, as_rich, as_text, rows
from swarm.core.records import child_id
from tests.cli.plans import START, Story, name, whole_story


def test_votes_are_shown_while_they_last() -> None:
    """While splits compete, the tree shows the lens, author, rating and approvals of each."""
    story = Story()
    story.propose("Food", "Music")
    first = story.propose("Before", "After", lens="phase")
    story.rate(first, approve=False, critique="vague")
    text = as_text(rows(story.view(), name=name, now_ms=START + 65_000))
    assert "◐ voting" in text
    assert "waits for a quorum of 1" in text
    assert "1:05 of 1:00:00" in text
    assert "split into 2 parts by place (ann) - not rated yet" in text
    assert "split into 2 parts by phase (ann) - rated 0.70, 0 of 1 approvals" in text


def test_a_task_is_shown_with_its_executor_and_progress() -> None:
    """Each part shows its state by a sign and a word, its executor and its percentage."""
    story = Story()
    proposal = story.propose("Food", "Music")
    story.rate(proposal, approve=True)
    food, music = (child_id(proposal.id, index) for index in range(2))
    story.finish(food, story.claim(food), "Soup.")
    story.progress(music, story.claim(music), 40)
    lines = as_text(rows(story.view(), name=name)).splitlines()
    assert lines[0] == "▶ executing   Plan a fair"
    assert lines[1].startswith("[██████░░░░░░░░░░░░░░] 1/3 · executing")
    assert lines[2] == "├─ ✔ done        Food - by dan, a draft to verify"
    assert lines[3] == "└─ ▶ executing   Music - dan, 40 %"


def test_the_tree_of_an_ascii_terminal_is_ascii() -> None:
    """On a terminal without the signs, everything but people's own text is ASCII."""
    for view in whole_story(Story(), "Food", "Music"):
        lines = rows(view, name=name, now_ms=START, ascii_only=True)
        text = as_text(lines)
        assert text.isascii()
        assert view.state in text


def test_every_state_has_its_own_sign_and_never_only_a_colour() -> None:
    """All signs differ from each other, with and without Unicode."""
    for column in zip(*SIGNS.values(), strict=True):
        assert len(set(column)) == len(SIGNS)


def test_finished_parts_are_folded_first() -> None:
    """A long plan fits the screen: finished parts become a count, unfinished ones stay visible."""
    story = Story()
    titles = [f"Part {number}" for number in range(7)]
    proposal = story.propose(*titles)
    story.rate(proposal, approve=True)
    for index in range(6):
        node = child_id(proposal.id, index)
        story.finish(node, story.claim(node), "x")
    last = child_id(proposal.id, 6)
    story.claim(last)
    view = story.view()
    assert len(rows(view, name=name)) == 9
    folded = as_text(rows(view, name=name, limit=5))
    assert "6 parts" in folded
    assert "executing   Part 6" in folded
    assert len(folded.splitlines()) <= 5
    cut = as_text(rows(view, name=name, limit=3)).splitlines()
    assert len(cut) == 3
    assert cut[-1] == "… 2 more"


@given(st.integers(1, 40), st.integers(0, 7))
def test_a_tree_never_exceeds_its_limit(limit: int, done: int) -> None:
    """For any plan and limit, there are at most as many lines as the limit allows."""
    story = Story()
    proposal = story.propose(*(f"Part {number}" for number in range(7)))
    story.rate(proposal, approve=True)
    for index in range(done):
        node = child_id(proposal.id, index)
        story.finish(node, story.claim(node), "x")
    assert len(rows(story.view(), limit=limit)) <= max(limit, 2)


def test_plain_and_rich_say_the_same() -> None:
    """The coloured tree has the same text as the plain one."""
    for view in whole_story(Story(), "Food", "Music"):
        lines = rows(view, name=name, now_ms=START)
        plain = [line.rstrip() for line in as_text(lines).splitlines()]
        assert [line.rstrip() for line in as_rich(lines).plain.splitlines()] == plain


def test_the_tree_says_what_is_demanded_and_who_is_missing() -> None:
    """Whoever looks at a plan sees what it has to keep, and why it does not go on."""
    story = Story()
    story.propose("Food", "Music")
    view = story.view()
    demands = [f"demand {number}" for number in range(10)]
    root = view.tree.model_copy(update={"waits_because": "no scorer is here"})
    shown = as_text(rows(view.model_copy(update={"demands": demands, "tree": root}), name=name))
    assert "It demands: demand 0; demand 1;" in shown
    assert "demand 7; and 2 more" in shown
    assert f"{view.reason}: no scorer is here" in shown
