"""The command group and the way out: lazy subcommands, exit codes, messages instead of tracebacks.

A new command is a module in `commands/` and a line in `COMMANDS`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from swarm.cli.errors import BROKEN_PIPE, INTERRUPTED, OK, CommandError
from swarm.cli.text import clean

VERSION = "0.1.0"

COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("up", "Start a local swarm; with a GOAL, plan it and print the plan."),
    "peer": ("peer", "Run one peer in the foreground."),
    "submit": ("submit", "Ask the running swarm for a plan."),
    "cancel": ("cancel", "Stop a goal that was submitted from here."),
    "observe": ("observe", "Watch plans grow, without ever saying anything."),
    "peers": ("peers", "List the peers that are here."),
    "why": ("why", "Tell how a part of a plan came to be."),
    "model": ("model", "List, fetch or serve local models."),
    "sim": ("sim", "Simulate a swarm, with everything that can go wrong."),
    "init": ("init", "Make a swarm that you own, with a key."),
    "invite": ("invite", "Let another machine into your swarm."),
    "join": ("join", "Join a swarm by an invite."),
    "revoke": ("revoke", "Take a peer's roles away."),
    "config": ("config", "Show the configuration and where it comes from."),
}
"""Command -> (module in `commands`, what it does). The module has a command of the same name."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"swarm.cli.commands.{COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and suggest the one that was meant when there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if near:
                raise click.UsageError(f"{error} Did you mean '{near[0]}'?", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      swarm up "Plan a two week trip to Japan"   a whole swarm for one plan
      swarm up                                   a swarm that stays, until Ctrl-C
      swarm submit "Plan a school fair" --wait   ask the swarm that is running
      swarm observe                              watch, in another terminal

    Exit codes: 0 done, 1 the goal failed or was cancelled, 2 wrong usage or configuration,
    3 no swarm or no model there, 130 Ctrl-C. `swarm COMMAND --help` explains each command.
    """,
)
@click.version_option(VERSION, message="leaderless %(version)s")
def swarm() -> None:
    """A swarm of local-LLM agents that plans together with nobody in charge.

    Every peer is a process of its own: decomposers propose ways to split a goal, scorers rate them,
    executors do the parts. All of them see the same plan, because each folds the same signed
    records that it hears from the others.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code. Mistakes of the user are messages on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Plans have all scripts of the world; a terminal without them shows a substitute.
            stream.reconfigure(errors="replace")
    try:
        code = swarm.main(list(arguments), prog_name="swarm", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except CommandError as error:
        # A message may repeat what a peer called itself or its goal.
        click.echo(clean(str(error)), err=True)
        return error.exit_code
    except BrokenPipeError:
        # Python would complain once more at exit, when it flushes what nobody reads.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return code if isinstance(code, int) else OK
