"""Following plans live: at a terminal, in a pipe, or silently."""

from __future__ import annotations

import io

import pytest

from swarm.cli.views.live import Follower
from tests.cli.plans import START, Story, name, whole_story


def test_a_pipe_gets_lines_and_a_program_gets_nothing() -> None:
    """Without a terminal a follower writes plain lines with the time; a quiet one is silent."""
    plain, silent = io.StringIO(), io.StringIO()
    with Follower(plain, name) as shown, Follower(silent, name, quiet=True) as quiet:
        for view in whole_story(Story(), "Food", "Music"):
            shown.show([view], START + 61_000)
            quiet.show([view], START + 61_000)
    assert "1:01  ✔ the plan is done" in plain.getvalue()
    assert "\x1b" not in plain.getvalue()
    assert silent.getvalue() == ""


class Terminal(io.StringIO):
    """A terminal that keeps what was written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Claim to be a terminal."""
        return True


def test_no_color_is_respected_and_the_terminal_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With NO_COLOR the live tree has no colour codes; at the end the cursor is visible again."""
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
    """A terminal that cannot redraw lines gets plain lines."""
    monkeypatch.setenv("TERM", "dumb")
    with Follower(Terminal(), name) as shown:
        assert not shown.live
