"""The `swarm-bot` command: what it can do, and its help.

Exit codes are the `swarm` command's (`swarm.console.errors`).
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from swarm.console.command_group import LazyGroup, run_group

COMMANDS = {
    "run": "Run the bot on Discord.",
    "check": "Verify token, servers and permissions without starting.",
    "playground": "Try the bot in a page on this machine, without a Discord account.",
}
"""Command -> what it does. The module of the same name has a click command of that name."""


@click.group(
    cls=LazyGroup,
    lazy={name: (f"bot.cli.{name}", does) for name, does in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      swarm-bot playground --with-swarm          a page on this machine, with a swarm behind it
      LEADERLESS_DISCORD_TOKEN=... swarm-bot run  the bot on Discord
      swarm up                                   the swarm that answers it, in another terminal

    `swarm-bot COMMAND --help` explains each command.
    """,
)
@click.version_option(package_name="leaderless", message="leaderless %(version)s")
def swarm_bot() -> None:
    """The chat bot in front of a swarm of local-LLM agents that plans with nobody in charge.

    People ask it with /plan, watch the plan grow in a thread, and vote with reactions or buttons.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code. Mistakes of the user are messages on stderr."""
    return run_group(swarm_bot, "swarm-bot", arguments)
