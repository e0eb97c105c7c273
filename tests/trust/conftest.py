"""Fixtures for tests of owned swarms on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from swarm.config import SwarmSection
from tests.trust.owned import make_swarm


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove this machine's own settings from the environment."""
    for name in os.environ:
        if name.startswith("LEADERLESS_"):
            monkeypatch.delenv(name)


@pytest.fixture
def owned(tmp_path: Path) -> SwarmSection:
    """An owned swarm, as its owner's configuration describes it."""
    return make_swarm(tmp_path / "owner")
