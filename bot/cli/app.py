"""The `swarm-bot` command: its subcommands and its help.

Exit codes are the `swarm` command's (`swarm.console.errors`).
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from swarm.console.command_group import LazyGroup, run_group

COMMANDS = {
    "run": "Run the bot on Discord.",
    "check": "Verify token, servers and permissions without starting the bot.",
    "playground": "Try the bot in a page on this machine, without a Discord account.",
}
"""Commands and what they do. Each is a click command in the module of the same name."""


@click.group(
    cls=LazyGroup,
    lazy={name: (f"bot.cli.{name}", does) for name, does in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      swarm-bot playground --with-swarm           try it: a page on this machine and a swarm
      LEADERLESS_DISCORD_TOKEN=... swarm-bot run  run the bot on Discord
      swarm up                                    start the swarm behind it, in another terminal

    `swarm-bot COMMAND --help` explains each command.
    """,
)
@click.version_option(package_name="leaderless", message="leaderless %(version)s")
def swarm_bot() -> None:
    """The Discord bot for a swarm of local-LLM agents that plans with nobody in charge.

    People ask for a plan with /plan, watch it grow in a thread and vote with reactions or buttons.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code. User errors are messages on stderr."""
    return run_group(swarm_bot, "swarm-bot", arguments)
