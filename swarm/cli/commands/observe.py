"""`swarm observe`: watch plans without publishing anything."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.cli.session import Watch
    from swarm.config import SwarmConfig
    from swarm.core.views.plan_view import PlanView
    from swarm.peer.peer import Peer


@click.command(
    epilog="""
    \b
    Examples:
      swarm observe                       show all plans live, until Ctrl-C
      swarm observe 3f2a91 --once         show one plan as it is now
      swarm observe 3f2a91 --once --json  the same as JSON (docs/protocol.md)
      swarm observe --json                print a line of JSON for each change of a plan

    An observer never publishes anything: it computes the plans from the records it receives.
    --stats proves this: it prints the network counters on stderr at the end. `swarm why ID`
    explains a part of a plan.
    """
)
@click.argument("goal_id", metavar="[ID]", required=False)
@click.option(
    "--once", is_flag=True, help="Wait until the plans have arrived, print them, and exit."
)
@click.option("--stats", is_flag=True, help="At the end, print the network counters on stderr.")
@options.swarm_options
@options.json_option
def observe(goal_id: str | None, once: bool, stats: bool, as_json: bool, **given: Any) -> int:
    """Watch plans grow, without taking part. ID selects one plan, by the first digits of its id.

    With --once --json the output is one plan if ID is given, otherwise a list of plans.

    Exit codes: 0 everything is shown; 2 no plan has this ID; 3 no swarm answers; 4 with --once, the
    swarm holds more than arrived within a minute (a note on stderr says how much).
    """
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _observe(config, goal_id, once, stats, as_json))


async def _observe(
    config: SwarmConfig, goal_id: str | None, once: bool, stats: bool, as_json: bool
) -> int:
    from swarm.cli import id_prefix, session
    from swarm.cli.views import output
    from swarm.console.errors import OK

    wanted = id_prefix.digits(goal_id) if goal_id else ""
    settings = session.peer_settings(config, "observer", state_dir=None)
    async with session.joined(settings) as peer:
        try:
            if once:
                await session.find_swarm(peer)
                return await _once(peer, wanted, as_json)
            await _watch(peer, session.Watch(peer), wanted, as_json)
        finally:
            counters = peer.counters()
            if stats and counters is not None:
                click.echo(output.as_json(asdict(counters)), err=True)
    return OK


async def _once(peer: Peer, wanted: str, as_json: bool) -> int:
    from swarm.cli import id_prefix, session
    from swarm.cli.clock_hint import ClockHint
    from swarm.cli.views import output
    from swarm.cli.views.tree import as_rich, as_text, rows
    from swarm.console.errors import INCOMPLETE, OK, CommandError
    from swarm.gossip.scope import ALL, Scope

    collected = await session.collect(peer, Scope.of_prefix(wanted) if wanted else ALL)
    plans = peer.store.plans()
    note = collected.note(len(plans))
    code = OK if collected.complete else INCOMPLETE
    found = any(plan.id.hex().startswith(wanted) for plan in plans)
    if found and collected.complete:
        ClockHint(peer).check()
    else:
        await session.compare_clocks(peer)
    if wanted:
        try:
            plans = [id_prefix.find_goal(plans, wanted)]
        except CommandError as error:
            text = f"{error}\n{note}".strip()
            raise CommandError(text, exit_code=code or error.exit_code) from None
    views = [session.view_of(peer, plan) for plan in plans]
    if note:
        click.echo(note, err=True)
    if as_json:
        shown = [view.model_dump(mode="json") for view in views]
        output.print_json(shown[0] if wanted else shown)
        return code
    if not views and collected.complete:
        click.echo("The swarm has no plans. Ask for one: swarm submit GOAL", err=True)
    plain = output.ascii_only(sys.stdout)
    for index, view in enumerate(views):
        lines = rows(view, name=session.namer(peer), now_ms=peer.now(), ascii_only=plain)
        if index:
            click.echo()
        if output.is_live(sys.stdout):
            output.console_on(sys.stdout).print(as_rich(lines))
        else:
            click.echo(as_text(lines))
    return code


async def _watch(peer: Peer, watch: Watch, wanted: str, as_json: bool) -> None:
    from swarm.cli import session
    from swarm.cli.views.live import Follower
    from swarm.console.errors import CommandError

    try:
        await session.find_swarm(peer)
    except CommandError as not_found:
        # An observer may be started before the swarm.
        click.echo(f"{not_found}\nWaiting for a swarm. Press Ctrl-C to stop.", err=True)
    known: dict[str, PlanView] = {}
    with Follower(sys.stdout, session.namer(peer), quiet=as_json) as shown:
        await session.show_all(
            peer,
            watch,
            shown,
            prefix=wanted,
            on_views=(lambda views: _print_changed(views, known)) if as_json else None,
        )


def _print_changed(views: list[PlanView], known: dict[str, PlanView]) -> None:
    from swarm.cli.views import output

    for view in views:
        if known.get(view.goal) is not view:
            known[view.goal] = view
            output.print_json_line(view.model_dump(mode="json"))
