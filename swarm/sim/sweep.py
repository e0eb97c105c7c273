"""Many seeds of many scenarios: what `swarm sim --seeds N` plays, and its table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from swarm.sim.invariants import Violation
from swarm.sim.run import Played, play


@dataclass(slots=True)
class Row:
    """How one scenario went over many seeds.

    Attributes:
        scenario: its name.
        seeds: how many were played.
        states: how many goals ended in each state.
        broken: runs in which a promise was broken.
        moved: decided votes whose outcome changed, counted at each peer, by cause: `late` if the
            record that changed it took longer than allowed, `time` if no record did, else `early`.
        acted: the same, for votes whose outcome had been acted on.
        calls: model calls of executors.
        twice: those for an attempt on which another executor had started a call.
        rest_ms: the longest that a world took to come to rest.
        virtual_ms: virtual time that passed in all worlds.
        seconds: real time it took.
    """

    scenario: str
    seeds: int = 0
    states: Counter[str] = field(default_factory=Counter)
    broken: list[Played] = field(default_factory=list)
    moved: Counter[str] = field(default_factory=Counter)
    acted: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    twice: int = 0
    rest_ms: int = 0
    virtual_ms: int = 0
    seconds: float = 0.0

    def add(self, played: Played) -> None:
        """Count one run."""
        self.seeds += 1
        self.states += played.states
        self.rest_ms = max(self.rest_ms, played.rest_ms)
        self.virtual_ms += played.virtual_ms
        if played.violations:
            self.broken.append(played)
        self.calls += played.calls[0]
        self.twice += played.calls[1]
        for change in played.changes:
            (self.acted if change.acted else self.moved)[change.cause] += 1


def sweep(
    scenarios: Iterable[str],
    seeds: Iterable[int],
    peers: int,
    *,
    each: Callable[[Played], None] | None = None,
) -> list[Row]:
    """Play every seed of every scenario.

    Args:
        scenarios: their names.
        seeds: the seeds to play of each.
        peers: how many peers each world has.
        each: called after every run, for example to report a broken promise.
    """
    seeds = list(seeds)
    rows = []
    for name in scenarios:
        row = Row(name)
        began = time.perf_counter()
        for seed in seeds:
            played = play(name, seed, peers)
            row.add(played)
            if each is not None:
                each(played)
        row.seconds = time.perf_counter() - began
        rows.append(row)
    return rows


HEAD = (
    f"{'scenario':<20} {'seeds':>6} {'broken':>6} {'ended':<30} "
    f"{'changed':<20} {'after work began':<20} {'twice %':>7} {'rest s':>6} "
    f"{'ms/seed':>8}"
)


def table_line(row: Row) -> str:
    """Return a row of the table under `HEAD`."""
    return (
        f"{row.scenario:<20} {row.seeds:>6} {len(row.broken):>6} {_counts(row.states):<30} "
        f"{_counts(row.moved):<20} {_counts(row.acted):<20} {_percent(row.twice, row.calls):>7} "
        f"{row.rest_ms / 1000:>6.0f} "
        f"{1000 * row.seconds / max(row.seeds, 1):>8.0f}"
    )


def totals(rows: Iterable[Row]) -> list[str]:
    """Return the totals of all rows, line by line."""
    rows = list(rows)
    runs, broken = sum(row.seeds for row in rows), sum(len(row.broken) for row in rows)
    acted = sum((row.acted for row in rows), Counter[str]())
    calls, twice = sum(row.calls for row in rows), sum(row.twice for row in rows)
    hours = sum(row.virtual_ms for row in rows) / 3_600_000
    return [
        f"Splits that changed after work on them had begun, counted at each peer: {acted.total()} "
        f"({_counts(acted)}). Model calls of executors: {calls}, made twice: "
        f"{_percent(twice, calls)} %. Virtual hours: {hours:.0f}.",
        f"{runs} runs, {broken} with a broken promise.",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _counts(counter: Counter[str]) -> str:
    return " ".join(f"{name} {count}" for name, count in sorted(counter.items())) or "-"


def report_of(played: Played) -> list[str]:
    """Return the promises that a run broke, line by line, and how to play it again."""

    def line(violation: Violation) -> str:
        return f"  {violation.rule} at {violation.at_ms / 1000:.1f} s: {violation.what}"

    return [
        f"{played.scenario}, seed {played.seed}, broke a promise:",
        *map(line, played.violations),
        f"  play it again: {played.command}",
    ]
