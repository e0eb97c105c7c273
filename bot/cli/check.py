"""`swarm-bot check`: everything that has to be right before a start, without starting."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from swarm.cli.errors import FAILED, OK, USAGE, CommandError

if TYPE_CHECKING:
    import discord

    from bot.config import BotConfig, Discord

SECONDS = 20.0
"""Longest wait for Discord to answer one question."""

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

    from bot.client import invite_link, point_to
    from bot.service import LOGIN_REFUSED, peer_settings
    from swarm.identity import IdentityError

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


async def _servers(client: discord.Client, link: str) -> AsyncIterator[Finding]:
    """Yield what the bot may do in each of its servers."""
    from bot.texts import PERMISSIONS

    count = 0
    async with asyncio.timeout(SECONDS):
        async for guild in client.fetch_guilds(limit=None):
            count += 1
            assert client.user is not None
            roles = {role.id: role for role in await guild.fetch_roles()}
            member = await guild.fetch_member(client.user.id)
            allowed = 0
            # Fetched without a cache, a member knows its roles by id only.
            for role_id in [guild.id, *member._roles]:
                allowed |= roles[role_id].permissions.value if role_id in roles else 0
            lacking = _lacking(allowed, PERMISSIONS)
            if lacking:
                names = ", ".join(lacking)
                yield Finding(
                    "error",
                    f"In “{guild.name}” the bot lacks: {names}. Give them to its role (Server "
                    f"Settings, Roles), or invite it again: {link}",
                )
            else:
                yield Finding("ok", f"In “{guild.name}” it may do all it needs.")
    if not count:
        yield Finding("warning", f"The bot is in no server yet. Invite it: {link}")
    else:
        yield Finding("ok", f"To invite it to another server: {link}")


def _lacking(allowed: int, wanted: dict[str, str]) -> list[str]:
    """Return which of the wanted permissions a number of Discord's does not hold."""
    import discord

    have = discord.Permissions(allowed)
    return [name for key, name in wanted.items() if not (have.administrator or getattr(have, key))]
