"""`swarm up`: a whole swarm on this machine, for one plan or until Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options
from swarm.console.errors import ENVIRONMENT, OK, USAGE, CommandError

if TYPE_CHECKING:
    from swarm.cli.views.live import Follower
    from swarm.cli.views.startup import Board
    from swarm.config import SwarmConfig
    from swarm.core.roles import Worker
    from swarm.peer.peer import Peer
    from swarm.processes.name_locks import NameLocks
    from swarm.processes.supervisor import PeerSpec

MAX_PEERS = 64
"""Most peers of one role that one command starts: each takes about 90 MB."""

JOIN_SECONDS = 30.0
"""How long the command's own peer may take to connect to the new peers on a busy machine."""

Count = click.IntRange(0, MAX_PEERS)


@click.command(
    epilog="""
    \b
    Examples:
      swarm up "Plan a two week trip to Japan" > japan.md
      swarm up "Plan a school fair" --model qwen2.5:7b --server http://127.0.0.1:11434
      swarm up --executors 4 --decomposers 1
      swarm up                        runs until Ctrl-C; then, from another terminal:
      swarm submit "Plan a school fair" --wait

    Each peer is a separate process; a peer that exits is started again. If no Ollama server
    answers, the embedded model is downloaded once (1.1 GB) and served to all peers. The growing
    plan is shown on stderr, and the finished plan is printed on stdout. Ctrl-C stops everything
    that was started.
    """
)
@click.argument("goal", required=False)
@click.option(
    "--decomposers",
    type=Count,
    default=3,
    metavar="N",
    help="Peers that propose splits.  [default: 3]",
)
@click.option(
    "--scorers", type=Count, default=3, metavar="N", help="Peers that rate splits.  [default: 3]"
)
@click.option(
    "--executors", type=Count, default=2, metavar="N", help="Peers that do tasks.  [default: 2]"
)
@options.reviews_option
@options.model_options
@options.swarm_options
@options.listen_option
@options.json_option
@click.option("--json-events", is_flag=True, help="Print all events as lines of JSON.")
@options.lifeline_option
def up(
    goal: str | None,
    decomposers: int,
    scorers: int,
    executors: int,
    as_json: bool,
    json_events: bool,
    until_stdin_closes: bool,
    **given: Any,
) -> int:
    """Start a local swarm; with a GOAL, plan it, print the plan and stop.

    Without a GOAL the swarm runs until Ctrl-C.

    Exit codes: 0 the plan is done or partial, 1 it failed or was cancelled, 3 no model was found.
    """
    if until_stdin_closes:
        from swarm.processes.lifeline import end_when_stdin_closes

        end_when_stdin_closes()
    if as_json and goal is None:
        raise click.UsageError(
            "--json prints a plan, so it needs a GOAL. Without one use --json-events."
        )
    counts: dict[Worker, int] = {
        "decomposer": decomposers,
        "scorer": scorers,
        "executor": executors,
    }
    try:
        config = options.read_config_quietly(given)
        from swarm.cli.runner import run

        return run(lambda: _up(config, goal, counts, given, as_json, json_events), service=True)
    except CommandError as error:
        if not json_events:
            raise
        from swarm.cli.views.output import print_json_line
        from swarm.cli.views.startup import error_event

        print_json_line(error_event(str(error), error.exit_code))
        return error.exit_code


async def _up(
    config: SwarmConfig,
    goal: str | None,
    counts: dict[Worker, int],
    given: dict[str, Any],
    as_json: bool,
    json_events: bool,
) -> int:
    from swarm.cli import plan_run, session
    from swarm.cli.model_setup import model_for_all
    from swarm.cli.views.live import Follower
    from swarm.cli.views.startup import Board
    from swarm.processes.name_locks import NameLocks
    from swarm.processes.supervisor import LocalSwarm

    if goal is not None:
        plan_run.check(goal)
    session.check_reachable(config)
    _check_owned_here(config)
    settings = session.peer_settings(
        config,
        "observer" if goal is None else "submitter",
        state_dir=None if goal is None else session.submitter_dir(config),
        name="swarm up",
    )
    code = OK
    with NameLocks(config.swarm.state_dir / "peers") as locks:
        specs = _specs(config, counts, given, locks)
        with Follower(sys.stderr, quiet=as_json or json_events) as shown:
            board = Board(shown, specs, json_events=json_events)
            async with model_for_all(config, board.model) as same_model:
                asked = [replace(one, command=(*one.command, *same_model)) for one in specs]
                local = LocalSwarm(asked, on_event=board.peer, env=_environment(given))
                async with session.joined(settings, local.run) as peer:
                    board.ready(config, local.addresses)
                    code = await _go_on(config, goal, peer, shown, board, as_json, json_events)
    return code


def _check_owned_here(config: SwarmConfig) -> None:
    """Check that the new peers would count.

    Raises:
        CommandError: the swarm has another owner, who has granted them nothing.
    """
    swarm = config.swarm
    if swarm.owner is not None and swarm.owner_key_file is None:
        raise CommandError(
            f"The swarm “{swarm.name}” belongs to another owner, who has not granted these "
            "peers any "
            "role, so nothing they did would count. Start the peer of your invite: swarm peer ROLE",
            exit_code=USAGE,
        )


async def _go_on(
    config: SwarmConfig,
    goal: str | None,
    peer: Peer,
    shown: Follower,
    board: Board,
    as_json: bool,
    json_events: bool,
) -> int:
    """Plan the goal, or show all plans until cancelled; return the exit code."""
    import trio

    from swarm.cli import plan_run, session

    watch = session.Watch(peer)
    shown.name = session.namer(peer)
    if goal is None:
        await session.show_all(peer, watch, shown)
    await session.find_swarm(peer, JOIN_SECONDS)
    await session.meet(peer, watch, enough=lambda: board.all_in(peer.peers()))
    goal_id = plan_run.submit(peer, goal or "", config.policy.to_policy())
    try:
        view = await plan_run.follow(peer, watch, goal_id, shown, on_view=board.plan)
    except trio.Cancelled:
        # Otherwise the peers would resume the goal from their replicas next time, for nobody.
        await plan_run.withdraw(peer, goal_id)
        raise
    # Print the plan before stopping the peers, which takes a while.
    shown.close()
    return plan_run.report(view, as_json=as_json, silent=json_events)


def _specs(
    config: SwarmConfig, counts: dict[Worker, int], given: dict[str, Any], locks: NameLocks
) -> list[PeerSpec]:
    """Return the peers to start, with their names locked.

    Raises:
        CommandError: the state directory cannot be written.
    """
    from swarm.net.addresses import any_port
    from swarm.processes.supervisor import PeerSpec, peer_command

    state = config.swarm.state_dir
    specs: list[PeerSpec] = []
    try:
        for role, count in counts.items():
            for name in locks.take(role, count):
                # Only one peer can have a configured port: the first one, whose address is shown.
                listen = config.swarm.listen if not specs else map(any_port, config.swarm.listen)
                chosen = [*_passed_on(given), *_repeat("--listen", listen)]
                command = peer_command(
                    role, name=name, state_dir=state / "peers" / name, options=chosen
                )
                log = state / "logs" / f"{name}.log"
                specs.append(PeerSpec(role=role, name=name, command=tuple(command), log=log))
    except OSError as error:
        raise CommandError(
            f"Identities and logs cannot be kept in {state}: {error.strerror}. Name a writable "
            "directory with --state-dir DIR.",
            exit_code=ENVIRONMENT,
        ) from None
    return specs


PASSED_ON = ("swarm", "swarm_key_file", "config", "log_level", "model")
"""Options passed on to the peers; they read files and environment variables themselves."""


def _environment(given: dict[str, Any]) -> dict[str, str]:
    """Return the peers' environment: an address of a server may hold a password.

    It is not an argument of theirs, because every user of the machine can list arguments.
    """
    from swarm.config import server_variables

    return {**os.environ, **server_variables(given.get("server") or "")}


def _passed_on(given: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for name in PASSED_ON:
        if given.get(name) is not None:
            found += [f"--{name.replace('_', '-')}", str(given[name])]
    return found + _repeat("--peers", given.get("peers") or ())


def _repeat(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]
