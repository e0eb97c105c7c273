"""The bot's configuration: the token, its file, and wrong settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import BotSection, Discord, read, read_discord
from swarm.config import ConfigError


def test_without_a_token_the_first_step_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newcomers learn where a token comes from and how to try the bot without one."""
    monkeypatch.delenv("LEADERLESS_DISCORD_TOKEN", raising=False)
    with pytest.raises(ConfigError, match="swarm-bot playground"):
        read_discord(read({}))


def test_the_token_comes_from_the_file_first_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configured file takes precedence over the environment, and the repr hides the token."""
    monkeypatch.setenv("LEADERLESS_DISCORD_TOKEN", "from-environment")
    assert read_discord(read({})).token == "from-environment"
    path = tmp_path / "token.txt"
    path.write_text("from-file\n")
    found = read_discord(read({"bot": {"token_file": str(path)}}))
    assert found.token == "from-file"
    assert "from-file" not in repr(found)
    assert repr(Discord("secret", "a", "b")) == "Discord(api='a', gateway='b')"
    path.write_text("")
    with pytest.raises(ConfigError, match="is empty"):
        read_discord(read({"bot": {"token_file": str(path)}}))


def test_a_token_file_without_end_is_not_read_to_its_end() -> None:
    """A wrong file, named by mistake, is reported without being read into memory."""
    with pytest.raises(ConfigError, match="is too long"):
        read_discord(read({"bot": {"token_file": "/dev/zero"}}))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("LEADERLESS_BOT__EDIT_EVERY", "0.1", 'a time from "1s"'),
        ("LEADERLESS_BOT__VOTE_WINDOW", "10h", "patience must not be shorter"),
        ("LEADERLESS_BOT__NAEM", "x", "name"),
    ],
)
def test_wrong_settings_are_named_with_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """The message names the setting and its allowed values."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError, match=said):
        read({})


def test_the_shipped_settings_are_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """config/bot.toml documents the defaults in the code."""
    monkeypatch.delenv("LEADERLESS_CONFIG", raising=False)
    assert read({}).bot == BotSection()
