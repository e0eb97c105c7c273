"""The `swarm` command: help, exit codes, and what it must not import."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from swarm.cli.app import COMMANDS, run, swarm

HEAVY = (
    "pydantic",
    "rich",
    "trio",
    "structlog",
    "libp2p",
    "ollama",
    "httpx",
    "discord",
    "swarm.peer.peer",
)
"""Modules that `swarm --help` and `swarm COMMAND --help` must not import."""


def commands() -> Iterator[tuple[str, ...]]:
    """Yield every command and subcommand."""
    context = click.Context(swarm)
    for name in COMMANDS:
        yield (name,)
        command = swarm.get_command(context, name)
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                yield (name, inner)


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_explains_itself(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The help of a command says what it does, describes every option, and shows examples."""
    assert run([*path, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Usage: swarm {' '.join(path)}")
    command: click.Command | None = swarm
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    assert command.help
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert [option.name for option in options if not option.help] == []
    if len(path) == 1:
        assert "Examples:" in text


def test_the_list_of_commands_says_what_they_say_themselves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`swarm --help` names every command, with the first word of the command's own help."""
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for name, (_, summary) in COMMANDS.items():
        assert f"{name} " in text
        command = swarm.get_command(click.Context(swarm), name)
        assert command is not None
        assert summary.split(" ")[0] == (command.help or "").split(" ")[0]


@pytest.mark.parametrize("arguments", [["--help"], ["up", "--help"], ["model", "--help"], ["oops"]])
def test_help_and_usage_errors_import_nothing_heavy(arguments: list[str]) -> None:
    """Help and usage errors start fast, because no heavy module is imported."""
    code = (
        "import sys\nfrom swarm.cli.app import run\n"
        f"run({arguments!r})\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["oops"], "No such command"),
        (["submt"], "Did you mean 'submit'?"),
        (["peer", "boss"], "is not one of 'decomposer'"),
        (["up", "--scorers", "many"], "--scorers"),
        (["up", "--json"], "--json-events"),
        (["up", ""], "The goal is empty"),
        (["submit", "x" * 10_001], "at most 10,000"),
        (["cancel"], "ID"),
        (["cancel", "xyz"], "hex digits"),
        (["why", ""], "hex digits"),
        (["observe", "nothex", "--once"], "hex digits"),
        (["peers", "--config", "/nowhere/x.toml"], "cannot be read"),
        (["peers", "--log-level", "loud"], "log.level"),
        (["peer", "observer", "--listen", "nonsense", "--state-dir", "STATE"], "nonsense"),
    ],
)
def test_mistakes_are_messages_with_exit_code_2(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every mistake on the command line gives a message, never a traceback."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("LEADERLESS_SWARM__STATE_DIR", str(folder))
    monkeypatch.setenv("LEADERLESS_SWARM__RUNTIME_DIR", str(folder / "run"))
    arguments = [str(folder) if word == "STATE" else word for word in arguments]
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_closing_the_output_early_prints_no_error() -> None:
    """`swarm config show | head -1` prints no error."""
    done = subprocess.run(
        f"{sys.executable} -m swarm config show | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[swarm]\n"
    assert done.stderr == ""
