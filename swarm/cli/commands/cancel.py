"""`swarm cancel`: stop a goal."""

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
      swarm cancel 3f2a91
      swarm cancel 3f2a91 --reason "we go to Korea instead"

    Only the submitter can stop a goal; all goals submitted by your user on this machine are yours.
    What was finished before is kept. `swarm observe --once` lists the ids.
    """
)
@click.argument("goal_id", metavar="ID")
@click.option(
    "--reason",
    type=options.RecordText(options.MAX_REASON),
    default="",
    help="Reason to show to anyone who follows the plan.",
)
@options.swarm_options
@options.json_option
def cancel(goal_id: str, reason: str, as_json: bool, **given: Any) -> int:
    """Stop a goal that you submitted from this machine. ID is the goal's id or its first digits."""
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _cancel(config, goal_id, reason, as_json))


async def _cancel(config: SwarmConfig, prefix: str, reason: str, as_json: bool) -> int:
    from swarm.cli import id_prefix, session
    from swarm.cli.clock_hint import ClockHint
    from swarm.cli.views import output
    from swarm.console.errors import ENVIRONMENT, OK, USAGE, CommandError
    from swarm.console.text import one_line
    from swarm.gossip.scope import Scope

    wanted = id_prefix.digits(prefix)
    settings = session.peer_settings(
        config, "submitter", state_dir=session.submitter_dir(config), name="swarm cancel"
    )
    async with session.joined(settings) as peer:
        await session.find_swarm(peer)
        await session.collect(peer, Scope.of_prefix(wanted))
        try:
            plan = id_prefix.find_goal(peer.store.plans(), prefix)
        except CommandError:
            await session.compare_clocks(peer)
            raise
        ClockHint(peer).check()
        if plan.final:
            raise CommandError(
                f"The goal {plan.id.hex()[:8]} has already ended: {plan.state}.", exit_code=USAGE
            )
        before = session.records_published(peer)
        try:
            peer.cancel(plan.id, reason)
        except ValueError as error:
            raise CommandError(str(error), exit_code=USAGE) from None
        if not await session.spread(peer, before):
            raise CommandError(
                "No peer received the cancellation: the connection to the swarm was lost. Try "
                "again.",
                exit_code=ENVIRONMENT,
            )
        if as_json:
            output.print_json(session.view_of(peer, plan))
        else:
            click.echo(f"cancelled {plan.id.hex()[:8]}: {one_line(plan.root.title)}")
    return OK
