"""The messages that the user sees when a value of the configuration is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.config import (
    ConfigError,
    SwarmConfig,
    load,
)
from tests.config.environment import environment, problem


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("LEADERLESS_POLICY__MAX_DEPTH", "9", "a whole number from 0 to 6"),
        ("LEADERLESS_POLICY__MAX_DEPTH", "deep", "a whole number from 0 to 6"),
        ("LEADERLESS_POLICY__LEASE", "soon", '"90s", "5m" or "1h30m"'),
        ("LEADERLESS_POLICY__LEASE", "0", '"90s", "5m" or "1h30m"'),
        ("LEADERLESS_POLICY__PEOPLE", "maybe", 'one of "count", "advisory", "off"'),
        ("LEADERLESS_POLICY__QUORUM", "1", '"majority", or a whole number from 2 to 256'),
        ("LEADERLESS_POLICY__FLOOR", "2", "a number from 0 to 1"),
        ("LEADERLESS_POLICY__ELECTORATE", "abc", "64 hex digits"),
        ("LEADERLESS_SWARM__MDNS", "perhaps", "true or false"),
        ("LEADERLESS_SWARM__NAME", "x" * 65, "1 to 64 characters"),
        ("LEADERLESS_LOG__LEVEL", "loud", '"debug", "info", "warning", "error"'),
    ],
)
def test_a_wrong_value_names_key_source_value_and_what_is_allowed(
    variable: str, value: str, allowed: str
) -> None:
    """The message for any wrong value has all four."""
    with environment(**{variable: value}), pytest.raises(ConfigError) as caught:
        load(SwarmConfig)
    text = str(caught.value)
    key = variable.removeprefix("LEADERLESS_").lower().replace("__", ".")
    assert key in text
    assert variable in text
    assert value[:40] in text
    assert allowed in text


def test_a_wrong_value_in_a_file_or_a_flag_names_that(tmp_path: Path) -> None:
    """The source of a wrong value is the file's path, or the option as it is typed."""
    path = tmp_path / "own.toml"
    path.write_text("[policy]\nmax_children = 1\n")
    with environment(), pytest.raises(ConfigError, match=r"own\.toml"):
        load(SwarmConfig, file=path)
    assert "--log-level" in problem({"log": {"level": "x"}})


def test_all_mistakes_are_reported_at_once() -> None:
    """Two wrong values give two entries in one message."""
    text = problem(LEADERLESS_POLICY__FLOOR="x", LEADERLESS_POLICY__LEASE="x")
    assert "policy.floor" in text
    assert "policy.lease" in text


def test_a_misspelt_key_or_section_is_an_error_with_a_suggestion(tmp_path: Path) -> None:
    """A typo in the environment or in a file is never ignored."""
    assert "Did you mean max_depth?" in problem(LEADERLESS_POLICY__MAX_DEPHT="1")
    assert "Did you mean policy?" in problem(LEADERLESS_POLCY__MAX_DEPTH="1")
    assert "LEADERLESS_SWARM__NAME" in problem(LEADERLESS_SWARM="x")
    path = tmp_path / "own.toml"
    path.write_text("[modle]\nname = 'x'\n")
    with environment(), pytest.raises(ConfigError, match="Did you mean model"):
        load(SwarmConfig, file=path)
