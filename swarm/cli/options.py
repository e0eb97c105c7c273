"""Options that several commands share, and the way from them to the configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from swarm.console.errors import USAGE, CommandError

if TYPE_CHECKING:
    from swarm.config import SwarmConfig

F = TypeVar("F", bound=Callable[..., Any])

MAX_WORD = 64
MAX_LANGUAGE = 35
MAX_REASON = 2_000
MAX_CAPABILITIES = 16
"""What records hold (`swarm.core.records`, which takes too long to import for a help text)."""


MAX_PIPED = 1_000_000
"""Characters that are read of standard input, whatever is piped in by mistake."""


class Words(click.ParamType[str]):
    """A text that a record can carry, so that what does not fit is told before anything starts."""

    name = "text"

    def __init__(self, most: int, least: int = 0) -> None:
        """Take texts of so many characters."""
        self._most = most
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; a message says what does not fit."""
        text = str(value)
        if not is_text(text):
            self.fail("is no text: some of its bytes are not UTF-8.", param, ctx)
        if not self._least <= len(text) <= self._most:
            have = f"has {len(text):,} characters" if text else "is empty"
            self.fail(f"{have}; {self._least} to {self._most:,} fit.", param, ctx)
        return text


def is_text(text: str) -> bool:
    """Return whether a text was text: bytes that are not UTF-8 arrive as halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_CONFIG_KEYS = {
    "swarm": ("swarm", "name"),
    "listen": ("swarm", "listen"),
    "peers": ("swarm", "peers"),
    "state_dir": ("swarm", "state_dir"),
    "swarm_key_file": ("swarm", "swarm_key_file"),
    "model": ("model", "name"),
    "ollama": ("model", "ollama_url"),
    "capabilities": ("policy", "capabilities"),
    "log_level": ("log", "level"),
}
"""Option -> the configuration's key that it sets."""


def _all(options: list[Callable[[F], F]]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


config_option = click.option(
    "--config",
    metavar="FILE",
    help="A TOML file with your settings; else the one LEADERLESS_CONFIG names.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
lifeline_option = click.option(
    "--until-stdin-closes",
    is_flag=True,
    help="End when standard input closes: for programs that start this one and may be killed.",
)

swarm_options: Callable[[F], F] = _all(
    [
        click.option("--swarm", metavar="NAME", help="Name of the swarm.  [default: leaderless]"),
        click.option(
            "--peers",
            metavar="MULTIADDR",
            multiple=True,
            help="A peer elsewhere to dial; repeatable. Peers of this machine are found anyway.",
        ),
        click.option("--state-dir", metavar="DIR", help="Where identities and logs are kept."),
        click.option(
            "--swarm-key-file", metavar="FILE", help="File with the swarm's secret (64 hex digits)."
        ),
        config_option,
        click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error."),
    ]
)
"""Which swarm, and how to reach it."""

listen_option = click.option(
    "--listen",
    metavar="MULTIADDR",
    multiple=True,
    help="Where to listen; repeatable.  [default: a free port of this machine only]",
)

model_options: Callable[[F], F] = _all(
    [
        click.option("--model", metavar="NAME", help="The model, as Ollama calls it."),
        click.option(
            "--ollama",
            metavar="URL",
            help="An Ollama server.  [default: OLLAMA_HOST, the usual port, the embedded model]",
        ),
    ]
)


def read_config(options: dict[str, Any]) -> SwarmConfig:
    """Read the configuration under the options that a command was given.

    Args:
        options: option -> value, as click hands them over; `config` names a file. Others than
            those of the configuration are ignored, and so are options that were not given.

    Raises:
        CommandError: it cannot be used (exit code 2).
    """
    from swarm.config import ConfigError, SwarmConfig, load

    flags: dict[str, dict[str, Any]] = {}
    for name, (section, key) in _CONFIG_KEYS.items():
        value = options.get(name)
        if value is not None and value != ():
            flags.setdefault(section, {})[key] = value
    try:
        config = load(SwarmConfig, flags=flags, file=options.get("config"))
        config.swarm.key()
    except ConfigError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    return config


def read_config_quietly(options: dict[str, Any]) -> SwarmConfig:
    """Read the configuration for a command whose output is for people or programs, not for logs.

    It logs errors only, unless `--log-level` asks for more.

    Raises:
        CommandError: the configuration cannot be used (exit code 2).
    """
    config = read_config(options)
    from swarm.console.logs import log_to_stderr

    log_to_stderr(config.log.level if options.get("log_level") else "error", config.log.format)
    return config
