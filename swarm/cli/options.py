"""Options that several commands share, and how they set the configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from swarm.console.errors import USAGE, CommandError

if TYPE_CHECKING:
    from swarm.config import SwarmConfig

F = TypeVar("F", bound=Callable[..., Any])

MAX_NAME = 64
MAX_LANGUAGE = 35
MAX_REASON = 2_000
MAX_CAPABILITIES = 16
"""Bounds of the fields of records, in characters or items. They repeat `swarm.core.records`, which
takes too long to import for a help text; a test compares them."""


MAX_PIPED = 1_000_000
"""Most characters read from standard input, in case something else is piped in by mistake."""


class RecordText(click.ParamType[str]):
    """A text that fits into a record; one that does not is refused before anything starts."""

    name = "text"

    def __init__(self, longest: int, shortest: int = 0) -> None:
        """Accept texts with a number of characters between two bounds."""
        self._longest = longest
        self._shortest = shortest

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, or fail with a message that says what is wrong."""
        text = str(value)
        if not is_text(text):
            self.fail("is not text: some of its bytes are not UTF-8.", param, ctx)
        if not self._shortest <= len(text) <= self._longest:
            have = f"has {len(text):,} characters" if text else "is empty"
            self.fail(f"{have}; it can have {self._shortest} to {self._longest:,}.", param, ctx)
        return text


def is_text(text: str) -> bool:
    """Return whether a text was valid UTF-8: other bytes arrive as surrogates."""
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
    "server": ("model", "url"),
    "capabilities": ("policy", "capabilities"),
    "reviews": ("policy", "reviews"),
    "log_level": ("log", "level"),
}
"""Option -> the key of the configuration that it sets."""


def _all(options: list[Callable[[F], F]]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


config_option = click.option(
    "--config",
    metavar="FILE",
    help="A TOML file with your settings.  [default: the one LEADERLESS_CONFIG names]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
lifeline_option = click.option(
    "--until-stdin-closes",
    is_flag=True,
    help="Exit when standard input closes; for programs that start this one.",
)

swarm_options: Callable[[F], F] = _all(
    [
        click.option("--swarm", metavar="NAME", help="Name of the swarm.  [default: leaderless]"),
        click.option(
            "--peers",
            metavar="MULTIADDR",
            multiple=True,
            help="Address of a peer on another machine to dial; repeatable. Peers on this "
            "machine are "
            "found automatically.",
        ),
        click.option("--state-dir", metavar="DIR", help="Directory for identities and logs."),
        click.option(
            "--swarm-key-file", metavar="FILE", help="File with the swarm's secret (64 hex digits)."
        ),
        config_option,
        click.option(
            "--log-level",
            metavar="LEVEL",
            help="Least severe messages to log: debug, info, warning or error.",
        ),
    ]
)
"""Which swarm to use, and how to reach it."""

reviews_option = click.option(
    "--reviews",
    metavar="N",
    type=click.IntRange(0, 8),
    help="How often scorers may send the result of a part back to be revised.",
)

listen_option = click.option(
    "--listen",
    metavar="MULTIADDR",
    multiple=True,
    help="Address to listen on; repeatable.  [default: a free port, for this machine only]",
)

model_options: Callable[[F], F] = _all(
    [
        click.option(
            "--model",
            metavar="NAME",
            help="Name of the model on its server.  [default: the best one that fits]",
        ),
        click.option(
            "--server",
            "--ollama",
            "server",
            metavar="URL",
            help="URL of a model server: Ollama, LM Studio, llama.cpp, vLLM, LiteLLM or another "
            "with OpenAI's interface.  [default: OLLAMA_HOST, then the usual ports of this "
            "machine, then the embedded model]",
        ),
    ]
)


def read_config(options: dict[str, Any]) -> SwarmConfig:
    """Return the configuration, with the options of a command on top.

    Args:
        options: option -> value, as click passes them; `config` names a file. Options that were
            not given, or that set nothing in the configuration, are ignored.

    Raises:
        CommandError: the configuration cannot be used (exit code 2).
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
    """Return the configuration of a command whose output is a result, not a log.

    Only errors are logged, unless `--log-level` asks for more.

    Raises:
        CommandError: the configuration cannot be used (exit code 2).
    """
    config = read_config(options)
    from swarm.console.logs import log_to_stderr

    log_to_stderr(config.log.level if options.get("log_level") else "error", config.log.format)
    return config
