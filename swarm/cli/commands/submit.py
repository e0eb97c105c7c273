"""`swarm submit`: ask the running swarm for a plan."""

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
      swarm submit "Plan a school fair"          prints the goal's id and ends
      echo "Plan a school fair" | swarm submit -
      swarm submit "..." --language hi --json
      swarm submit "..." --capability web        only executors that offer it do the work

    Without --wait it ends as soon as a peer of the swarm has the goal; the swarm goes on by itself.
    The rules of the goal ([policy]) come from the configuration: `swarm config show`.
    """
)
@click.argument("goal")
@click.option("--wait", is_flag=True, help="Show the plan growing, and print it when it is done.")
@click.option(
    "--language",
    metavar="TAG",
    type=options.Words(options.MAX_LANGUAGE),
    default="",
    help="Language to answer in, such as hi.",
)
@click.option(
    "--capability",
    "capabilities",
    multiple=True,
    metavar="NAME",
    help="What an executor must offer to work on it; may be given several times.",
)
@options.swarm_options
@options.json_option
def submit(
    goal: str,
    wait: bool,
    language: str,
    capabilities: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> int:
    """Ask the running swarm for a plan. GOAL is a sentence; - reads it from standard input.

    Exit code: 0 done or partial (or, without --wait, submitted), 1 failed or cancelled, 3 no swarm
    answers.
    """
    text = sys.stdin.read(options.MAX_PIPED) if goal == "-" else goal
    config = options.read_config_quietly({**given, "capabilities": capabilities})
    from swarm.cli.runner import run

    return run(lambda: _submit(config, text, wait, language, as_json))


async def _submit(config: SwarmConfig, text: str, wait: bool, language: str, as_json: bool) -> int:
    import trio

    from swarm.cli import plan_run, session
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
                        f"The swarm goes on without you: swarm observe {short}, or stop it: "
                        f"swarm cancel {short}",
                        err=True,
                    )
                    raise
            return plan_run.report(view, as_json=as_json)
        if not await session.spread(peer, before):
            raise CommandError(
                f"Nobody heard the goal {goal_id.hex()[:8]}: the connection to the swarm was lost. "
                "Submit it again.",
                exit_code=ENVIRONMENT,
            )
        if as_json:
            output.print_json({"goal": goal_id.hex()})
        else:
            click.echo(goal_id.hex())
            plan_run.tell_absent(peer, config.policy.capabilities)
    return OK
