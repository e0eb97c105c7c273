"""Reading the configuration: which source wins, and files that cannot be used."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.config import (
    ConfigError,
    Section,
    SwarmConfig,
    load,
    load_with_sources,
)
from swarm.config.loading import checkout_config
from tests.config.environment import environment

ROOT = Path(__file__).parents[2]


@given(
    file=st.none() | st.integers(0, 6),
    variable=st.none() | st.integers(0, 6),
    flag=st.none() | st.integers(0, 6),
)
def test_the_strongest_source_that_sets_a_key_wins(
    tmp_path_factory: pytest.TempPathFactory,
    file: int | None,
    variable: int | None,
    flag: int | None,
) -> None:
    """Of default, file, environment and flag, the last one that is given wins and is named."""
    path = tmp_path_factory.mktemp("config") / "own.toml"
    path.write_text("" if file is None else f"[policy]\nmax_depth = {file}\n")
    names = {} if variable is None else {"LEADERLESS_POLICY__MAX_DEPTH": str(variable)}
    with environment(**names):
        config, sources = load_with_sources(
            SwarmConfig, flags={"policy": {"max_depth": flag}}, file=path
        )
    spoken = [value for value in (flag, variable, file) if value is not None]
    assert config.policy.max_depth == (spoken[0] if spoken else 1)
    named = str(sources["policy", "max_depth"])
    if flag is not None:
        assert "--max-depth" in named
    elif variable is not None:
        assert "LEADERLESS_POLICY__MAX_DEPTH" in named
    else:
        assert ("own.toml" if file is not None else "config/swarm.toml") in named


def test_the_file_can_be_named_by_the_environment(tmp_path: Path) -> None:
    """LEADERLESS_CONFIG names the file, and --config is stronger."""
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('[swarm]\nname = "one"\n')
    two.write_text('[swarm]\nname = "two"\n')
    with environment(LEADERLESS_CONFIG=str(one)):
        assert load(SwarmConfig).swarm.name == "one"
        assert load(SwarmConfig, file=two).swarm.name == "two"


def test_ollama_host_is_stronger_than_a_file_and_weaker_than_a_flag(tmp_path: Path) -> None:
    """OLLAMA_HOST replaces a server that a file names, but not one that a flag names."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nollama_url = "http://127.0.0.1:1"\n')
    with environment(OLLAMA_HOST="127.0.0.1:2"):
        assert load(SwarmConfig, file=path).model.to_settings().url == ""
        given = load(SwarmConfig, flags={"model": {"ollama_url": "http://127.0.0.1:3"}})
    assert given.model.ollama_url == "http://127.0.0.1:3"


def test_a_file_that_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    """For a missing file and for broken TOML, the message names the file and what named it."""
    with (
        environment(LEADERLESS_CONFIG=str(tmp_path / "no.toml")),
        pytest.raises(ConfigError, match=r"no\.toml \(named by LEADERLESS_CONFIG\)"),
    ):
        load(SwarmConfig)
    broken = tmp_path / "broken.toml"
    broken.write_text("[swarm\n")
    with environment(), pytest.raises(ConfigError, match=r"broken\.toml.*not valid TOML"):
        load(SwarmConfig, file=broken)


@pytest.mark.parametrize(
    "text",
    [
        f"[policy]\ndeadline = {'9' * 5_000}",
        f"[policy]\ndeadline = {'9' * 400}",
        f"[swarm]\nlisten = {'[' * 3_000}",
        f"[swarm]\nlisten = {'{a=' * 1_500}",
        '[swarm]\nstate_dir = "a\\u0000b"',
    ],
    ids=["digits", "large", "brackets", "braces", "null"],
)
def test_a_nonsensical_file_is_a_message(tmp_path: Path, text: str) -> None:
    """Any content of a file gives a message that names the file, never a traceback."""
    file = tmp_path / "odd.toml"
    file.write_text(text)
    with environment(), pytest.raises(ConfigError, match=r"odd\.toml"):
        load(SwarmConfig, file=file)


def test_the_home_of_an_unknown_user_is_an_ordinary_path(tmp_path: Path) -> None:
    """A path below an unknown user's home is taken literally."""
    file = tmp_path / "odd.toml"
    file.write_text('[swarm]\nstate_dir = "~nobody-of-that-name/x"')
    with environment():
        found = load(SwarmConfig, file=file).swarm.state_dir
    assert found == tmp_path / "~nobody-of-that-name/x"


def test_relative_paths_in_a_file_start_at_its_folder(tmp_path: Path) -> None:
    """A relative path in a file does not depend on the current directory."""
    path = tmp_path / "own.toml"
    path.write_text('[swarm]\nstate_dir = "state"\nruntime_dir = ""\n')
    with environment():
        config = load(SwarmConfig, file=path)
    assert config.swarm.state_dir == tmp_path / "state"
    assert config.swarm.runtime_dir.is_absolute()


def test_the_default_file_says_what_the_code_says() -> None:
    """config/swarm.toml has every key, with the default that the code has."""
    path = ROOT / "config" / "swarm.toml"
    with environment():
        written = load(SwarmConfig)
    assert written == SwarmConfig()
    assert checkout_config() == path.parent
    tree = tomllib.loads(path.read_text())
    for section, table in SwarmConfig().model_dump().items():
        assert set(tree[section]) == set(table)


def test_another_program_can_add_a_section(tmp_path: Path) -> None:
    """The bot adds a section of its own, which the swarm ignores."""

    class BotSection(Section):
        port: int = 1

    class BotConfig(SwarmConfig):
        bot: BotSection = BotSection()

    path = tmp_path / "own.toml"
    path.write_text('[bot]\nport = 2\n[swarm]\nname = "both"\n')
    with environment():
        assert load(BotConfig, file=path).bot.port == 2
        assert load(SwarmConfig, file=path).swarm.name == "both"
        with pytest.raises(ConfigError, match=r"bot\.port"):
            load(BotConfig, flags={"bot": {"port": "x"}})


@pytest.mark.parametrize("what", ["/dev/zero", "/dev/urandom"])
def test_an_endless_file_is_read_only_up_to_a_bound(what: str) -> None:
    """An endless key file or configuration file gives a message."""
    with environment(LEADERLESS_SWARM__SWARM_KEY_FILE=what), pytest.raises(ConfigError) as caught:
        load(SwarmConfig).swarm.key()
    assert "64 hex digits" in str(caught.value)
    with environment(), pytest.raises(ConfigError, match=r"too long|not valid TOML"):
        load(SwarmConfig, file=what)
