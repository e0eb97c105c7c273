"""Trees, stories and documents: what people see of a plan, and what they must never see."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.views.changes import changes
from swarm.cli.views.live import Follower
from swarm.cli.views.output import ascii_only, plan_markdown, print_markdown
from swarm.cli.views.tree import SIGNS, as_rich, as_text, rows
from swarm.console.text import clean, duration, one_line, progress_bar
from swarm.core.records import child_id
from tests.cli.plans import START, Story, name, whole_story

HOSTILE = "\x1b[2J\x9b31m\u202egnip\x07"
"""Clears the screen, colours it, turns the text around and rings."""


def test_votes_are_shown_while_they_last() -> None:
    """While splits compete the tree shows each, its lens, author, ratings and approvals."""
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


def test_work_is_shown_with_who_does_it_and_how_far_it_is() -> None:
    """Each part has a sign and a word for its state, its executor and its percentage."""
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
    """Where signs cannot be shown, everything but people's own words is ASCII, words included."""
    for view in whole_story(Story(), "Food", "Music"):
        lines = rows(view, name=name, now_ms=START, ascii_only=True)
        text = as_text(lines)
        assert text.isascii()
        assert view.state in text


def test_every_state_has_its_own_sign_and_never_only_a_colour() -> None:
    """Signs differ from each other in both alphabets."""
    for column in zip(*SIGNS.values(), strict=True):
        assert len(set(column)) == len(SIGNS)


def test_what_is_done_folds_first() -> None:
    """A long plan fits its room: done parts fold into a count, work in progress stays visible."""
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
def test_a_tree_never_outgrows_its_room(limit: int, done: int) -> None:
    """Whatever the plan and the room, there are at most as many lines as fit."""
    story = Story()
    proposal = story.propose(*(f"Part {number}" for number in range(7)))
    story.rate(proposal, approve=True)
    for index in range(done):
        node = child_id(proposal.id, index)
        story.finish(node, story.claim(node), "x")
    assert len(rows(story.view(), limit=limit)) <= max(limit, 2)


def test_plain_and_rich_say_the_same() -> None:
    """The coloured tree has the plain one's words."""
    for view in whole_story(Story(), "Food", "Music"):
        lines = rows(view, name=name, now_ms=START)
        plain = [line.rstrip() for line in as_text(lines).splitlines()]
        assert [line.rstrip() for line in as_rich(lines).plain.splitlines()] == plain


def test_a_story_tells_each_event_once_and_in_order() -> None:
    """From goal to end every line is new, and what people need is among them."""
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


def test_a_goal_that_ended_before_we_came_is_one_line_and_its_end() -> None:
    """History is not replayed to whoever starts to watch."""
    *_, view = whole_story(Story(), "Food", "Music")
    assert len(changes(None, view, name=name)) == 2


def test_a_cancelled_goal_says_why() -> None:
    """The reason given with a cancel is in the tree and in the story."""
    story = Story()
    before = story.view()
    story.cancel("we go to Korea instead")
    assert "we go to Korea instead" in as_text(rows(story.view()))
    assert changes(before, story.view())[-1] == "⊘ the plan is cancelled: we go to Korea instead"


def test_texts_of_others_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """No title, name, notice, critique or result brings an escape or a turned direction."""
    story = Story(f"Fair {HOSTILE}")
    proposal = story.propose(f"Food {HOSTILE}", "Music", lens=f"x{HOSTILE}")
    before = story.view()
    story.rate(proposal, approve=True, critique=HOSTILE)
    story.notice(HOSTILE)
    node = child_id(proposal.id, 0)
    story.finish(node, story.claim(node), f"Soup {HOSTILE}")
    view = story.view()
    shown = as_text(rows(view, name=lambda _: HOSTILE)) + "\n"
    shown += "\n".join(changes(None, before, name=lambda _: HOSTILE)) + "\n"
    shown += "\n".join(changes(before, view, name=lambda _: HOSTILE))
    print_markdown(plan_markdown(view))
    shown += capsys.readouterr().out
    assert "Soup" in shown
    assert not set(shown) & set("\x1b\x9b\u202e\x07")


@given(st.text())
def test_cleaning_keeps_text_and_takes_control(text: str) -> None:
    """What is cleaned has no controls but line breaks and tabs, and cleaning again does nothing."""
    kept = clean(text)
    assert clean(kept) == kept
    assert not any(ord(char) < 32 and char not in "\n\t" for char in kept)
    assert "\n" not in one_line(text)
    assert len(one_line(text, 10)) <= 10


def test_a_plan_document_says_what_to_be_careful_with() -> None:
    """The printed plan has a title, the text, and a warning when a small model wrote it."""
    *_, view = whole_story(Story(), "Food", "Music")
    text = plan_markdown(view)
    assert text.startswith("# Plan a fair\n\nThe whole.")
    assert "verify" in text


def test_a_pipe_gets_lines_and_a_program_gets_nothing() -> None:
    """A follower without a terminal writes plain lines with the time; a quiet one is silent."""
    plain, silent = io.StringIO(), io.StringIO()
    with Follower(plain, name) as shown, Follower(silent, name, quiet=True) as quiet:
        for view in whole_story(Story(), "Food", "Music"):
            shown.show([view], START + 61_000)
            quiet.show([view], START + 61_000)
    assert "1:01  ✔ the plan is done" in plain.getvalue()
    assert "\x1b" not in plain.getvalue()
    assert silent.getvalue() == ""


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Claim to be one."""
        return True


def test_no_color_is_respected_and_the_terminal_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With NO_COLOR the live tree has no colour codes; at its end the cursor shows again."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    with Follower(terminal, name) as shown:
        assert shown.live
        for view in whole_story(Story(), "Food", "Music"):
            shown.show([view], START)
    written = terminal.getvalue()
    assert "✔ done" in written
    assert "\x1b[32m" not in written
    assert written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l")


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where lines cannot be redrawn, nothing tries to."""
    monkeypatch.setenv("TERM", "dumb")
    with Follower(Terminal(), name) as shown:
        assert not shown.live


def test_small_things_read_well() -> None:
    """Durations, bars and encodings at their edges."""
    assert [duration(ms) for ms in (-5, 999, 61_000, 3_661_000)] == [
        "0:00",
        "0:00",
        "1:01",
        "1:01:01",
    ]
    assert progress_bar(0, 0) == f"[{'░' * 20}] 0/0"
    assert progress_bar(9, 3, ascii_only=True) == f"[{'#' * 20}] 9/3"
    assert ascii_only(io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert not ascii_only(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
