"""The `swarm` command: the list of its subcommands, and its help.

A new command is a module in `commands/` and a line in `COMMANDS`.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from swarm.console.command_group import LazyGroup, run_group

COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("up", "Start a local swarm; with a GOAL, plan it and print the plan."),
    "peer": ("peer", "Run one peer in the foreground."),
    "submit": ("submit", "Ask a running swarm for a plan."),
    "cancel": ("cancel", "Stop a goal that you submitted from this machine."),
    "observe": ("observe", "Watch plans grow, without taking part."),
    "peers": ("peers", "List the peers of the swarm."),
    "why": ("why", "Explain how a part of a plan came about."),
    "model": ("model", "Find, list, fetch or serve models."),
    "sim": ("sim", "Simulate a swarm and everything that can go wrong."),
    "init": ("init", "Create a swarm that you own, with a key."),
    "invite": ("invite", "Let another machine into your swarm."),
    "join": ("join", "Join a swarm with an invite."),
    "revoke": ("revoke", "Take a peer's roles away."),
    "config": ("config", "Show the configuration and where each value comes from."),
}
"""Command -> (module in `commands`, summary). The module has a click command of that name."""


@click.group(
    cls=LazyGroup,
    lazy={
        name: (f"swarm.cli.commands.{module}", does) for name, (module, does) in COMMANDS.items()
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
    \b
    Examples:
      swarm up "Plan a two week trip to Japan"   start a swarm for one plan
      swarm up                                   start a swarm that runs until Ctrl-C
      swarm submit "Plan a school fair" --wait   ask it for a plan, from another terminal
      swarm observe                              watch all plans, from another terminal

    Exit codes: 0 success, 1 the goal failed or was cancelled, 2 wrong usage or configuration,
    3 no swarm or no model was found, 130 Ctrl-C. `swarm COMMAND --help` explains each command.
    """,
)
@click.version_option(package_name="leaderless", message="leaderless %(version)s")
def swarm() -> None:
    """A swarm of local-LLM agents that plans together with nobody in charge.

    Each peer is a separate process. Decomposers propose ways to split a goal, scorers rate the
    proposals and approve one, executors do the tasks. All peers see the same plan, because each
    computes it from the same signed records, which the peers send each other.
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; return the exit code. User errors become messages on stderr."""
    return run_group(swarm, "swarm", arguments)
