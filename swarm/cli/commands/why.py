"""`swarm why`: how a part of a plan came to be, told from the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.config import SwarmConfig


@click.command(
    epilog="""
    \b
    Examples:
      swarm why 3f2a91            a goal
      swarm why 8c01              a part of a plan
      swarm why 8c01 --json

    Ids are in `swarm observe --once --json`; the first few digits are enough.
    """
)
@click.argument("node_id", metavar="ID")
@options.swarm_options
@options.json_option
def why(node_id: str, as_json: bool, **given: Any) -> int:
    """Tell how a part of a plan came to be: who proposed what, who voted how, who did the work.

    ID is a goal's or a node's, or the first digits of it.
    """
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _why(config, node_id, as_json))


async def _why(config: SwarmConfig, prefix: str, as_json: bool) -> int:
    from swarm.cli import id_prefix, session
    from swarm.cli.views import output
    from swarm.console.errors import OK
    from swarm.console.text import clean
    from swarm.core.views.english import why

    wanted = id_prefix.digits(prefix)
    settings = session.peer_settings(config, "observer", state_dir=None)
    async with session.joined(settings) as peer:
        watch = session.Watch(peer)
        await session.find_swarm(peer)
        await session.settle(
            peer,
            watch,
            complete=lambda: any(
                node.id.hex().startswith(wanted)
                for plan in peer.store.plans()
                for node in plan.nodes()
            ),
        )
        plan, node = id_prefix.find_node(peer.store.plans(), prefix)
        lines = [clean(line) for line in why(plan, node, peer.name_of)]
    if as_json:
        output.print_json({"goal": plan.id.hex(), "node": node.id.hex(), "lines": lines})
    else:
        click.echo("\n".join(lines))
    return OK
