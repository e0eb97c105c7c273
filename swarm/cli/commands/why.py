"""`swarm why`: explain from the records how a part of a plan came about."""

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
      swarm why 3f2a91            explain a goal
      swarm why 8c01              explain a part of a plan
      swarm why 8c01 --json

    `swarm observe --once --json` lists the ids; the first few digits of one are enough.
    """
)
@click.argument("node_id", metavar="ID")
@options.swarm_options
@options.json_option
def why(node_id: str, as_json: bool, **given: Any) -> int:
    """Explain how a part of a plan came about: the proposals, the votes, and who did the work.

    ID is the id of a goal or a node, or its first digits.

    Exit codes: 0 explained; 2 nothing has this ID; 3 no swarm answers; 4 the swarm holds more than
    arrived within a minute.
    """
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _why(config, node_id, as_json))


async def _why(config: SwarmConfig, prefix: str, as_json: bool) -> int:
    from swarm.cli import id_prefix, session
    from swarm.cli.views import output
    from swarm.console.errors import INCOMPLETE, OK, CommandError
    from swarm.console.text import clean
    from swarm.core.views.english import why
    from swarm.gossip.scope import ALL, Scope

    wanted = id_prefix.digits(prefix)
    settings = session.peer_settings(config, "observer", state_dir=None)
    async with session.joined(settings) as peer:
        await session.find_swarm(peer)
        collected = await session.collect(peer, Scope.of_prefix(wanted))
        if not any(plan.id.hex().startswith(wanted) for plan in peer.store.plans()):
            # Not a goal's id, so perhaps a node's: only the whole plans show that.
            collected = await session.collect(peer, ALL)
        try:
            plan, node = id_prefix.find_node(peer.store.plans(), prefix)
        except CommandError as error:
            note = collected.note(len(peer.store.goals()))
            code = error.exit_code if collected.complete else INCOMPLETE
            raise CommandError(f"{error}\n{note}".strip(), exit_code=code) from None
        heard = peer.heard() if peer.knows_who_is_here() else None
        lines = [clean(line) for line in why(plan, node, peer.name_of, heard)]
    if as_json:
        output.print_json({"goal": plan.id.hex(), "node": node.id.hex(), "lines": lines})
    else:
        click.echo("\n".join(lines))
    note = collected.note(len(peer.store.goals()))
    if note:
        click.echo(note, err=True)
    return OK if collected.complete else INCOMPLETE
