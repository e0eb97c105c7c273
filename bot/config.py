"""The bot's configuration: the swarm's, and one section more."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationError

from bot.goals.quotas import Quotas
from bot.storage.server_settings import Server
from swarm.config import ConfigError, Seconds, Section, SwarmConfig, Texts, load, parse_seconds
from swarm.config.errors import Allowed
from swarm.config.sections import Folder, PolicySection
from swarm.core.policy import Policy

TOKEN_VARIABLE = "LEADERLESS_DISCORD_TOKEN"  # noqa: S105  # the variable's name, not a secret
API_VARIABLE = "LEADERLESS_DISCORD_API"
GATEWAY_VARIABLE = "LEADERLESS_DISCORD_GATEWAY"

MAX_TOKEN_FILE = 4_096
"""Bytes of a token file that are read: a token has some 70."""

NO_TOKEN = f"""\
The bot needs a Discord token, and there is none.

  1. Open Discord's developer portal, make an application, and add a bot to it.
  2. Under "Bot", press "Reset Token" and copy the token. Keep it secret.
  3. Give it to the bot in the environment, {TOKEN_VARIABLE}=..., or in a file that only you can
     read, with --token-file FILE.
  4. `swarm-bot check` verifies it and prints the link that invites the bot to your server.

Without a Discord account: `swarm-bot playground` (or `make run`) has a page of its own.
"""


def _windows(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int | float) else value


class ServerSection(Section):
    """`[bot.servers.ID]`: what holds in one server; what is left out is as in all."""

    voter_roles: Texts | None = None
    """Names or ids of roles whose members' votes count; empty: everyone's."""

    people: Literal["count", "advisory", "off"] | None = None
    """Whether people's votes count, are only shown, or are switched off."""


class BotSection(Section):
    """`[bot]`: the Discord bot."""

    token_file: Annotated[Folder | None, BeforeValidator(lambda path: path or None)] = None
    """A file that holds the bot's token and nothing else."""

    name: Annotated[str, Field(max_length=64), Allowed("up to 64 characters")] = "discord-bot"
    """What other peers see as this peer's name."""

    listen: Texts = ()
    """Multiaddresses of the bot's own peer; empty: those of [swarm], each at a free port."""

    edit_every: Annotated[
        float,
        BeforeValidator(parse_seconds),
        Field(ge=1, le=3_600),
        Allowed('a time from "1s" to "1h"'),
    ] = 1.0
    """Between edits in one thread; Discord slows down who edits more often than each second."""

    direct_messages: bool = False
    """Whether people may ask in direct messages, where nobody else sees it."""

    voter_roles: Texts = ()
    """Names or ids of roles whose members' votes count; empty: everyone's."""

    servers: dict[Annotated[str, Field(pattern=r"^\d{1,20}$")], ServerSection] = Field(
        default_factory=dict
    )
    """What is different in single servers, by their ids."""

    cooldown: Seconds = 30.0
    """Between two goals of one person."""

    live_per_person: Annotated[int, Field(ge=0, le=1_000)] = 2
    """Plans of one person that may run in a server at a time; 0: any number."""

    live_per_guild: Annotated[int, Field(ge=0, le=10_000)] = 50
    """Plans that may run in a server at a time; 0: any number."""

    daily_per_person: Annotated[int, Field(ge=0, le=10_000)] = 20
    """Plans one person may ask for in 24 hours; 0: any number."""

    waiting_per_person: Annotated[int, Field(ge=0, le=100)] = 2
    """Plans of one person that may wait in a server's queue; 0: there is no queue."""

    waiting_per_guild: Annotated[int, Field(ge=0, le=1_000)] = 50
    """Plans that may wait in a server's queue."""

    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Port on 127.0.0.1 for /metrics and /healthz; 0: none."""

    vote_window: Annotated[
        tuple[Seconds, ...],
        BeforeValidator(_windows),
        Field(min_length=1, max_length=8),
        Allowed('1 to 8 times, one a depth, such as ["30s", "0s"]'),
    ] = (30.0, 0.0)
    """Time before a split can win, so that people can vote, for goals asked through the bot."""

    def of_servers(self) -> dict[str, Server]:
        """Return what is configured for single servers, by id."""
        return {
            key: Server(
                people=one.people,
                roles=None
                if one.voter_roles is None
                else tuple((role, role) for role in one.voter_roles),
            )
            for key, one in self.servers.items()
        }


class BotConfig(SwarmConfig):
    """What `swarm-bot` reads."""

    files: ClassVar[tuple[str, ...]] = ("swarm.toml", "bot.toml")

    bot: BotSection = Field(default_factory=BotSection)

    def goal_policy(self) -> Policy:
        """Return the policy of goals that are asked for in the chat."""
        window = {"vote_window": self.bot.vote_window}
        return PolicySection.model_validate(self.policy.model_dump() | window).to_policy()

    def quotas(self) -> Quotas:
        """Return what one person and one server may ask for."""
        return Quotas(
            cooldown_ms=round(self.bot.cooldown * 1000),
            live_per_person=self.bot.live_per_person,
            live_per_guild=self.bot.live_per_guild,
            daily_per_person=self.bot.daily_per_person,
            waiting_per_person=self.bot.waiting_per_person,
            waiting_per_guild=self.bot.waiting_per_guild,
        )

    @property
    def state_dir(self) -> Path:
        """Where the bot keeps its identity, its journal and the key of people's hashes."""
        return self.swarm.state_dir / "bot"


@dataclass(frozen=True, slots=True)
class Discord:
    """Which Discord, and how to log in."""

    token: str
    api: str | None = None
    """Another address of the HTTP interface; None: Discord's."""
    gateway: str | None = None
    """Another address of the gateway; None: Discord's."""

    def __repr__(self) -> str:
        """Show no token, wherever this may be printed."""
        return f"Discord(api={self.api!r}, gateway={self.gateway!r})"


def read(flags: Mapping[str, Mapping[str, Any]], file: str | None = None) -> BotConfig:
    """Read the configuration.

    Raises:
        ConfigError: a value cannot be used; the text says which and what is allowed.
    """
    config = load(BotConfig, flags=flags, file=file)
    config.swarm.key()
    try:
        config.goal_policy()
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise ConfigError(f"bot.vote_window does not fit [policy]: {reason}.") from None
    return config


def read_discord(config: BotConfig) -> Discord:
    """Find the token: in the file that is named, else in the environment.

    Raises:
        ConfigError: there is none, or the file cannot be read.
    """
    if config.bot.token_file is not None:
        try:
            with config.bot.token_file.open("rb") as source:
                token = source.read(MAX_TOKEN_FILE + 1).decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
            raise ConfigError(
                f"The token file {config.bot.token_file} cannot be read: {reason}."
            ) from None
        if not token:
            raise ConfigError(f"The token file {config.bot.token_file} is empty.")
        if len(token) > MAX_TOKEN_FILE:
            raise ConfigError(
                f"The token file {config.bot.token_file} is too long: it holds the token alone."
            )
    else:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise ConfigError(NO_TOKEN)
    if any(character.isspace() for character in token):
        raise ConfigError("The Discord token has a space or line break in it: copy it once more.")
    return Discord(
        token, os.environ.get(API_VARIABLE) or None, os.environ.get(GATEWAY_VARIABLE) or None
    )
