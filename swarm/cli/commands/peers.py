"""`swarm peers`: list the peers of a swarm."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.config import SwarmConfig
    from swarm.peer.peer import PeerView

FOREIGN = "foreign: not granted this role, does not count"
COLUMNS = ("role", "name", "model", "load", "key", "seen", "trouble")


@click.command(
    epilog="""
    \b
    Examples:
      swarm peers
      swarm peers --swarm school
      swarm peers --json

    LOAD is the number of model calls that are running; TROUBLE is why a peer cannot work, or by how
    much its clock differs from this machine's. Observers publish nothing, so they are not listed.
    In an owned swarm (swarm init), a peer is foreign if the owner has not granted it its role:
    nothing that it publishes counts.
    """
)
@options.swarm_options
@options.json_option
def peers(as_json: bool, **given: Any) -> int:
    """List the peers of the swarm: roles, names, models, load, trouble."""
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _peers(config, as_json))


async def _peers(config: SwarmConfig, as_json: bool) -> int:
    from swarm.cli import session
    from swarm.cli.clock_hint import ClockHint
    from swarm.cli.views import output
    from swarm.console.errors import OK

    settings = session.peer_settings(config, "observer", state_dir=None)
    async with session.joined(settings) as peer:
        watch = session.Watch(peer)
        await session.find_swarm(peer)
        await session.meet(peer, watch)
        views = sorted(
            [*peer.peers(), *peer.not_counted()],
            key=lambda view: (view.role, view.name, view.author),
        )
        if peer.own_clock() is not None:
            ClockHint(peer).check()
    if as_json:
        output.print_json([asdict(view) for view in views])
    elif views:
        _table(views)
    else:
        click.echo(
            "This swarm has only observers, which publish nothing. Start peers: swarm up", err=True
        )
    return OK


def _table(views: list[PeerView]) -> None:
    from swarm.cli.views import output

    lines = [_cells(view) for view in views]
    if output.is_live(sys.stdout):
        from rich.table import Table
        from rich.text import Text

        table = Table(*COLUMNS, box=None, pad_edge=False, header_style="bold")
        for line in lines:
            table.add_row(*(Text(cell, "red" if cell is line[-1] else "") for cell in line))
        output.console_on(sys.stdout).print(table)
        return
    widths = [max(map(len, column)) for column in zip(COLUMNS, *lines, strict=True)]
    for line in (COLUMNS, *lines):
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _cells(view: PeerView) -> tuple[str, ...]:
    from swarm.cli.clock_hint import side
    from swarm.console.text import one_line

    troubles = (
        FOREIGN if view.foreign else "",
        f"its clock is {side(view.clock_ms)}" if view.clock_ms else "",
        view.trouble,
    )
    cells = (
        view.role,
        view.name,
        view.model or "-",
        str(view.load),
        view.author[:8],
        f"{view.seen_ms_ago // 1000} s ago",
        "; ".join(filter(None, troubles)),
    )
    return tuple(one_line(cell, 80) for cell in cells)
