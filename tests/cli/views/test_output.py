"""Results on stdout: the plan as a document, JSON, and nothing that steers a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import BaseModel

from swarm.cli.views import output
from swarm.cli.views.changes import changes
from swarm.cli.views.output import plan_markdown, print_markdown
from swarm.cli.views.tree import as_text, rows
from swarm.core.records import child_id
from tests.cli.plans import Story, whole_story
from tests.console.steering import STEERING

HOSTILE = "\x1b[2J\x9b31m\u202egnip\x07"
"""Clears the screen, colours it, turns the text around and rings."""


def test_texts_of_others_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """No title, name, notice, critique or result can print an escape or turn the text around."""
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


def test_a_plan_document_warns_of_drafts_by_small_models() -> None:
    """The printed plan has a title, the text, and a warning if a small model wrote it."""
    *_, view = whole_story(Story(), "Food", "Music")
    text = plan_markdown(view)
    assert text.startswith("# Plan a fair\n\nThe whole.")
    assert "verify" in text


class Said(BaseModel):
    """A model that holds a text."""

    text: str


def test_every_way_to_print_json_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    """A value, a model and a line of JSON are all escaped."""
    text = "".join(STEERING[:-1])
    output.print_json({"text": text})
    output.print_json(Said(text=text))
    output.print_json_line({"text": text})
    shown = capsys.readouterr().out
    assert not set(shown) & (set(STEERING) - {"\n"})
    assert shown.count(r"\u009b") == 3


IN_A_TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:  # The shell of a terminal.
    from swarm.cli.views.output import is_live
    print("front", is_live(sys.stdout), flush=True)
    child = os.fork()
    if child == 0:  # A command that it runs in the background.
        os.setpgid(0, 0)
        print("back", is_live(sys.stdout), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    os._exit(0)
said = b""
while True:
    try:
        piece = os.read(terminal, 1000)
    except OSError:  # Linux says so when the other side is closed.
        break
    if not piece:
        break
    said += piece
os.waitpid(pid, 0)
print(said.decode())
"""


@pytest.mark.skipif(not hasattr(os, "tcgetpgrp"), reason="this system has no background of a shell")
def test_a_command_in_the_background_of_a_terminal_prints_lines() -> None:
    """`swarm up &` must not paint its board over what the user types."""
    done = subprocess.run(
        [sys.executable, "-c", IN_A_TERMINAL],
        env={**os.environ, "TERM": "xterm"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["front", "True", "back", "False"]
