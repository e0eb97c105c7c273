"""The bot's configuration: that of the swarm plus the section `[bot]`."""

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
"""Most bytes read from a token file; a token has about 70."""

NO_TOKEN = f"""\
The bot needs a Discord token, but none is set.

  1. Open Discord's developer portal, create an application and add a bot to it.
  2. Under "Bot", press "Reset Token" and copy the token. Keep it secret.
  3. Pass it to the bot in the environment as {TOKEN_VARIABLE}=..., or in a file that only you
     can read with --token-file FILE.
  4. Run `swarm-bot check`: it verifies the token and prints the link that invites the bot.

To try the bot without a Discord account, run `swarm-bot playground` or `make run`.
"""


def _windows(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, int | float) else value


class ServerSection(Section):
    """`[bot.servers.ID]`: settings of one server; those left out are as in `[bot]`."""

    voter_roles: Texts | None = None
    """Names or ids of the roles whose members can vote; empty: everyone can."""

    people: Literal["count", "advisory", "off"] | None = None
    """Whether people's votes count, are only shown or are switched off."""


class BotSection(Section):
    """`[bot]`: the Discord bot."""

    token_file: Annotated[Folder | None, BeforeValidator(lambda path: path or None)] = None
    """A file that holds only the bot's token."""

    name: Annotated[str, Field(max_length=64), Allowed("up to 64 characters")] = "discord-bot"
    """This peer's name, as other peers see it."""

    listen: Texts = ()
    """Multiaddresses where the bot's peer listens; empty: those of [swarm], each at a free port."""

    edit_every: Annotated[
        float,
        BeforeValidator(parse_seconds),
        Field(ge=1, le=3_600),
        Allowed('a time from "1s" to "1h"'),
    ] = 1.0
    """Seconds between edits in one thread; Discord slows down bots that edit more than once a
    second."""

    direct_messages: bool = False
    """Whether people can ask in direct messages, where nobody else can see it."""

    voter_roles: Texts = ()
    """Names or ids of the roles whose members can vote; empty: everyone can."""

    servers: dict[Annotated[str, Field(pattern=r"^\d{1,20}$")], ServerSection] = Field(
        default_factory=dict
    )
    """Settings that differ in single servers, by server id."""

    cooldown: Seconds = 30.0
    """Seconds between two goals of one person."""

    live_per_person: Annotated[int, Field(ge=0, le=1_000)] = 2
    """Most plans of one person that run in a server at a time; 0: no limit."""

    live_per_guild: Annotated[int, Field(ge=0, le=10_000)] = 50
    """Most plans that run in a server at a time; 0: no limit."""

    daily_per_person: Annotated[int, Field(ge=0, le=10_000)] = 20
    """Most plans that one person can ask for in 24 hours; 0: no limit."""

    waiting_per_person: Annotated[int, Field(ge=0, le=100)] = 2
    """Most plans of one person in a server's queue; 0: there is no queue."""

    waiting_per_guild: Annotated[int, Field(ge=0, le=1_000)] = 50
    """Most plans in a server's queue."""

    metrics_port: Annotated[int, Field(ge=0, le=65_535)] = 0
    """Port on 127.0.0.1 for /metrics and /healthz; 0: off."""

    vote_window: Annotated[
        tuple[Seconds, ...],
        BeforeValidator(_windows),
        Field(min_length=1, max_length=8),
        Allowed('1 to 8 times, one for each depth, such as ["30s", "0s"]'),
    ] = (30.0, 0.0)
    """Seconds before a split can win, by depth, which give people time to vote in the chat."""

    def of_servers(self) -> dict[str, Server]:
        """Return the settings of single servers, by server id."""
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
    """The configuration of `swarm-bot`."""

    files: ClassVar[tuple[str, ...]] = ("swarm.toml", "bot.toml")

    bot: BotSection = Field(default_factory=BotSection)

    def goal_policy(self) -> Policy:
        """Return the policy of goals that are submitted from the chat."""
        window = {"vote_window": self.bot.vote_window}
        return PolicySection.model_validate(self.policy.model_dump() | window).to_policy()

    def quotas(self) -> Quotas:
        """Return the limits for one person and one server."""
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
        """Directory of the bot's identity, its journal and the key of people's hashes."""
        return self.swarm.state_dir / "bot"


@dataclass(frozen=True, slots=True)
class Discord:
    """The Discord to connect to, and the token to log in with."""

    token: str
    api: str | None = None
    """URL of another HTTP API; None: Discord's."""
    gateway: str | None = None
    """URL of another gateway; None: Discord's."""

    def __repr__(self) -> str:
        """Leave out the token, so that it is never printed or logged."""
        return f"Discord(api={self.api!r}, gateway={self.gateway!r})"


def read(flags: Mapping[str, Mapping[str, Any]], file: str | None = None) -> BotConfig:
    """Read the configuration.

    Raises:
        ConfigError: a value is not valid; the text says which one and what is allowed.
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
    """Read the token from the configured file or, without one, from the environment.

    Raises:
        ConfigError: there is no token, or the file cannot be read.
    """
    if config.bot.token_file is not None:
        try:
            with config.bot.token_file.open("rb") as source:
                token = source.read(MAX_TOKEN_FILE + 1).decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not a text file"
            raise ConfigError(
                f"The token file {config.bot.token_file} cannot be read: {reason}."
            ) from None
        if not token:
            raise ConfigError(f"The token file {config.bot.token_file} is empty.")
        if len(token) > MAX_TOKEN_FILE:
            raise ConfigError(
                f"The token file {config.bot.token_file} is too long: it should contain only the "
                "token."
            )
    else:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise ConfigError(NO_TOKEN)
    if any(character.isspace() for character in token):
        raise ConfigError("The Discord token contains a space or a line break. Copy it again.")
    return Discord(
        token, os.environ.get(API_VARIABLE) or None, os.environ.get(GATEWAY_VARIABLE) or None
    )
