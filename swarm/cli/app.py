"""The `swarm` command: what it can do, and its help.

A new command is a module in `commands/` and a line in `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from swarm.console.command_group import LazyGroup, run_group

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


@click.group(
    cls=LazyGroup,
    lazy={
        name: (f"swarm.cli.commands.{module}", does) for name, (module, does) in COMMANDS.items()
    },
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
@click.version_option(package_name="leaderless", message="leaderless %(version)s")
def swarm() -> None:
    """A swarm of local-LLM agents that plans together with nobody in charge.

    Every peer is a process of its own: decomposers propose ways to split a goal, scorers rate them,
    executors do the parts. All of them see the same plan, because each folds the same signed
    records that it hears from the others.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code. Mistakes of the user are messages on stderr."""
    return run_group(swarm, "swarm", arguments)
