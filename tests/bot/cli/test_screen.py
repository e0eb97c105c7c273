"""What the playground shows in a terminal, and in a pipe."""

from __future__ import annotations

import io
import time

import click
import pytest

from bot.cli.app import COMMANDS, swarm_bot
from bot.cli.app import run as run_command
from bot.cli.local_swarm import Loading, LocalSwarm
from bot.cli.screen import Screen, readable
from bot.rendering import chunks
from swarm.console.errors import ENVIRONMENT


def test_a_message_reads_well_without_discord() -> None:
    """Markup goes, text stays; times are clock times; addresses are bare."""
    (message,) = chunks(
        "## Day *one*\n\nSee [here](https://a.example/x_y), `code`, 5 \\* 3, @everyone"
    )
    assert (
        readable(message) == "Day *one*\nSee here (https://a.example/x_y), code, 5 * 3, @everyone"
    )
    assert readable("-# asked <t:60:R>") == "asked " + time.strftime("%H:%M", time.localtime(60))


def test_in_a_pipe_only_news_of_the_live_message_are_printed() -> None:
    """An edit prints the lines that changed, not the whole tree again."""
    out = io.StringIO()
    screen = Screen(out)
    screen.live("### 🗺️ Trip\n- ⏳ **1** Fly · waiting\n- ⏳ **2** Eat · waiting")
    screen.live("### 🗺️ Trip\n- ✅ **1** Fly · done\n- ⏳ **2** Eat · waiting")
    screen.close()
    assert out.getvalue().splitlines() == [
        "  🗺️ Trip",
        "  - ⏳ 1 Fly · waiting",
        "  - ⏳ 2 Eat · waiting",
        "  - ✅ 1 Fly · done",
    ]


def test_in_a_pipe_a_download_is_a_line_each_ten_percent() -> None:
    """A log file is not flooded; the end is always said."""
    out = io.StringIO()
    screen = Screen(out)
    screen.loading(Loading("looking"))
    for done in range(0, 1_001, 3):
        screen.loading(Loading("fetching", min(done, 1_000), 1_000))
    screen.loading(Loading("fetching", 1_000, 1_000))
    screen.loading(Loading("model tiny"))
    lines = out.getvalue().splitlines()
    assert lines[0] == "looking"
    assert lines[1] == "fetching 0 %"
    assert lines[-2:] == ["fetching 100 %", "model tiny"]
    assert 11 <= len(lines) - 2 <= 12


def test_events_of_the_swarm_are_taken_as_they_come() -> None:
    """Unknown events and broken lines are passed over; an error keeps its exit code."""
    notes: list[str] = []
    loads: list[Loading] = []
    swarm = LocalSwarm([], on_model=loads.append, on_note=notes.append)
    for line in (
        b'{"event":"model","stage":"fetching","text":"t","done":1,"total":2,"new":[]}\n',
        b"not json\n",
        b'{"event":"later"}\n',
        b"[]\n",
        b'{"event":"peer","name":"scorer-1","state":"restarting","detail":"exit 9"}\n',
        b'{"event":"ready","peers":["a","b"]}\n',
        b'{"event":"error","text":"no model","exit":"odd"}\n',
    ):
        swarm._handle(line)
    assert loads == [Loading("t", 1, 2)]
    assert notes == ["scorer-1 restarting: exit 9", "2 peers are running."]
    assert swarm.ready.is_set()
    assert swarm._error is not None
    assert (str(swarm._error), swarm._error.exit_code) == ("no model", ENVIRONMENT)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself_with_examples(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` works without a configuration and shows how the command is used."""
    assert run_command([name, "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out
    command = swarm_bot.get_command(click.Context(swarm_bot), name)
    assert command is not None
    assert command.name == name


def test_a_wrong_option_and_an_empty_goal_are_usage_errors(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2 and a sentence, no traceback."""
    assert run_command(["playground", "--prot", "1"]) == 2
    assert "--port" in capsys.readouterr().err
    assert run_command(["playground", "--goal", "  "]) == 2
    assert "The goal is empty" in capsys.readouterr().err
