"""`swarm sim`: a whole swarm in one process, under a virtual clock, played again by its seed."""

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
      swarm sim                                     one calm swarm, told as a timeline
      swarm sim --scenario partition --seed 7       the network is cut in two
      swarm sim --list                              what can go wrong
      swarm sim --seeds 100                         a hundred seeds of every scenario
      swarm sim --scenario byzantine --seeds 1000   a thousand of one

    The same scenario, seed and peers give the same run on every machine. Exit code 1: a promise was
    broken; the command that plays that run again is printed.
    """
)
@click.option("--scenario", metavar="NAME", help="What goes wrong.  [default: calm; --seeds: all]")
@click.option(
    "--seed", metavar="N", type=click.IntRange(min=0), default=1, show_default=True,
    help="Which run; with --seeds the first.",
)  # fmt: skip
@click.option(
    "--seeds", metavar="N", type=click.IntRange(min=1), help="Play this many and print a table."
)
@click.option(
    "--peers", metavar="N", type=click.IntRange(min=5), default=10, show_default=True,
    help="How many peers there are, the submitter and a listener included.",
)  # fmt: skip
@click.option("--list", "listing", is_flag=True, help="List the scenarios.")
@options.json_option
def sim(
    scenario: str | None, seed: int, seeds: int | None, peers: int, listing: bool, as_json: bool
) -> int:
    """Simulate a swarm: real agents, records and gossip; a made-up network, clock and models.

    Shows who did what when, checks what the project promises (one plan everywhere, nothing lost,
    every goal ends, limits hold), and says so if a promise is broken.
    """
    from swarm.cli.views import output
    from swarm.sim.scenarios.scenarios import SCENARIOS

    if listing:
        if as_json:
            output.print_json({name: each.about for name, each in SCENARIOS.items()})
        else:
            for name, each in SCENARIOS.items():
                click.echo(f"{name:<18} {each.about}")
        return OK
    if scenario is not None and scenario not in SCENARIOS:
        import difflib

        near = difflib.get_close_matches(scenario, SCENARIOS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise CommandError(
            f"There is no scenario '{scenario}'.{hint} `swarm sim --list` shows all.",
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
        f"{played.virtual_ms / 1000:.0f} virtual seconds, the same everywhere "
        f"{played.rest_ms / 1000:.0f} s after the end.\n"
        f"Decided votes that came out otherwise: {len(played.changes)}, after work had begun: "
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
