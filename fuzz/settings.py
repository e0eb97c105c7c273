"""Configuration: any file, and values from every source."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

from bot.config import BotConfig, read, read_discord
from fuzz.choices import Choices, scratch
from fuzz.records import brief
from swarm.config import ConfigError, format_seconds, load_with_sources, parse_seconds
from swarm.core.clock import Stamp
from swarm.core.records import Goal

LONGEST_ERROR = 40_000
"""Longest message, in characters, about a file in which every key is wrong: it lists all
mistakes."""

SECRET = "5ec2e7" * 9
"""An invalid swarm key (54 digits): a message about it must not show it."""

KEYS = tuple(
    (section, key)
    for section, field in BotConfig.model_fields.items()
    for key in getattr(field.annotation, "model_fields", {})
)
"""Every (section, key) that there is."""

VALUES: tuple[Any, ...] = (
    "", "0", "1", "90s", "1h30m", "5 parsecs", "majority", "count", "advisory", "best", "task",
    "fail", "auto", "small", "debug", "json", "true", "1e400", "a,b", " , ", "~/x", "~nobody/x",
    "a\0b", "\u202e", "0" * 64, "a" * 64, "ab" * 32, "x" * 5_000, "9" * 400, "9" * 5_000,
    "/ip4/0.0.0.0/tcp/0", "/ip4/127.0.0.1/tcp/0", "30s,0s",
    0, 1, 2, 3, 5, 16, 64, 256, 1_024, 65_535, -1, 10**6, 2**63, 10**30, 10**400, True, False,
    0.0, 0.5, 1.0, 1.5, -0.5, 1e308, float("inf"), float("nan"),
    [], ["0s"], ["30s", "0s"], [1, 2], [0.5], [[]], ["a" * 64], ["a" * 64, "a" * 64], [10**400],
    [True], {}, {"a": 1}, ["x"] * 20,
)  # fmt: skip

_FOLDER = scratch()


def config(data: bytes) -> None:
    """Any file is a usable configuration, or gives a `ConfigError`."""
    file = _FOLDER / f"{os.getpid()}.toml"
    file.write_bytes(data)
    with _alone():
        try:
            _use(read({}, str(file)))
        except ConfigError as error:
            brief(error, LONGEST_ERROR)


def options(data: bytes) -> None:
    """Any values from any sources give a configuration, or an error that names one of them."""
    choices = Choices(data)
    file = _FOLDER / f"{os.getpid()}.options.toml"
    in_file, in_environment, in_flags = (_some(choices) for _ in range(3))
    file.write_text(_toml(in_file), encoding="utf-8", errors="replace")
    variables = {
        f"LEADERLESS_{section}__{key}".upper(): _text(value)
        for section, table in in_environment.items()
        for key, value in table.items()
        # A value that no environment variable can hold cannot come from one.
        if "=" not in key and key.isprintable()
    }
    given = {
        key for tree in (in_file, in_environment, in_flags) for t in tree.values() for key in t
    }
    with _alone(variables):
        try:
            found, sources = load_with_sources(BotConfig, flags=in_flags, file=file)
            _use(found)
        except ConfigError as error:
            brief(error, LONGEST_ERROR)
            said = str(error)
            assert SECRET not in said
            # Keys that came from an option are named by it.
            known = given | {key.replace("_", "-") for key in given} | {"token", "TOML", "policy"}
            # A name in the environment is upper case; not every letter comes back from that.
            known |= {key.upper().lower() for key in given}
            assert any(key in said for key in known), said
            return
    for (section, key), source in sources.items():
        assert key in in_flags.get(section, {}) or source.kind != "flag"


def _use(found: BotConfig) -> None:
    """Do with a configuration what the programs do with it."""
    goal = Goal(stamp=Stamp(1), swarm=found.swarm.name, text="goal", policy=found.goal_policy())
    assert Goal.model_validate_json(goal.model_dump_json(exclude_none=True)) == goal
    for seconds in (found.policy.patience, found.policy.lease, found.model.time_limit):
        assert abs(parse_seconds(format_seconds(seconds)) - seconds) <= 1e-5 * (1 + seconds)
    assert SECRET not in repr(found)
    found.quotas()
    found.model.to_settings()
    found.swarm.owner_key()
    found.swarm.key()
    read_discord(found)


def _some(choices: Choices) -> dict[str, dict[str, Any]]:
    tree: dict[str, dict[str, Any]] = {}
    for _ in range(choices.byte() % 5):
        section, key = choices.pick(KEYS)
        if choices.chance(16):
            key = key[:-1] + choices.text(3)
        if key == "swarm_key" and choices.chance():
            value: Any = SECRET
        else:
            value = choices.text(12) if choices.chance(4) else choices.pick(VALUES)
        tree.setdefault(section, {})[key] = value
    return tree


def _toml(tree: Mapping[str, Mapping[str, Any]]) -> str:
    return "".join(
        f"[{section}]\n" + "".join(f"{json.dumps(key)} = {_value(v)}\n" for key, v in table.items())
        for section, table in tree.items()
    )


def _value(value: Any) -> str:
    """A value as TOML writes it: nearly as JSON does."""
    match value:
        case dict():
            return "{" + ", ".join(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case float():
            return str(value)
        case int():
            return _text(value)
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    """A value as a variable of the environment carries it."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**399:
        return "1" + "0" * 400
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(value).replace("\0", "").encode("utf-8", "replace").decode()


@contextmanager
def _alone(variables: Mapping[str, str] | None = None) -> Iterator[None]:
    """Exclude every other source: the variables of this machine and the files of the checkout."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    with (
        mock.patch.dict(os.environ, kept | dict(variables or {}), clear=True),
        mock.patch("swarm.config.loading.checkout_config", return_value=None),
    ):
        yield
