"""Groups of one command, for tests of what happens around a command."""

from __future__ import annotations

from collections.abc import Callable

import click
import trio

from swarm.cli.runner import run as run_trio
from swarm.console.command_group import LazyGroup


def group(action: Callable[[], object]) -> LazyGroup:
    """Return a group with one command, `it`, that runs an action."""

    class One(LazyGroup):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return click.Command("it", callback=action)

    return One("g", lazy={"it": ("", "")})


def raising(error: BaseException) -> Callable[[], object]:
    """Return an action that raises an error."""

    def action() -> object:
        raise error

    return action


def in_trio(error: BaseException) -> Callable[[], object]:
    """Return an action that raises an error inside two nurseries, as a peer would."""

    async def main() -> int:
        async with trio.open_nursery(), trio.open_nursery():
            raise error

    return lambda: run_trio(main)
