"""Configuration: which source wins, and what people are told when a value is wrong."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.app import run
from swarm.config import (
    ConfigError,
    Section,
    SwarmConfig,
    format_seconds,
    load,
    load_with_sources,
    parse_seconds,
)
from swarm.config.loading import checkout_config

ROOT = Path(__file__).parents[2]


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Have only these variables of ours set."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LEADERLESS_") and name != "OLLAMA_HOST"
    }
    with mock.patch.dict(os.environ, kept | variables, clear=True):
        yield


def problem(flags: dict[str, dict[str, Any]] | None = None, **variables: str) -> str:
    """Return what people are told about a configuration that must be wrong."""
    with environment(**variables), pytest.raises(ConfigError) as caught:
        load(SwarmConfig, flags=flags)
    return str(caught.value)


@given(
    file=st.none() | st.integers(0, 6),
    variable=st.none() | st.integers(0, 6),
    flag=st.none() | st.integers(0, 6),
)
def test_the_strongest_source_that_speaks_wins(
    tmp_path_factory: pytest.TempPathFactory,
    file: int | None,
    variable: int | None,
    flag: int | None,
) -> None:
    """Of default, file, environment and flag the last one given decides, and is named."""
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
    """OLLAMA_HOST replaces a server named in a file by itself, but not one named by a flag."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nollama_url = "http://127.0.0.1:1"\n')
    with environment(OLLAMA_HOST="127.0.0.1:2"):
        assert load(SwarmConfig, file=path).model.to_settings().url == ""
        given = load(SwarmConfig, flags={"model": {"ollama_url": "http://127.0.0.1:3"}})
    assert given.model.ollama_url == "http://127.0.0.1:3"


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
    """Whatever is wrong, people learn all four things."""
    with environment(**{variable: value}), pytest.raises(ConfigError) as caught:
        load(SwarmConfig)
    text = str(caught.value)
    key = variable.removeprefix("LEADERLESS_").lower().replace("__", ".")
    assert key in text
    assert variable in text
    assert value[:40] in text
    assert allowed in text


def test_a_wrong_value_in_a_file_or_a_flag_names_that(tmp_path: Path) -> None:
    """The source of a wrong value is the file's path, or the option as people type it."""
    path = tmp_path / "own.toml"
    path.write_text("[policy]\nmax_children = 1\n")
    with environment(), pytest.raises(ConfigError, match=r"own\.toml"):
        load(SwarmConfig, file=path)
    assert "--log-level" in problem({"log": {"level": "x"}})


def test_all_mistakes_are_told_at_once() -> None:
    """Two wrong values give two entries, so that nobody has to try again for each."""
    text = problem(LEADERLESS_POLICY__FLOOR="x", LEADERLESS_POLICY__LEASE="x")
    assert "policy.floor" in text
    assert "policy.lease" in text


def test_a_misspelt_key_or_section_is_an_error_with_a_suggestion(tmp_path: Path) -> None:
    """A typo never passes unseen, in the environment or in a file."""
    assert "Did you mean max_depth?" in problem(LEADERLESS_POLICY__MAX_DEPHT="1")
    assert "Did you mean policy?" in problem(LEADERLESS_POLCY__MAX_DEPTH="1")
    assert "LEADERLESS_SWARM__NAME" in problem(LEADERLESS_SWARM="x")
    path = tmp_path / "own.toml"
    path.write_text("[modle]\nname = 'x'\n")
    with environment(), pytest.raises(ConfigError, match="Did you mean model"):
        load(SwarmConfig, file=path)


def test_a_file_that_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    """A missing file and broken TOML say which file, and who named it."""
    with (
        environment(LEADERLESS_CONFIG=str(tmp_path / "no.toml")),
        pytest.raises(ConfigError, match=r"no\.toml \(named by LEADERLESS_CONFIG\)"),
    ):
        load(SwarmConfig)
    broken = tmp_path / "broken.toml"
    broken.write_text("[swarm\n")
    with environment(), pytest.raises(ConfigError, match=r"broken\.toml.*no valid TOML"):
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
def test_a_file_that_makes_no_sense_is_a_message(tmp_path: Path, text: str) -> None:
    """Whatever stands in a file, a person is told which file, and never shown a traceback."""
    file = tmp_path / "odd.toml"
    file.write_text(text)
    with environment(), pytest.raises(ConfigError, match=r"odd\.toml"):
        load(SwarmConfig, file=file)


def test_a_home_that_is_not_there_is_a_path_like_any(tmp_path: Path) -> None:
    """A path below an unknown user's home is taken literally."""
    file = tmp_path / "odd.toml"
    file.write_text('[swarm]\nstate_dir = "~nobody-of-that-name/x"')
    with environment():
        found = load(SwarmConfig, file=file).swarm.state_dir
    assert found == tmp_path / "~nobody-of-that-name/x"


def test_the_swarm_key_is_read_from_its_file_and_never_shown(tmp_path: Path) -> None:
    """A key in a file works, a weaker source's key gives way to it, errors do not print keys."""
    secret = "ab" * 32
    (tmp_path / "key").write_text(f"{secret}\n")
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


def test_paths_in_a_file_are_meant_from_its_folder(tmp_path: Path) -> None:
    """A relative path in a file does not depend on where the command is started."""
    path = tmp_path / "own.toml"
    path.write_text('[swarm]\nstate_dir = "state"\nruntime_dir = ""\n')
    with environment():
        config = load(SwarmConfig, file=path)
    assert config.swarm.state_dir == tmp_path / "state"
    assert config.swarm.runtime_dir.is_absolute()


def test_the_default_file_says_what_the_code_says() -> None:
    """config/swarm.toml has every key, explained by a comment, with the default's value."""
    path = ROOT / "config" / "swarm.toml"
    with environment():
        written = load(SwarmConfig)
    assert written == SwarmConfig()
    assert checkout_config() == path.parent
    tree = tomllib.loads(path.read_text())
    for section, table in SwarmConfig().model_dump().items():
        assert set(tree[section]) == set(table)


def test_the_policy_is_in_milliseconds_and_holds_together() -> None:
    """Times become milliseconds; settings that contradict each other are told as such."""
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


def test_another_program_can_add_a_section(tmp_path: Path) -> None:
    """The bot derives a configuration with a section of its own; the swarm ignores that section."""

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


@given(st.integers(0, 10**7))
def test_times_are_read_back_as_they_are_written(seconds: int) -> None:
    """Writing a whole number of seconds and reading it gives the same."""
    assert parse_seconds(format_seconds(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), (90, 90), ("1.5m", 90), ("1h 30m", 5400), ("500ms", 0.5), ("2D", 172_800)],
)
def test_times_as_people_write_them(text: object, seconds: float) -> None:
    """Numbers are seconds; units add up; case and blanks do not matter."""
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "s", "5 parsecs", "-1", "1h30", True, None, float("nan"), -2, 10**400]
)
def test_what_is_no_time_is_refused(text: object) -> None:
    """Anything doubtful is an error, not a guess."""
    with pytest.raises(ValueError, match="not a length of time"):
        parse_seconds(text)


def test_a_password_in_an_address_is_never_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Neither by `config show`, in both of its forms, nor by the message about a wrong value."""
    path = tmp_path / "own.toml"
    path.write_text('[model]\nollama_url = "http://me:geheim@host:1"\n[swarm]\nname = ""\n')
    with environment():
        assert run(["config", "show", "--config", str(path)]) == 2
        path.write_text('[model]\nollama_url = "http://me:geheim@host:1"\n')
        for more in ([], ["--json"]):
            assert run(["config", "show", "--config", str(path), *more]) == 0
        path.write_text('[model]\nollama_url = ["http://me:geheim@host:1"]\n')
        assert run(["config", "show", "--config", str(path)]) == 2
    shown = capsys.readouterr()
    assert "http://***@host:1" in shown.out
    assert "geheim" not in shown.out + shown.err


@pytest.mark.parametrize("what", ["/dev/zero", "/dev/urandom"])
def test_a_file_without_end_is_read_for_a_bounded_time(what: str) -> None:
    """A key or a configuration that is none is a message, however much it would give."""
    with environment(LEADERLESS_SWARM__SWARM_KEY_FILE=what), pytest.raises(ConfigError) as caught:
        load(SwarmConfig).swarm.key()
    assert "64 hex digits" in str(caught.value)
    with environment(), pytest.raises(ConfigError, match=r"too long|no valid TOML"):
        load(SwarmConfig, file=what)


def test_half_an_owner_in_the_configuration_is_refused(tmp_path: Path) -> None:
    """Keys of an owned swarm without its owner would leave it open by mistake: that is an error."""
    path, key = tmp_path / "own.toml", "ab" * 32
    for text, said in (
        ('grants_file = "g"', "owner has to be too"),
        (f'owner = "{key}"\nowner_key_file = "k"', "grants_file has to be too"),
        ('owner = "abc"', "64 hex digits"),
    ):
        path.write_text(f"[swarm]\n{text}\n")
        with pytest.raises(ConfigError, match=said):
            load(SwarmConfig, file=path)
    path.write_text(f'[swarm]\nowner = "{key.upper()}"\n')
    assert load(SwarmConfig, file=path).swarm.owner_key() == bytes.fromhex(key)
