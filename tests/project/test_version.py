"""One version: what pyproject.toml states is what every program and every peer publishes."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import swarm

ROOT = Path(__file__).parents[2]
STATED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_installed_version_is_the_stated_one() -> None:
    """The version comes from the installed package, hence from pyproject.toml."""
    assert swarm.version() == STATED


@pytest.mark.parametrize("program", ["swarm", "bot"])
def test_both_programs_print_it(program: str) -> None:
    """`swarm --version` and `swarm-bot --version` print it."""
    command = [sys.executable, "-m", program, "--version"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == f"leaderless {STATED}\n"


def test_the_changelog_has_an_entry_for_it() -> None:
    """The newest released version in CHANGELOG.md is this one, or comes before it."""
    assert f"## [{STATED}]" in (ROOT / "CHANGELOG.md").read_text()
