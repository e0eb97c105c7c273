"""How long honest plans take while a stranger floods an open swarm, and afterwards.

    python -m benchmarks.flood [--quick] [--seconds 40] [--after 30] [NAME ...]

Four peers in one process, one of each role with four slots, plan one goal after the other before,
during and after a flood that another process sends: goals of one author, goals of 200 made-up
authors, notices of one author about the goal being planned. A scripted answer takes 0.35 s. Times
leave out waiting for a core (`tests.hostile.own_time`), and all of one kind are of one run.
"""

from __future__ import annotations

from statistics import median

import trio

from benchmarks import report
from tests.hostile.attackers import FLOODS
from tests.hostile.floods import FloodTimes, flood_times
from tests.hostile.own_time import OwnTime

QUICK_SECONDS = 10.0
RECOVERED_SECONDS = 15.0
"""Seconds after a flood from which the swarm should be as quick as before it."""


def main() -> None:
    """Measure, and write the section."""
    parser = report.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FLOODS)}")
    parser.add_argument("--seconds", type=float, default=40.0, help="how long each flood lasts")
    parser.add_argument("--after", type=float, default=30.0, help="seconds measured afterwards")
    options = parser.parse_args()
    flood_seconds, after_seconds = options.seconds, options.after
    if options.quick:
        flood_seconds = after_seconds = QUICK_SECONDS
    page = report.Page("flood", "Plans during and after floods by strangers", options)
    page.say(
        f"Four peers in one process plan goals back to back before a flood of "
        f"{flood_seconds:.0f} s that another process sends, during it, and for "
        f"{after_seconds:.0f} s after it. "
        "Seconds from submission until every peer has the finished plan, in the peers' own time; "
        "medians and the longest, and as a multiple of the median before. Each row is one run."
    )
    rows = []
    for name in options.names or FLOODS:
        clock = OwnTime()
        try:
            times = trio.run(_measure, name, flood_seconds, after_seconds, clock=clock)
        finally:
            clock.close()
        rows.append(_row(name, times))
    late = f"from {RECOVERED_SECONDS:.0f} s after it"
    page.table(["flood", "live goals", "before", "during", "just after", late], rows)
    page.write()


async def _measure(name: str, flood_seconds: float, after_seconds: float) -> FloodTimes:
    return await flood_times(name, flood_seconds=flood_seconds, after_seconds=after_seconds)


def _row(name: str, times: FloodTimes) -> list[str]:
    early = [took for at, took in times.after if at < RECOVERED_SECONDS]
    late = times.since(RECOVERED_SECONDS)
    cells = [_cell(part, times.quiet) for part in (times.during, early, late)]
    return [name, f"{times.live:,}", f"{times.quiet:.2f} s", *cells]


def _cell(times: list[float], quiet: float) -> str:
    if not times:
        return "—"
    middle, most = median(times), max(times)
    return f"{middle:.2f} s ({middle / quiet:.1f}×), longest {most:.2f} s ({most / quiet:.1f}×)"


if __name__ == "__main__":
    main()
