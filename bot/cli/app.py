"""The command group: subcommands imported when they run, messages instead of tracebacks.

Exit codes are the `swarm` command's (`swarm.cli.errors`).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from swarm.cli.errors import INTERRUPTED, OK, CommandError

VERSION = "0.1.0"

COMMANDS = {
    "run": "Run the bot on Discord.",
    "check": "Verify token, servers and permissions without starting.",
    "playground": "Try the bot in a page on this machine, without a Discord account.",
}
"""Command -> what it does. The module of the same name has a click command of that name."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(importlib.import_module(f"bot.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
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
@click.version_option(VERSION, message="leaderless %(version)s")
def swarm_bot() -> None:
    """The chat bot in front of a swarm of local-LLM agents that plans with nobody in charge.

    People ask it with /plan, watch the plan grow in a thread, and vote with reactions or buttons.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code. Mistakes of the user are messages on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = swarm_bot.main(list(arguments), prog_name="swarm-bot", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except CommandError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    return code if isinstance(code, int) else OK
