"""The sections of the configuration: keys, owner, policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.config import (
    ConfigError,
    SwarmConfig,
    load,
)
from tests.config.environment import environment, problem


def test_the_swarm_key_is_read_from_its_file_and_never_shown(tmp_path: Path) -> None:
    """A key file beats a weaker source's key, and errors never print keys."""
    secret = "ab" * 32
    (tmp_path / "key").write_text(f"{secret}\n")
    (tmp_path / "key").chmod(0o600)
    with environment(LEADERLESS_SWARM__SWARM_KEY="cd" * 32):
        config = load(SwarmConfig, flags={"swarm": {"swarm_key_file": str(tmp_path / "key")}})
        assert config.swarm.key() == secret
        assert load(SwarmConfig).swarm.key() == "cd" * 32
    wrong = "notakey" * 9
    text = problem(LEADERLESS_SWARM__SWARM_KEY=wrong)
    assert "64 hex digits" in text
    assert wrong not in text
    with environment(), pytest.raises(ConfigError, match="cannot be read"):
        load(SwarmConfig, flags={"swarm": {"swarm_key_file": str(tmp_path / "no")}}).swarm.key()


def test_a_swarm_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """The message has the command that closes the file, and does not show the key."""
    path = tmp_path / "key"
    path.write_text("ab" * 32)
    path.chmod(0o644)
    with environment(), pytest.raises(ConfigError, match=f"chmod 600 {path}") as raised:
        load(SwarmConfig, flags={"swarm": {"swarm_key_file": str(path)}}).swarm.key()
    assert "abab" not in str(raised.value)


def test_half_an_owner_in_the_configuration_is_refused(tmp_path: Path) -> None:
    """Keys of an owned swarm without its owner would leave it open by mistake: that is an error."""
    path, key = tmp_path / "own.toml", "ab" * 32
    for text, said in (
        ('grants_file = "g"', "owner must be set too"),
        (f'owner = "{key}"\nowner_key_file = "k"', "grants_file must be set too"),
        ('owner = "abc"', "64 hex digits"),
    ):
        path.write_text(f"[swarm]\n{text}\n")
        with pytest.raises(ConfigError, match=said):
            load(SwarmConfig, file=path)
    path.write_text(f'[swarm]\nowner = "{key.upper()}"\n')
    assert load(SwarmConfig, file=path).swarm.owner_key() == bytes.fromhex(key)


def test_the_policy_is_in_milliseconds_and_consistent() -> None:
    """Times become milliseconds; settings that contradict each other are refused."""
    with environment(
        LEADERLESS_POLICY__LEASE="1m30s",
        LEADERLESS_POLICY__VOTE_WINDOW="30s,0",
        LEADERLESS_POLICY__QUORUM="3",
    ):
        policy = load(SwarmConfig).policy.to_policy()
    assert policy.lease_ms == 90_000
    assert policy.vote_window_ms == [30_000, 0]
    assert policy.quorum == 3
    text = problem(LEADERLESS_POLICY__PATIENCE="10s", LEADERLESS_POLICY__VOTE_WINDOW="20s")
    assert "patience must not be shorter than a vote window" in text
