"""The environment of tests of the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest

from swarm.config import (
    ConfigError,
    SwarmConfig,
    load,
)


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set only these variables of Leaderless, for the time of the block."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LEADERLESS_") and name != "OLLAMA_HOST"
    }
    with mock.patch.dict(os.environ, kept | variables, clear=True):
        yield


def problem(flags: dict[str, dict[str, Any]] | None = None, **variables: str) -> str:
    """Return the message about a configuration that is wrong."""
    with environment(**variables), pytest.raises(ConfigError) as caught:
        load(SwarmConfig, flags=flags)
    return str(caught.value)
