"""`swarm sim`: a whole swarm in one process under a virtual clock, repeatable by its seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options
from swarm.console.errors import FAILED, OK, USAGE, CommandError

if TYPE_CHECKING:
    from swarm.sim.run import Played


@click.command(
    epilog="""
    \b
    Examples:
      swarm sim                                     one run without faults, as a timeline
      swarm sim --scenario partition --seed 7       the network is cut in two
      swarm sim --list                              list what can go wrong
      swarm sim --seeds 100                         a hundred seeds of every scenario
      swarm sim --scenario byzantine --seeds 1000   a thousand seeds of one scenario

    The same scenario, seed and number of peers give the same run on every machine. Exit code 1
    means that a guarantee was broken; the command that repeats that run is printed.
    """
)
@click.option(
    "--scenario", metavar="NAME", help="What goes wrong.  [default: calm; with --seeds: all]"
)
@click.option(
    "--seed", metavar="N", type=click.IntRange(min=0), default=1, show_default=True,
    help="Seed of the run; with --seeds the first one.",
)  # fmt: skip
@click.option(
    "--seeds",
    metavar="N",
    type=click.IntRange(min=1),
    help="Run this many seeds and print a table.",
)
@click.option(
    "--peers", metavar="N", type=click.IntRange(min=5), default=10, show_default=True,
    help="Number of peers, including the submitter and an observer.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="List the scenarios and exit.")
@options.json_option
def sim(
    scenario: str | None, seed: int, seeds: int | None, peers: int, listing: bool, as_json: bool
) -> int:
    """Simulate a swarm: real agents, records and gossip; simulated network, clock and models.

    The run is shown as a timeline and checked against the project's guarantees: all peers have the
    same plan, nothing is lost, every goal ends, limits hold (docs/guarantees.md).
    """
    from swarm.cli.views import output
    from swarm.sim.scenarios.scenarios import SCENARIOS

    if listing:
        if as_json:
            output.print_json({name: each.about for name, each in SCENARIOS.items()})
        else:
            for name, each in SCENARIOS.items():
                click.echo(f"{name:<21} {each.about}")
        return OK
    if scenario is not None and scenario not in SCENARIOS:
        import difflib

        near = difflib.get_close_matches(scenario, SCENARIOS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise CommandError(
            f"There is no scenario '{scenario}'.{hint} `swarm sim --list` lists them.",
            exit_code=USAGE,
        )
    if seeds is not None:
        names = list(SCENARIOS) if scenario is None else [scenario]
        return _sweep(names, range(seed, seed + seeds), peers, as_json)
    return _play(scenario or "calm", seed, peers, as_json)


def _play(scenario: str, seed: int, peers: int, as_json: bool) -> int:
    import sys

    from swarm.cli.views import output
    from swarm.console.text import clean
    from swarm.sim.run import play
    from swarm.sim.sweep import report_of
    from swarm.sim.world import timeline

    played = play(scenario, seed, peers)
    if as_json:
        output.print_json(_as_json(played))
    else:
        if output.is_live(sys.stdout):
            output.console_on(sys.stdout).print(timeline.coloured(played.timeline, clean))
        else:
            click.echo(clean(timeline.plain(played.timeline)))
        click.echo(_summary(played))
    if played.violations:
        click.echo(clean("\n".join(report_of(played))), err=True)
        return FAILED
    return OK


def _summary(played: Played) -> str:
    ended = ", ".join(f"{count} {state}" for state, count in sorted(played.states.items()))
    acted = sum(change.acted for change in played.changes)
    return (
        f"\n{played.scenario}, seed {played.seed}, {played.peers} peers: goals {ended or 'none'}; "
        f"{played.records} records at each peer, {played.frames} frames, "
        f"{played.virtual_ms / 1000:.0f} virtual seconds, all peers equal "
        f"{played.rest_ms / 1000:.0f} s after the end.\n"
        f"Decisions that changed: {len(played.changes)}, after work had begun: "
        f"{acted}. Fingerprint {played.fingerprint}."
    )


def _as_json(played: Played) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "scenario": played.scenario,
        "seed": played.seed,
        "peers": played.peers,
        "fingerprint": played.fingerprint,
        "states": dict(played.states),
        "records": played.records,
        "frames": played.frames,
        "virtual_ms": played.virtual_ms,
        "rest_ms": played.rest_ms,
        "violations": [asdict(violation) for violation in played.violations],
        "changes": [{**asdict(change), "node": change.node.hex()} for change in played.changes],
        "timeline": [asdict(entry) for entry in played.timeline],
    }


def _sweep(names: list[str], seeds: range, peers: int, as_json: bool) -> int:
    from swarm.cli.views import output
    from swarm.console.text import clean
    from swarm.sim import sweep

    def each(played: Played) -> None:
        if played.violations:
            click.echo(clean("\n".join(sweep.report_of(played))), err=True)

    rows = []
    if not as_json:
        click.echo(sweep.HEAD)
    for name in names:
        row = sweep.sweep([name], seeds, peers, each=each)[0]
        rows.append(row)
        if not as_json:
            click.echo(sweep.table_line(row))
    if as_json:
        output.print_json(
            [
                {
                    "scenario": row.scenario,
                    "seeds": row.seeds,
                    "states": dict(row.states),
                    "changed": dict(row.moved),
                    "changed_after_work_began": dict(row.acted),
                    "calls": row.calls,
                    "calls_twice": row.twice,
                    "rest_ms": row.rest_ms,
                    "broken": [played.command for played in row.broken],
                }
                for row in rows
            ]
        )
    else:
        click.echo("\n".join(sweep.totals(rows)))
    return FAILED if any(row.broken for row in rows) else OK
