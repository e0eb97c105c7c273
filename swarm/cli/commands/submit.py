"""`swarm submit`: ask a running swarm for a plan."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options

if TYPE_CHECKING:
    from swarm.config import SwarmConfig


@click.command(
    epilog="""
    \b
    Examples:
      swarm submit "Plan a school fair" --wait > fair.md
      swarm submit "Plan a school fair"          print the goal's id and exit
      echo "Plan a school fair" | swarm submit -
      swarm submit "..." --language hi --json
      swarm submit "..." --capability web        use only executors that offer `web`

    Without --wait the command exits as soon as a peer of the swarm has the goal, and the swarm
    plans it: follow it with `swarm observe`, stop it with `swarm cancel`. The rules of the goal are
    the [policy] section of the configuration: `swarm config show`.
    """
)
@click.argument("goal")
@click.option(
    "--wait", is_flag=True, help="Show the plan while it grows, and print it when it is finished."
)
@click.option(
    "--language",
    metavar="TAG",
    type=options.RecordText(options.MAX_LANGUAGE),
    default="",
    help="Language of the plan, such as hi.",
)
@click.option(
    "--capability",
    "capabilities",
    multiple=True,
    metavar="NAME",
    help="Capability that executors must offer to work on the goal; repeatable.",
)
@options.reviews_option
@options.swarm_options
@options.json_option
def submit(
    goal: str,
    wait: bool,
    language: str,
    capabilities: tuple[str, ...],
    reviews: int | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Ask a running swarm for a plan. GOAL is a sentence; - reads it from standard input.

    Exit codes: 0 the plan is done or partial (without --wait: the goal was submitted), 1 it failed
    or was cancelled, 3 no swarm answered.
    """
    text = sys.stdin.read(options.MAX_PIPED) if goal == "-" else goal
    config = options.read_config_quietly(
        {**given, "capabilities": capabilities, "reviews": reviews}
    )
    from swarm.cli.runner import run

    return run(lambda: _submit(config, text, wait, language, as_json))


async def _submit(config: SwarmConfig, text: str, wait: bool, language: str, as_json: bool) -> int:
    import trio

    from swarm.cli import plan_run, session
    from swarm.cli.clock_hint import ClockHint
    from swarm.cli.views import output
    from swarm.cli.views.live import Follower
    from swarm.console.errors import ENVIRONMENT, OK, CommandError

    settings = session.peer_settings(
        config, "submitter", state_dir=session.submitter_dir(config), name="swarm submit"
    )
    plan_run.check(text)
    async with session.joined(settings) as peer:
        watch = session.Watch(peer)
        await session.find_swarm(peer)
        await session.meet(peer, watch)
        before = session.records_published(peer)
        goal_id = plan_run.submit(peer, text, config.policy.to_policy(), language)
        if wait:
            with Follower(sys.stderr, session.namer(peer), quiet=as_json) as shown:
                try:
                    view = await plan_run.follow(peer, watch, goal_id, shown)
                except trio.Cancelled:
                    shown.close()
                    short = goal_id.hex()[:8]
                    click.echo(
                        f"The swarm keeps planning. Follow it: swarm observe {short}. "
                        f"Stop it: swarm cancel {short}",
                        err=True,
                    )
                    raise
            return plan_run.report(view, as_json=as_json)
        if not await session.spread(peer, before):
            raise CommandError(
                f"No peer received the goal {goal_id.hex()[:8]}: the connection to the swarm was "
                "lost. Submit it again.",
                exit_code=ENVIRONMENT,
            )
        if as_json:
            ClockHint(peer).check()
            output.print_json({"goal": goal_id.hex()})
        else:
            click.echo(goal_id.hex())
            plan_run.tell_absent(peer, goal_id)
    return OK
