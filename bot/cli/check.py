"""`swarm-bot check`: verifies everything the bot needs, without starting it."""

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
"""Longest wait for Discord's answers."""

TEXT_CHANNELS = (0, 5)
"""Discord's channel types in which people can ask for plans: text and announcements."""

CHANNELS_SHOWN = 10
"""Most channels of a server that are reported one by one."""

Mark = Literal["ok", "warning", "error"]
_SIGNS: dict[Mark, str] = {"ok": "✓", "warning": "!", "error": "✗"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    mark: Mark
    text: str
    """What was found and, if it is a problem, what to do."""


@click.command(
    epilog="""
    \b
    Examples:
      LEADERLESS_DISCORD_TOKEN=... swarm-bot check
      swarm-bot check --token-file token.txt --config my.toml

    Exit code 0: the bot can start. 1: something must be fixed first.
    """
)
@click.option("--token-file", metavar="FILE", help="A file that holds the token.")
@click.option("--swarm", metavar="NAME", help="Name of the swarm.  [default: leaderless]")
@click.option("--state-dir", metavar="DIR", help="Where the identity and the journal are stored.")
@click.option("--config", metavar="FILE", help="A TOML file with your settings.")
def check(
    token_file: str | None, swarm: str | None, state_dir: str | None, config: str | None
) -> int:
    """Verify the settings, the token, servers and permissions, and print the invite link."""
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
    click.echo("The bot can start." if worst == OK else "Fix what is marked ✗, then check again.")
    return worst


async def findings(settings: BotConfig, where: Discord) -> AsyncIterator[Finding]:
    """Yield the findings one by one, without changing anything."""
    import aiohttp
    import discord

    from bot.app.run import LOGIN_REFUSED, peer_settings
    from bot.interactions.client import invite_link, point_to
    from swarm.trust.identity import IdentityError

    yield Finding("ok", "The settings are valid.")
    try:
        settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=settings.state_dir):
            yield Finding("ok", f"The state directory {settings.state_dir} is writable.")
        peer_settings(settings)
        yield Finding("ok", f"The bot's peer can join the swarm “{settings.swarm.name}”.")
    except OSError as error:
        reason = error.strerror or str(error)
        yield Finding(
            "error",
            f"The state directory {settings.state_dir} is not writable: {reason}. Choose another "
            "one with --state-dir.",
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
        yield Finding("ok", f"The token belongs to {me}.")
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
            f"Discord cannot be reached ({type(error).__name__}: {error}). Check the network "
            "connection and try again later.",
        )
    finally:
        await client.close()


async def _application(client: discord.Client, link: str) -> AsyncIterator[Finding]:
    """Yield findings about the application in the developer portal."""
    about = await client.application_info()
    yield Finding("ok", "No privileged intents are needed, so none has to be switched on.")
    if about.bot_require_code_grant:
        yield Finding(
            "error",
            "The invite link does not work: in the developer portal, under Bot, switch off "
            "“Requires OAuth2 Code Grant”.",
        )
    if not about.bot_public:
        yield Finding(
            "warning",
            "Only you can invite the bot. To let others invite it, switch on “Public Bot” in the "
            f"developer portal, under Bot. Your link: {link}",
        )


async def _servers(client: discord.Client, link: str) -> AsyncIterator[Finding]:
    """Yield findings about each of the bot's servers and their channels."""
    count = 0
    async with asyncio.timeout(SECONDS):
        async for guild in client.fetch_guilds(limit=None):
            count += 1
            async for finding in _server(client, guild, link):
                yield finding
    if not count:
        yield Finding("warning", f"The bot is not in any server yet. Invite it: {link}")
    else:
        yield Finding("ok", f"To invite it to another server: {link}")


async def _server(
    client: discord.Client, guild: discord.Guild, link: str
) -> AsyncIterator[Finding]:
    """Yield findings about the bot's permissions in a server and its channels."""
    from bot.texts import PERMISSIONS

    assert client.user is not None
    fetched = await guild.fetch_roles()
    names = {role.id: role.name for role in fetched}
    member = await guild.fetch_member(client.user.id)
    # A member that was fetched without a cache knows its roles by id only.
    own = {role: names.get(role, "?") for role in (guild.id, *member._roles)}
    base = 0
    for role in fetched:
        base |= role.permissions.value if role.id in own else 0
    missing = _missing(base, PERMISSIONS)
    if missing:
        yield Finding(
            "error",
            f"In “{guild.name}” the bot is missing permissions: {', '.join(missing)}. Give them to "
            f"its role (Server Settings, Roles), or invite it again: {link}",
        )
        return
    channels = await client.http.get_all_guild_channels(guild.id)
    texts = [one for one in channels if one["type"] in TEXT_CHANNELS]
    good, hidden, problems = 0, 0, list[str]()
    for channel in texts:
        problem = _channel(channel, base, guild.id, own, client.user.id)
        if problem is None:
            hidden += 1
        elif problem:
            problems.append(problem)
        else:
            good += 1
    for problem in problems[:CHANNELS_SHOWN]:
        yield Finding("warning", f"In “{guild.name}”, {problem}")
    if len(problems) > CHANNELS_SHOWN:
        more = len(problems) - CHANNELS_SHOWN
        yield Finding("warning", f"In “{guild.name}”, {more} more channels have such problems.")
    unseen = f"; {hidden} more are hidden from it" if hidden else ""
    if good:
        where = f"{good} of {len(texts)} channels"
        yield Finding(
            "ok", f"In “{guild.name}” the bot has all its permissions in {where}{unseen}."
        )
    else:
        yield Finding(
            "error",
            f"In “{guild.name}” the bot has all its permissions in no channel{unseen}. Allow them "
            "in at least one: Edit Channel, Permissions, add the bot.",
        )


def _channel(
    channel: Mapping[str, Any], base: int, guild: int, roles: Mapping[int, str], me: int
) -> str | None:
    """Return what the bot is missing in a channel and how to allow it.

    The text is empty if nothing is missing; None means that the bot cannot see the channel.
    """
    import discord

    from bot.discord_api.permissions import allowed_in, denied_for, overwrites_of
    from bot.texts import PERMISSIONS

    overwrites = overwrites_of(channel)
    allowed = allowed_in(base, overwrites, guild=guild, roles=roles, member=me)
    if not discord.Permissions(allowed).view_channel:
        # Most channels that are hidden from a bot are hidden on purpose.
        return None
    missing = []
    for key, name in PERMISSIONS.items():
        if _missing(allowed, {key: name}):
            bit = discord.Permissions(**{key: True}).value
            who = denied_for(bit, overwrites, guild=guild, roles=roles, member=me)
            missing.append(f"{name} (denied for {' and '.join(who)})" if who else name)
    if not missing:
        return ""
    return (
        f"#{channel['name']}, the bot is missing permissions: {', '.join(missing)}. Allow them "
        "there: Edit Channel, Permissions, add the bot."
    )


def _missing(allowed: int, wanted: dict[str, str]) -> list[str]:
    """Return the names of the wanted permissions that a Discord bit field does not contain."""
    import discord

    have = discord.Permissions(allowed)
    return [name for key, name in wanted.items() if not (have.administrator or getattr(have, key))]
