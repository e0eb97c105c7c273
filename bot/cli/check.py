"""`swarm-bot check`: everything that has to be right before a start, without starting."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from swarm.console.errors import FAILED, OK, USAGE, CommandError

if TYPE_CHECKING:
    import discord

    from bot.config import BotConfig, Discord

SECONDS = 20.0
"""Longest wait for Discord to answer one question."""

TEXT_CHANNELS = (0, 5)
"""Discord's types of channels in which a plan can be asked for: text and announcements."""

CHANNELS_SHOWN = 10
"""Channels of a server that are told one by one."""

Mark = Literal["ok", "warning", "error"]
_SIGNS: dict[Mark, str] = {"ok": "✓", "warning": "!", "error": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    mark: Mark
    text: str
    """What was found, and what to do if it is not well."""


@click.command(
    epilog="""
    \b
    Examples:
      LEADERLESS_DISCORD_TOKEN=... swarm-bot check
      swarm-bot check --token-file token.txt --config my.toml

    Exit code 0: the bot can start. 1: something has to be mended first.
    """
)
@click.option("--token-file", metavar="FILE", help="A file that holds the token.")
@click.option("--swarm", metavar="NAME", help="Name of the swarm.  [default: leaderless]")
@click.option("--state-dir", metavar="DIR", help="Where identity and journal are kept.")
@click.option("--config", metavar="FILE", help="A TOML file with your settings.")
def check(
    token_file: str | None, swarm: str | None, state_dir: str | None, config: str | None
) -> int:
    """Verify settings, token, servers and permissions, and print the invite link."""
    from bot.config import read, read_discord
    from swarm.config import ConfigError

    flags: dict[str, dict[str, Any]] = {
        "bot": {"token_file": token_file},
        "swarm": {"name": swarm, "state_dir": state_dir},
    }
    try:
        settings = read(flags, config)
        where = read_discord(settings)
    except ConfigError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    return asyncio.run(_report(settings, where))


async def _report(settings: BotConfig, where: Discord) -> int:
    worst = OK
    async for finding in findings(settings, where):
        click.echo(f"{_SIGNS[finding.mark]} {finding.text}")
        if finding.mark == "error":
            worst = FAILED
    click.echo("The bot can start." if worst == OK else "Mend what is marked ✗, and check again.")
    return worst


async def findings(settings: BotConfig, where: Discord) -> AsyncIterator[Finding]:
    """Yield what is found, one thing after the other; nothing is changed anywhere."""
    import aiohttp
    import discord

    from bot.app.run import LOGIN_REFUSED, peer_settings
    from bot.interactions.client import invite_link, point_to
    from swarm.trust.identity import IdentityError

    yield Finding("ok", "The settings can be used.")
    try:
        settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=settings.state_dir):
            yield Finding("ok", f"State is kept in {settings.state_dir}.")
        peer_settings(settings)
        yield Finding("ok", f"The bot's peer can join the swarm “{settings.swarm.name}”.")
    except OSError as error:
        reason = error.strerror or str(error)
        yield Finding(
            "error",
            f"State cannot be kept in {settings.state_dir}: {reason}. Give it another --state-dir.",
        )
    except IdentityError as error:
        yield Finding("error", str(error))
    point_to(where)
    client = discord.Client(intents=discord.Intents.none())
    try:
        async with asyncio.timeout(SECONDS):
            await client.login(where.token)
            me, application = client.user, client.application_id
        assert me is not None
        yield Finding("ok", f"The token is that of {me}.")
        link = invite_link(application or me.id)
        async for finding in _application(client, link):
            yield finding
        async for finding in _servers(client, link):
            yield finding
    except discord.LoginFailure:
        yield Finding("error", LOGIN_REFUSED)
    except (discord.HTTPException, aiohttp.ClientError, OSError, TimeoutError) as error:
        yield Finding(
            "error",
            f"Discord cannot be reached ({type(error).__name__}: {error}). Try again later.",
        )
    finally:
        await client.close()


async def _application(client: discord.Client, link: str) -> AsyncIterator[Finding]:
    """Yield what the developer portal says about the application."""
    about = await client.application_info()
    yield Finding("ok", "No privileged intent is needed: none has to be switched on.")
    if about.bot_require_code_grant:
        yield Finding(
            "error",
            "The bot cannot be invited by its link: in the developer portal, under Bot, switch "
            "“Requires OAuth2 Code Grant” off.",
        )
    if not about.bot_public:
        yield Finding(
            "warning",
            "Only you can invite the bot: others could with “Public Bot” switched on in the "
            f"developer portal, under Bot. Your link: {link}",
        )


async def _servers(client: discord.Client, link: str) -> AsyncIterator[Finding]:
    """Yield what the bot may do in each of its servers and their channels."""
    count = 0
    async with asyncio.timeout(SECONDS):
        async for guild in client.fetch_guilds(limit=None):
            count += 1
            async for finding in _server(client, guild, link):
                yield finding
    if not count:
        yield Finding("warning", f"The bot is in no server yet. Invite it: {link}")
    else:
        yield Finding("ok", f"To invite it to another server: {link}")


async def _server(
    client: discord.Client, guild: discord.Guild, link: str
) -> AsyncIterator[Finding]:
    """Yield what the bot may do in a server."""
    from bot.texts import PERMISSIONS

    assert client.user is not None
    fetched = await guild.fetch_roles()
    names = {role.id: role.name for role in fetched}
    member = await guild.fetch_member(client.user.id)
    # Fetched without a cache, a member knows its roles by id only.
    own = {role: names.get(role, "?") for role in (guild.id, *member._roles)}
    base = 0
    for role in fetched:
        base |= role.permissions.value if role.id in own else 0
    lacking = _lacking(base, PERMISSIONS)
    if lacking:
        yield Finding(
            "error",
            f"In “{guild.name}” the bot lacks: {', '.join(lacking)}. Give them to its role (Server "
            f"Settings, Roles), or invite it again: {link}",
        )
        return
    channels = await client.http.get_all_guild_channels(guild.id)
    texts = [one for one in channels if one["type"] in TEXT_CHANNELS]
    good, hidden, troubled = 0, 0, list[str]()
    for channel in texts:
        told = _channel(channel, base, guild.id, own, client.user.id)
        if told is None:
            hidden += 1
        elif told:
            troubled.append(told)
        else:
            good += 1
    for told in troubled[:CHANNELS_SHOWN]:
        yield Finding("warning", f"In “{guild.name}”, {told}")
    if len(troubled) > CHANNELS_SHOWN:
        more = len(troubled) - CHANNELS_SHOWN
        yield Finding("warning", f"In “{guild.name}”, {more} more channels are like that.")
    unseen = f"; it does not see {hidden} more" if hidden else ""
    if good:
        where = f"{good} of {len(texts)} channels"
        yield Finding("ok", f"In “{guild.name}” it may do all it needs in {where}{unseen}.")
    else:
        yield Finding(
            "error",
            f"In “{guild.name}” there is no channel in which the bot may do all it needs{unseen}. "
            "Allow it in one: Edit Channel, Permissions, add the bot.",
        )


def _channel(
    channel: Mapping[str, Any], base: int, guild: int, roles: Mapping[int, str], me: int
) -> str | None:
    """Return what the bot lacks in a channel and how to give it; empty: nothing; None: unseen."""
    import discord

    from bot.discord_api.permissions import allowed_in, denied_for, overwrites_of
    from bot.texts import PERMISSIONS

    overwrites = overwrites_of(channel)
    allowed = allowed_in(base, overwrites, guild=guild, roles=roles, member=me)
    if not discord.Permissions(allowed).view_channel:
        # Most channels that a bot does not see are meant to be so.
        return None
    told = []
    for key, name in PERMISSIONS.items():
        if _lacking(allowed, {key: name}):
            bit = discord.Permissions(**{key: True}).value
            who = denied_for(bit, overwrites, guild=guild, roles=roles, member=me)
            told.append(f"{name} (denied for {' and '.join(who)})" if who else name)
    if not told:
        return ""
    return (
        f"#{channel['name']}, it lacks: {', '.join(told)}. Allow it there: Edit Channel, "
        "Permissions, add the bot."
    )


def _lacking(allowed: int, wanted: dict[str, str]) -> list[str]:
    """Return which of the wanted permissions a number of Discord's does not hold."""
    import discord

    have = discord.Permissions(allowed)
    return [name for key, name in wanted.items() if not (have.administrator or getattr(have, key))]
