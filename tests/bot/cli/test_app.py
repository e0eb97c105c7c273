"""The `swarm-bot` command line: help and usage errors."""

from __future__ import annotations

import click
import pytest

from bot.cli.app import COMMANDS, swarm_bot
from bot.cli.app import run as run_command


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
    """The exit code is 2 and stderr has a sentence, not a traceback."""
    assert run_command(["playground", "--prot", "1"]) == 2
    assert "--port" in capsys.readouterr().err
    assert run_command(["playground", "--goal", "  "]) == 2
    assert "The goal is empty" in capsys.readouterr().err
