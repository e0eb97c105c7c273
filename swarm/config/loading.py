"""Configuration: from defaults, files, environment and flags to one checked, frozen object.

Sources, the later ones win: the defaults in `sections`, `config/*.toml` of a checkout, the user's
own file (`--config` or `LEADERLESS_CONFIG`), environment variables
(`LEADERLESS_POLICY__MAX_DEPTH=2`; for the model server also `OLLAMA_HOST`), flags. A source needs
only what it changes.

The bot reuses all of this: it derives a class with another section and calls `load` with it::

    class BotConfig(SwarmConfig):
        files: ClassVar[tuple[str, ...]] = ("swarm.toml", "bot.toml")
        bot: BotSection = BotSection()

    config = load(BotConfig, flags={"bot": {"port": port}}, file=file)

A wrong value raises a `ConfigError` whose text names the key, the value, its source, and what is
allowed.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from swarm.config.errors import ConfigError, Source, explain, unknown_section
from swarm.config.secret_files import exposure
from swarm.config.sections import LogSection, ModelSection, PolicySection, SwarmSection

PREFIX = "LEADERLESS_"
FILE_VARIABLE = "LEADERLESS_CONFIG"
SECTIONS = frozenset(("swarm", "model", "policy", "log", "bot"))
"""All sections: one file may serve both the swarm and the bot; each reads its own sections."""


def server_variables(url: str) -> dict[str, str]:
    """Return the environment variables that name a model server; none for an empty address."""
    # The other name of the setting may be set too, and only one of them may hold an address.
    return {f"{PREFIX}MODEL__URL": url, f"{PREFIX}MODEL__OLLAMA_URL": ""} if url else {}


class Config(BaseSettings):
    """Base of all configurations: one field for each section. Make one with `load`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        # The validators read lists and times from text, so variables need not hold JSON.
        enable_decoding=False,
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
    )

    files: ClassVar[tuple[str, ...]] = ("swarm.toml",)
    """Files in the checkout's `config/` that give defaults; later ones win."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read nothing but what `load` passes, which knows where each value came from."""
        return (init_settings,)


class SwarmConfig(Config):
    """The configuration that the `swarm` command reads."""

    swarm: SwarmSection = Field(default_factory=SwarmSection)
    model: ModelSection = Field(default_factory=ModelSection)
    policy: PolicySection = Field(default_factory=PolicySection)
    log: LogSection = Field(default_factory=LogSection)


C = TypeVar("C", bound=Config)
Tree = dict[str, Any]

MAX_FILE = 1024 * 1024
"""Most bytes of a configuration file: config/swarm.toml has about 5,000."""


def checkout_config() -> Path | None:
    """Return the `config/` folder of the checkout this code runs in; None if installed."""
    folder = Path(__file__).parents[2] / "config"
    return folder if (folder / "swarm.toml").is_file() else None


def load(
    kind: type[C],
    *,
    flags: Mapping[str, Mapping[str, Any]] | None = None,
    file: str | Path | None = None,
) -> C:
    """Read the configuration.

    Args:
        kind: the class to fill; its fields are the sections.
        flags: section -> key -> value from the command line; a value of None: not given.
        file: the user's own file; None: the one that `LEADERLESS_CONFIG` names, if any.

    Raises:
        ConfigError: a file cannot be read, or a value cannot be used; the text says what to do.
    """
    return load_with_sources(kind, flags=flags, file=file)[0]


def load_with_sources(
    kind: type[C],
    *,
    flags: Mapping[str, Mapping[str, Any]] | None = None,
    file: str | Path | None = None,
) -> tuple[C, dict[tuple[str, str], Source]]:
    """Do what `load` does, and also return the source of each (section, key) that was set."""
    merged: Tree = {}
    sources: dict[tuple[str, ...], Source] = {}
    for layer, origin in _layers(kind, flags or {}, file):
        _merge(merged, layer, origin, sources)
    wanted = {name: table for name, table in merged.items() if name in kind.model_fields}
    try:
        config = kind.model_validate(wanted)
    except ValidationError as error:
        raise ConfigError(explain(error, kind, wanted, sources)) from None
    return config, {(path[0], path[1]): source for path, source in sources.items()}


def _layers(
    kind: type[Config], flags: Mapping[str, Mapping[str, Any]], file: str | Path | None
) -> Iterator[tuple[Tree, Source]]:
    folder = checkout_config()
    if folder is not None:
        for name in kind.files:
            if (folder / name).is_file():
                yield _read(folder / name), Source("file", f"config/{name}")
    own = file or os.environ.get(FILE_VARIABLE)
    if own:
        named_by = "--config" if file else FILE_VARIABLE
        # Not Path.expanduser, here and below: it raises for an unknown user.
        path = Path(os.path.expanduser(own))
        yield _read(path, named_by), Source("file", str(own))
    if os.environ.get("OLLAMA_HOST"):
        # `swarm.llm.client.resolve` reads it; here it only overrides what a file names.
        yield {"model": {"url": "", "ollama_url": ""}}, Source("env", "OLLAMA_HOST")
    yield _environment(kind), Source("env", PREFIX)
    given: Tree = {
        section: {key: value for key, value in table.items() if value is not None}
        for section, table in flags.items()
    }
    yield given, Source("flag", "")


def _read(path: Path, named_by: str = "") -> Tree:
    where = f"{path} (named by {named_by})" if named_by else str(path)
    try:
        with path.open("rb") as source:
            data = source.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise ConfigError(f"The configuration {where} is too long: {MAX_FILE:,} bytes at most.")
        tree = tomllib.loads(data.decode())
    except OSError as error:
        raise ConfigError(f"The configuration {where} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        # Not only TOMLDecodeError: numbers with thousands of digits and deeply nested brackets
        # make the parser raise other errors.
        raise ConfigError(f"The configuration {where} is not valid TOML: {error}.") from None
    for name, table in tree.items():
        if name not in SECTIONS:
            raise ConfigError(unknown_section(f"[{name}]", where, name, SECTIONS))
        if not isinstance(table, dict):
            raise ConfigError(f"In {where}, {name} must be a section: write [{name}].")
    for section, key in SECRETS:
        if tree.get(section, {}).get(key) and (exposed := exposure(path, f"{section}.{key} in")):
            raise ConfigError(f"The configuration {where} cannot be used. {exposed}")
    return _anchored(tree, path.parent)


SECRETS = (("model", "api_key"),)
"""Keys that a file may hold only if no other user can read the file."""

EITHER = {"swarm": ("swarm_key", "swarm_key_file"), "model": ("url", "ollama_url")}
"""Keys of which only one is used: a source that sets one replaces all of them in weaker sources."""

PATHS = {
    "swarm": ("swarm_key_file", "owner_key_file", "grants_file", "state_dir", "runtime_dir"),
    "model": ("gguf",),
}
"""Keys that are paths: in a file they are relative to the file's folder."""


def _anchored(tree: Tree, folder: Path) -> Tree:
    for section, keys in PATHS.items():
        for key in keys:
            value = tree.get(section, {}).get(key)
            if isinstance(value, str) and value:
                tree[section][key] = str(folder / os.path.expanduser(value))
    return tree


def _environment(kind: type[Config]) -> Tree:
    for variable in os.environ:
        section, nested, _ = variable.removeprefix(PREFIX).lower().partition("__")
        if variable.startswith(PREFIX) and nested and section not in SECTIONS:
            raise ConfigError(
                unknown_section(variable, "the environment", section, SECTIONS, PREFIX)
            )
    return EnvSettingsSource(kind)()


def _merge(into: Tree, layer: Tree, origin: Source, sources: dict[tuple[str, ...], Source]) -> None:
    for section, table in layer.items():
        if not isinstance(table, dict):
            raise ConfigError(
                f"{PREFIX}{section.upper()} is a section, not a key. Set a key of it, such as "
                f"{PREFIX}{section.upper()}__NAME."
            )
        known = into.setdefault(section, {})
        rivals = EITHER.get(section, ())
        if any(table.get(key) for key in rivals):
            for key in rivals:
                known.pop(key, None)
        for key, value in table.items():
            if value == "" and key in PATHS.get(section, ()):
                # TOML has no null: an empty path means "not given".
                continue
            known[key] = value
            sources[section, key] = origin.of(section, key)
