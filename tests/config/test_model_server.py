"""The address of a model server and its key: which source wins, and what is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from swarm.cli.commands.config import show
from swarm.config import ConfigError, SwarmConfig, load, server_variables
from tests.config.environment import environment, problem


def test_both_names_of_the_address_are_one_setting(tmp_path: Path) -> None:
    """A stronger source that sets one name replaces the other of a weaker source."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nollama_url = "http://127.0.0.1:1"\n')
    with environment():
        assert load(SwarmConfig, file=path).model.to_settings().url == "http://127.0.0.1:1"
    with environment(LEADERLESS_MODEL__URL="http://127.0.0.1:2"):
        assert load(SwarmConfig, file=path).model.to_settings().url == "http://127.0.0.1:2"
        flags = {"model": {"ollama_url": "http://127.0.0.1:3"}}
        assert load(SwarmConfig, flags=flags).model.to_settings().url == "http://127.0.0.1:3"


def test_both_names_at_once_are_an_error() -> None:
    """Within one source nobody can say which is meant."""
    said = problem(LEADERLESS_MODEL__URL="http://a", LEADERLESS_MODEL__OLLAMA_URL="http://b")
    assert "url and ollama_url are both set" in said


def test_ollama_host_replaces_either_name_in_a_file(tmp_path: Path) -> None:
    """It is a choice of the person who set it, whatever the file calls its address."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nurl = "http://127.0.0.1:1"\n')
    with environment(OLLAMA_HOST="127.0.0.1:2"):
        assert load(SwarmConfig, file=path).model.to_settings().url == ""


def test_a_key_in_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """The message says how to close the file and does not show the key; closed, it is used."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\napi_key = "sk-geheim"\n')
    path.chmod(0o644)
    with environment(), pytest.raises(ConfigError, match=r"chmod 600 .*own\.toml") as caught:
        load(SwarmConfig, file=path)
    assert "geheim" not in str(caught.value)
    path.chmod(0o600)
    with environment():
        key = load(SwarmConfig, file=path).model.to_settings().api_key
    assert key is not None
    assert key.get_secret_value() == "sk-geheim"


@pytest.mark.parametrize("key", ["sk-geheim\nX-Evil: 1", "sk geheim", "schlüsselgeheim"])
def test_a_key_that_no_header_takes_is_refused_without_showing_it(key: str) -> None:
    """Line breaks, spaces and other scripts cannot be sent in a header."""
    said = problem(LEADERLESS_MODEL__API_KEY=key)
    assert "LEADERLESS_MODEL__API_KEY" in said
    assert "geheim" not in said


def test_a_key_is_never_printed() -> None:
    """Neither by `swarm config show`, as text and as JSON, nor by showing the settings."""
    with environment(LEADERLESS_MODEL__API_KEY="sk-geheim"):
        settings = load(SwarmConfig)
        for arguments in ([], ["--json"]):
            printed = CliRunner().invoke(show, arguments)
            assert "api_key" in printed.output
            assert "geheim" not in printed.output
    assert "geheim" not in repr((settings, settings.model, settings.model.to_settings()))


def test_variables_that_name_a_server_win_over_all_that_is_set() -> None:
    """A program passes an address to those that it starts in them: arguments can be listed."""
    url = "http://me:geheim@127.0.0.1:5"
    before = {"LEADERLESS_MODEL__OLLAMA_URL": "http://a", "OLLAMA_HOST": "127.0.0.1:2"}
    with environment(**before | server_variables(url)):
        assert load(SwarmConfig).model.to_settings().url == url
    with environment(**before | server_variables("")):
        assert load(SwarmConfig).model.to_settings().url == "http://a"
