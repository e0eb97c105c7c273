"""Gossip between real processes: how soon all peers see a record, and how many records fit.

    python -m benchmarks.gossip [--quick] [--sizes 4 8 16]

Submitters on loopback each publish their share of the records at a steady rate. The same processes
have a bare py-libp2p topic with the same settings, which carries each record as one message
(`benchmarks.peers`). At low rates both are measured at the same time, otherwise in turns. The time
of a record runs from when it was due to be published until a peer has it; every peer counts.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trio

from benchmarks import report
from benchmarks.peers import Member, herd, until
from benchmarks.report import percentile

SIZES = (4, 8, 16)
QUICK_SIZES = (4,)

SECONDS = {1: 10.0, 10: 6.0, 100: 4.0, 500: 3.0}
QUICK_SECONDS = {10: 2.0, 100: 1.0}
"""Records a second in the whole swarm, and for how many seconds they are published."""

TOGETHER = 10
"""Records a second up to which both are measured at once: they do not disturb each other."""

LADDER_SIZE = 8
LADDER = {
    "ours": (125, 250, 500, 1_000, 2_000, 4_000),
    "bare": (5, 10, 20, 40, 80, 160, 320, 640),
}
LADDER_SECONDS = 3.0
"""Rates tried by number of peers, from low to high, until the swarm cannot keep up."""

LAG = 2.0
"""Seconds after the last record within which every peer must have every record; otherwise the swarm
did not keep up with the rate. A lag that grows soon exceeds this; a constant one is far below."""

PATIENCE = {"ours": 20.0, "bare": 4.0}
"""Seconds after the last record until a missing one counts as lost. Anti-entropy takes some
seconds; a bare topic repeats nothing."""

LEAD = 0.3
"""Seconds between telling the peers what to publish and the first record."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One rate, measured with our gossip or with the bare topic.

    Attributes:
        peers: How many.
        rate: Records a second to publish, by all peers together.
        said: Records published.
        folded: Seconds until a record was in the plan of a peer, sorted; one for each record and
            peer.
        told: Seconds until that peer's owner was notified, likewise.
        lost: Deliveries that never arrived, as a share of all that should have.
        lag: Seconds from the last publication until the last record arrived anywhere.
        cpu: CPU seconds of all processes together.
        sent: Bytes through all sockets.
    """

    peers: int
    rate: int
    said: int
    folded: list[float]
    told: list[float]
    lost: int
    lag: float
    cpu: float
    sent: int

    @property
    def deliveries(self) -> int:
        """How many times a record had to arrive."""
        return self.said * (self.peers - 1)

    @property
    def sustained(self) -> bool:
        """Whether everything arrived, in time."""
        return self.lost == 0 and self.lag <= LAG


async def say(
    members: Sequence[Member], ways: Sequence[str], rate: int, seconds: float
) -> list[Trial]:
    """Let all members publish their share of the records, in each of the ways at once."""
    raw = str((await members[0].ask("submit"))["goal"])
    goal = await _spread_goal(members, raw)
    said = round(rate * seconds)
    before = [await member.ask("state") for member in members]
    begin = time.monotonic() + LEAD
    for offset, way in enumerate(ways):
        # What is measured at the same time is published at different moments.
        shift = offset / len(ways) / rate
        times = [begin + shift + number / rate for number in range(said)]
        for place, member in enumerate(members):
            await member.ask("say", way=way, goal=goal, at=times[place :: len(members)])
    await trio.sleep(begin + seconds - time.monotonic())
    for way in ways:
        deadline = trio.current_time() + PATIENCE[way]
        for member in members:
            left = max(0.0, deadline - trio.current_time())
            await until(member, lambda s: s["count"] == said + 1, left, way=way, goal=goal)
    after = [await member.ask("state") for member in members]
    trials = []
    for way in ways:
        heard = [await member.ask("take", way=way) for member in members]
        trials.append(_trial(len(members), rate, said, heard, begin + seconds, before, after))
    return trials


async def _spread_goal(members: Sequence[Member], raw: str) -> str:
    from swarm.core.records import record_id

    goal = record_id(bytes.fromhex(raw)).hex()
    for member in members:
        await member.ask("goal", goal=raw)
        await until(member, lambda s: s["count"] > 0, PATIENCE["ours"], goal=goal)
    return goal


def _trial(
    peers: int,
    rate: int,
    said: int,
    heard: Sequence[dict[str, Any]],
    end: float,
    before: Sequence[dict[str, Any]],
    after: Sequence[dict[str, Any]],
) -> Trial:
    folded = sorted(value for one in heard for value in one["folded"])
    return Trial(
        peers=peers,
        rate=rate,
        said=said,
        folded=folded,
        told=sorted(value for one in heard for value in one["told"]),
        lost=said * (peers - 1) - len(folded),
        lag=max(0.0, max(one["last_at"] for one in heard) - end),
        cpu=sum(one["cpu"] for one in after) - sum(one["cpu"] for one in before),
        sent=sum(one["sent"] for one in after) - sum(one["sent"] for one in before),
    )


async def climb(members: Sequence[Member], way: str, rates: Sequence[int]) -> list[Trial]:
    """Try rates from low to high until the swarm cannot keep up; return all that were tried."""
    trials = []
    for rate in rates:
        (trial,) = await say(members, [way], rate, LADDER_SECONDS)
        trials.append(trial)
        if not trial.sustained:
            break
    return trials


@dataclass(frozen=True, slots=True)
class Measured:
    """All trials of one size, by way."""

    rates: dict[str, list[Trial]]
    ladder: dict[str, list[Trial]]


async def measure(folder: Path, peers: int, seconds: dict[int, float], *, ladder: bool) -> Measured:
    """Measure one size of swarm."""
    rates: dict[str, list[Trial]] = {way: [] for way in PATIENCE}
    tops: dict[str, list[Trial]] = {}
    async with herd(folder, peers, bare=True) as members:
        for rate, duration in seconds.items():
            at_once = [list(PATIENCE)] if rate <= TOGETHER else [[way] for way in PATIENCE]
            for ways in at_once:
                if _is_hopeless(rates[ways[0]]):
                    continue
                for way, trial in zip(ways, await say(members, ways, rate, duration), strict=True):
                    rates[way].append(trial)
        if ladder:
            for way, tried in LADDER.items():
                tops[way] = await climb(members, way, tried)
                # The backlog of an excessive rate must not disturb the next measurement.
                await trio.sleep(LAG)
    return Measured(rates, tops)


def _is_hopeless(trials: Sequence[Trial]) -> bool:
    """Whether a lower rate was already too high, so that higher ones would only take time."""
    return bool(trials) and not trials[-1].sustained


async def run(sizes: Sequence[int], *, quick: bool) -> dict[int, Measured]:
    """Measure all sizes."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for peers in sizes:
            seconds = QUICK_SECONDS if quick else SECONDS
            ladder = peers == LADDER_SIZE and not quick
            found[peers] = await measure(Path(folder) / str(peers), peers, seconds, ladder=ladder)
    return found


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", help="peers (default: 4 8 16)")
    options = parser.parse_args()
    page = report.Page("gossip", "Gossip between processes", options)
    sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)

    async def all_of_it() -> dict[int, Measured]:
        return await run(sizes, quick=options.quick)

    found = trio.run(all_of_it)
    page.say(
        "Submitters on loopback, separate processes; records of 450 bytes. Milliseconds from when "
        "a record was due to be published until it was in another peer's plan, over all records "
        "and peers: median / 99th percentile. “Bare” is a py-libp2p topic with our settings and "
        "one message a record, in the same processes; lost is what never came within "
        f"{PATIENCE['ours']:.0f} s (ours) and {PATIENCE['bare']:.0f} s (bare, which repeats "
        "nothing). CPU and bytes through sockets, encryption included, are of all processes "
        f"together, for each record and receiving peer; up to {TOGETHER} records a second "
        "both ways run at once and they cannot be told apart."
    )
    page.table(
        ["peers", "records/s", "ours", "bare", "p99, of bare", "lost", "CPU", "bytes"],
        [
            _row(found[peers], place)
            for peers in sizes
            for place in range(len(found[peers].rates["ours"]))
        ],
    )
    for peers, measured in found.items():
        if measured.ladder:
            page.say(_tops(peers, measured))
            page.table(
                [
                    "way",
                    "records/s",
                    "median / p99",
                    "lost",
                    "lag after the last record",
                    "sustained",
                ],
                [_rung(way, trial) for way, tried in measured.ladder.items() for trial in tried],
            )
    if not options.quick:
        page.chart("latency", _chart(found))
    page.write()


def _tops(peers: int, measured: Measured) -> str:
    best = {
        way: max((trial.rate for trial in tried if trial.sustained), default=0)
        for way, tried in measured.ladder.items()
    }
    times = f"{best['ours'] / best['bare']:.0f} times" if best["bare"] else "incomparably"
    return (
        f"What {peers} peers sustain: {best['ours']:,} records a second in bundles, "
        f"{best['bare']:,} as one message each: {times} more (aim: 10). A rate is sustained if, "
        f"after {LADDER_SECONDS:.0f} s of it, all peers have every record within {LAG:.0f} s; "
        "rates are tried from low to high until one is not sustained."
    )


def _times(trial: Trial) -> str:
    if not trial.folded:
        return "nothing came"
    middle, late = (1000 * percentile(trial.folded, share) for share in (0.5, 0.99))
    return f"{middle:.0f} / {late:.0f} ms"


def _lost(trial: Trial) -> str:
    return f"{100 * trial.lost / trial.deliveries:.1f} %" if trial.lost else "0"


def _row(measured: Measured, place: int) -> list[str]:
    ours = measured.rates["ours"][place]
    bares = measured.rates["bare"]
    bare = bares[place] if place < len(bares) else None
    both = [ours] if bare is None or ours.rate <= TOGETHER else [ours, bare]
    share = "-"
    if bare is not None and bare.folded and ours.folded:
        share = f"{percentile(ours.folded, 0.99) / percentile(bare.folded, 0.99):.2f}"
    return [
        str(ours.peers),
        str(ours.rate),
        _times(ours),
        "not tried" if bare is None else _times(bare),
        share,
        " / ".join(_lost(trial) for trial in (ours, bare) if trial is not None),
        " / ".join(f"{1000 * trial.cpu / trial.deliveries:.1f} ms" for trial in both),
        " / ".join(f"{trial.sent / trial.deliveries:,.0f}" for trial in both),
    ]


def _rung(way: str, trial: Trial) -> list[str]:
    return [
        way,
        f"{trial.rate:,}",
        _times(trial),
        _lost(trial),
        f"{trial.lag:.1f} s",
        "yes" if trial.sustained else "no",
    ]


def _chart(found: dict[int, Measured]) -> report.Chart:
    series = []
    for peers, measured in found.items():
        for way, trials in measured.rates.items():
            shown = [trial for trial in trials if trial.folded and not trial.lost]
            series.append(
                report.Series(
                    f"{peers} peers, {way}",
                    [trial.rate for trial in shown],
                    [1000 * statistics.median(trial.folded) for trial in shown],
                )
            )
    return report.Chart(
        "lines",
        "From publishing until seen by all peers, median, if nothing was lost",
        "records a second in the swarm",
        "milliseconds",
        series,
        log_x=True,
        log_y=True,
    )


if __name__ == "__main__":
    main()
