"""Fixtures for tests of commands: they run in this process, in a world of their own."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from swarm.cli.app import run
from tests.trust.world import World

Say = Callable[..., tuple[int, str, str]]
"""Runs a command and returns its exit code, stdout and stderr."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose commands run in this process."""
    for name in os.environ:
        if name.startswith("LEADERLESS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    return World(tmp_path)


@pytest.fixture
def say(world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a command, and keep its output for the check that no secret leaked."""

    def command(*words: str, stdin: str = "", secret: bool = False) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = run(words)
        out, err = capsys.readouterr()
        world.said += [err] if secret else [out, err]
        return code, out, err

    return command
