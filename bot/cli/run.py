"""`swarm-bot run`: the bot on Discord."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import click

from swarm.console.errors import INTERRUPTED, OK, USAGE, CommandError


@click.command(
    epilog="""
    \b
    Examples:
      LEADERLESS_DISCORD_TOKEN=... swarm-bot run
      swarm-bot run --token-file token.txt --swarm school

    The token comes from Discord's developer portal (Bot, Reset Token). Invite the bot to a server
    with the scopes bot and applications.commands, and these permissions: View Channel, Send
    Messages, Create Public Threads, Send Messages in Threads, Add Reactions, Attach Files, Read
    Message History. It needs no privileged intents.

    The bot is one peer of the swarm and needs others: start them with `swarm up`, for example.
    """
)
@click.option("--token-file", metavar="FILE", help="A file that holds the token.")
@click.option("--swarm", metavar="NAME", help="Name of the swarm.  [default: leaderless]")
@click.option(
    "--listen",
    metavar="MULTIADDR",
    multiple=True,
    help="Address where the bot's peer listens; repeatable.",
)
@click.option(
    "--peers", metavar="MULTIADDR", multiple=True, help="Address of a peer to dial; repeatable."
)
@click.option("--swarm-key-file", metavar="FILE", help="A file that holds the swarm's secret.")
@click.option("--state-dir", metavar="DIR", help="Where the identity and the journal are stored.")
@click.option("--config", metavar="FILE", help="A TOML file with your settings.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
@click.option(
    "--until-stdin-closes",
    is_flag=True,
    help="Exit when standard input closes; for programs that start this one and may be killed.",
)
def run(
    token_file: str | None,
    swarm: str | None,
    listen: tuple[str, ...],
    peers: tuple[str, ...],
    swarm_key_file: str | None,
    state_dir: str | None,
    config: str | None,
    log_level: str | None,
    until_stdin_closes: bool,
) -> int:
    """Run the bot on Discord until Ctrl-C or SIGTERM."""
    if until_stdin_closes:
        from swarm.processes.lifeline import end_when_stdin_closes

        end_when_stdin_closes()
    from bot.config import read, read_discord
    from swarm.config import ConfigError

    flags: dict[str, dict[str, Any]] = {
        "bot": {"token_file": token_file, "listen": listen or None},
        "swarm": {
            "name": swarm,
            "peers": peers or None,
            "swarm_key_file": swarm_key_file,
            "state_dir": state_dir,
        },
        "log": {"level": log_level},
    }
    try:
        settings = read(flags, config)
        discord = read_discord(settings)
    except ConfigError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    from bot.app.logs import log_to_stderr
    from bot.app.run import run_bot

    log_to_stderr(settings.log.level, settings.log.format)
    ended_by = asyncio.run(run_bot(settings, discord))
    return INTERRUPTED if ended_by == signal.SIGINT else OK
