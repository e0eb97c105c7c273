"""Bursts and chaos in real processes, measured.

    python -m benchmarks.chaos [--runs 3] [--chaos 60] [--seed 1]

Prints a Markdown table. Times depend on what else the machine does, so the table also has the CPU
seconds of all peers together: a burst takes at least those seconds divided by the number of cores.
Chaos asserts what `tests/e2e/test_chaos.py` does; a failure prints the seed and the faults.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
from pathlib import Path

import structlog
import trio

from tests.e2e.bursts import Burst, burst
from tests.e2e.story import Outcome, rage

BURSTS = ((1, 500, 5), (1, 500, 11), (10, 200, 11))
"""(publishers, records of each, peers in all). One of the peers only listens."""

LIMIT_SECONDS = 300.0
GOALS_PER_MINUTE = 8


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="repetitions of each burst")
    parser.add_argument("--chaos", type=float, default=60, help="seconds of chaos; 0: none")
    parser.add_argument("--seed", type=int, default=1, help="of the faults")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    rows = [_row(_repeat(*shape, options.runs)) for shape in BURSTS]
    if options.chaos:
        rows += _chaos(options.seed, options.chaos)
    load = os.getloadavg()[0]
    print(f"Machine: {os.cpu_count()} cores, load {load:.1f} at the end.\n")
    print("| what | seconds, median (least - most) | CPU seconds of all | messages |")
    print("|---|---|---|---|")
    for row in rows:
        print(row)


def _repeat(speakers: int, each: int, peers: int, runs: int) -> list[Burst]:
    results = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:

            async def once(folder: str = folder) -> Burst:
                return await burst(
                    Path(folder), speakers=speakers, each=each, peers=peers, limit=LIMIT_SECONDS
                )

            results.append(trio.run(once))
    return results


def _row(results: list[Burst]) -> str:
    first = results[0]
    took = [result.seconds for result in results]
    cpu = statistics.median(result.cpu_seconds for result in results)
    messages = statistics.median(result.messages for result in results)
    spread = f"{statistics.median(took):.2f} ({min(took):.2f} - {max(took):.2f})"
    what = f"{first.records} records at once from {first.speakers} of {first.peers} peers"
    return f"| {what}, until all have all | {spread} | {cpu:.1f} | {messages:.0f} |"


def _chaos(seed: int, seconds: float) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:

        async def once() -> Outcome:
            return await rage(Path(folder), seed, seconds, round(GOALS_PER_MINUTE * seconds / 60))

        outcome = trio.run(once)
    ends = ", ".join(f"{outcome.states.count(s)} {s}" for s in sorted(set(outcome.states)))
    story = f"{outcome.faults} faults in {seconds:.0f} s among ten peers (seed {seed})"
    return [
        f"| {story}: {outcome.goals} goals ended ({ends}), after the last fault "
        f"| {outcome.ended_seconds:.1f} | | |",
        f"| all {outcome.records} records at all peers, after that "
        f"| {outcome.together_seconds:.1f} | | |",
    ]


if __name__ == "__main__":
    main()
