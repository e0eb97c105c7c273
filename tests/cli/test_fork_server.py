"""The process that peers are forked from imports only what is there."""

from __future__ import annotations

import importlib.util

import pytest

from swarm.cli.fork_server import PRELOAD


@pytest.mark.parametrize("module", PRELOAD)
def test_every_preloaded_module_exists(module: str) -> None:
    """A module that was renamed is renamed in the list too; else no peer would start."""
    assert importlib.util.find_spec(module) is not None
