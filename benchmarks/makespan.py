"""Makespan: how close a leaderless swarm comes to the best schedule of its own model calls.

    python -m benchmarks.makespan [--executors 1 2 4 8] [--runs 2] [--no-rivals]

A fixed tree (one split into 5, each split into 5: 6 splits, 25 tasks, 6 assemblies), 3 decomposers,
3 scorers and some executors, all processes, model servers with a fixed latency a call. Compared
with

* the limit: a computed schedule of the same calls on the same workers that costs nothing between
  calls (list scheduling, in the order in which things can become ready);
* what people would use instead (`benchmarks.rivals`): central planners that know everything, make
  the same calls with as many workers of each kind, and need no vote but wait for all ratings.

At 1 s a call all plans are made at the same time, because they sleep most of it. At 0.25 s the
swarm takes turns with the rivals, which run at once. The swarm and the rivals have a model server
each. Wasted calls are those whose answers were not used.
"""

from __future__ import annotations

import argparse
import heapq
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import trio

from benchmarks import environments, report
from benchmarks.report import Chart, Series
from benchmarks.rivals.processes import KINDS, Rival
from benchmarks.whole_path import ended, look
from swarm.core.policy import MINUTE, Policy
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

WIDTH = 5
"""Parts of each split."""

VOTERS = 3
"""Decomposers, and scorers."""

TEXT_CALLS = WIDTH * WIDTH + WIDTH + 1
"""Number of tasks and assemblies in the plan."""

DRAFTS = 1
"""Texts that a plan asks for besides: the draft that competes with the splits of the goal."""

TOGETHER_S = 1.0
"""Latency, in seconds, from which all are measured at once: a plan then takes 4 s of CPU in 25 s,
and one after the other would take a quarter of an hour."""

ENOUGH_S = 240
"""Seconds after which nothing is measured a second time: a loaded machine starts processes slowly,
and the whole should stay below `benchmarks.__main__.LONGEST_SECONDS`."""

SCRIPT = ("--nest", "--yes", "0.9")
"""Every split is rated good: a critique would be another text call, which counts as wasted."""


@dataclass(slots=True)
class Measured:
    """All plans made at one latency with one number of executors."""

    swarm: list[float] = field(default_factory=list)
    rivals: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    wasted: int = 0


Grid = dict[tuple[float, int], Measured]
"""By latency and executors."""


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--latency", type=float, nargs="+", default=[1.0, 0.25])
    parser.add_argument("--runs", type=int, default=2, help="plans at latencies below 1 s")
    parser.add_argument("--no-rivals", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.latency, options.executors, options.runs = [0.02], [2], 1
    options.until = time.monotonic() + ENOUGH_S
    page = report.Page("makespan", "Makespan", options)
    kinds = [] if options.no_rivals else list(KINDS)
    missing = []
    for kind in list(kinds):
        try:
            if kind.environment:
                environments.python(kind.environment)
        except environments.EnvironmentFailed as error:
            missing.append(str(error))
            kinds.remove(kind)
    names = [kind.name for kind in kinds]
    with ExitStack() as held:
        ours = held.enter_context(scripted_ollama(*SCRIPT))
        theirs = held.enter_context(scripted_ollama(*SCRIPT))
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        grid = trio.run(measure, folder / "main", ours, theirs, VOTERS, options, names)
        alone = argparse.Namespace(**vars(options))
        alone.latency, alone.runs = [min(options.latency)], 1
        alone.executors = sorted({min(options.executors), max(options.executors)})
        scaling = trio.run(measure, folder / "scaling", ours, theirs, 1, alone, [])
    write(page, grid, scaling, names, missing)


def write(
    page: report.Page, grid: Grid, scaling: Grid, names: Sequence[str], missing: Sequence[str]
) -> None:
    """Write the tables and the charts."""
    page.say(
        "One split into 5, each split into 5: 6 splits, 25 tasks, 6 assemblies; 3 decomposers, 3 "
        "scorers, all processes, scripted model servers. The limit is the best schedule of the "
        "same calls on the same workers, computed. The others are central: one process that knows "
        "and decides everything, same calls, same workers. Numbers after the swarm's seconds are "
        "times the limit, medians. Aims: 1.10 at 1 s, 1.25 at 0.25 s, no slower than central "
        "ones, wasted calls under 1 % (not counting one call a plan for the draft that competes "
        "with the splits). Beyond two executors the scorers are the limit: each rates "
        "18 splits one after the other."
    )
    head = ["latency", "executors", "limit", "swarm", "swarm / limit", *names]
    rows = []
    for (latency, executors), found in grid.items():
        best = limit(executors, latency, VOTERS)
        rows.append(
            [
                f"{latency:g} s",
                str(executors),
                f"{best:.2f} s",
                report.spread(found.swarm),
                f"{statistics.median(found.swarm) / best:.2f}",
                *(f"{statistics.median(found.rivals[name]) / best:.2f}" for name in names),
                f"{100 * found.wasted / (len(found.swarm) * TEXT_CALLS):.1f} %",
            ]
        )
    page.table([*head, "wasted calls"], rows)
    for trouble in missing:
        page.say(f"Not compared: {trouble}")
    page.say(
        "Do more executors help? The same tree with 1 decomposer and 1 scorer, so that executors "
        "are the bottleneck:"
    )
    rows = []
    first = min(executors for _, executors in scaling)
    for (latency, executors), found in scaling.items():
        best, took = limit(executors, latency, 1), statistics.median(found.swarm)
        ideal = limit(first, latency, 1) / best
        gain = statistics.median(scaling[latency, first].swarm) / took
        rows.append(
            [
                f"{latency:g} s",
                str(executors),
                f"{best:.2f} s",
                f"{took:.2f} s",
                f"{took / best:.2f}",
                f"{gain:.2f}",
                f"{ideal:.2f}",
            ]
        )
    page.table(
        ["latency", "executors", "limit", "swarm", "swarm / limit", "speed-up", "of the limit"],
        rows,
    )
    for latency in dict.fromkeys(latency for latency, _ in grid):
        counts = [executors for at, executors in grid if at == latency]
        cells = [grid[latency, executors] for executors in counts]
        best_of = [limit(executors, latency, VOTERS) for executors in counts]
        contenders = [("swarm", [cell.swarm for cell in cells])]
        contenders += [(name, [cell.rivals[name] for cell in cells]) for name in names]
        series = [
            Series(
                name,
                [str(count) for count in counts],
                [statistics.median(v) / b for v, b in zip(values, best_of, strict=True)],
                [min(v) / b for v, b in zip(values, best_of, strict=True)],
                [max(v) / b for v, b in zip(values, best_of, strict=True)],
            )
            for name, values in contenders
        ]
        title = f"Makespan at {latency:g} s a call, in times the limit"
        page.chart(f"{latency:g}s", Chart("bars", title, "executors", "times the limit", series))
    page.write()


def limit(executors: int, latency: float, voters: int) -> float:
    """Return the makespan of the same calls without any time between them, in seconds.

    Each decomposer splits one node after the other, each scorer rates one split after the other
    (if it is alone, its three questions side by side), each executor does one task after the other.
    """
    split_done = [latency * (2 + voters + node) for node in range(WIDTH)]
    scorers_free = latency * (1 + voters)
    ready: list[tuple[float, int]] = []
    for node, split in enumerate(split_done):
        scorers_free = max(scorers_free, split) + voters * latency
        ready += [(scorers_free, node)] * WIDTH
    workers = [0.0] * executors
    left = dict.fromkeys(range(WIDTH), WIDTH)
    heapq.heapify(ready)
    end = 0.0
    while ready:
        at, node = heapq.heappop(ready)
        begin = max(at, heapq.heappop(workers))
        end = begin + latency
        heapq.heappush(workers, end)
        if node < WIDTH:
            left[node] -= 1
            if left[node] == 0:
                # Assemblies of parts have numbers from WIDTH on; the root's comes after all.
                heapq.heappush(ready, (end, WIDTH + node))
    return end + latency


async def measure(
    folder: Path,
    ours: str,
    theirs: str,
    voters: int,
    options: argparse.Namespace,
    names: Sequence[str],
) -> Grid:
    """Measure a swarm that grows by executors, and rivals with as many workers.

    Args:
        folder: Folder of the swarm.
        ours: The swarm's model server.
        theirs: The rivals' model server.
        voters: Number of decomposers, and of scorers.
        options: Latencies, numbers of executors and of runs, and the deadline for further runs.
        names: Names of the rivals.
    """
    group = Processes(folder, ours)
    for role in ("decomposer", "scorer"):
        for number in range(voters):
            group.start(role, f"{role}-{number + 1}")
    peer = Peer(
        PeerSettings(role="submitter", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    grid: Grid = {}
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(peer.run)
            for executors in options.executors:
                for number in range(len(group.running) - 2 * voters, executors):
                    group.start("executor", f"executor-{number + 1}")
                await look(lambda: len(peer.peers()) > len(group.running))
                rivals = {
                    kind.name: await trio.to_thread.run_sync(Rival, kind, theirs, executors, voters)
                    for kind in KINDS
                    if kind.name in names
                }
                try:
                    set_latency(0, theirs)
                    for rival in rivals.values():  # the first plan pays for late imports
                        rival.begin()
                        await trio.to_thread.run_sync(rival.took)
                    for latency in options.latency:
                        set_latency(latency, ours, theirs)
                        grid[latency, executors] = await runs(peer, ours, rivals, latency, options)
                finally:
                    for rival in rivals.values():
                        rival.stop()
            nursery.cancel_scope.cancel()
    finally:
        await trio.to_thread.run_sync(group.stop)
    return dict(sorted(grid.items(), key=lambda item: (-item[0][0], item[0][1])))


async def runs(
    peer: Peer, ours: str, rivals: dict[str, Rival], latency: float, options: argparse.Namespace
) -> Measured:
    """Make plans at one latency with one number of executors."""
    found = Measured()
    before = text_calls(ours)
    count = 1 if latency >= TOGETHER_S else options.runs

    def begin() -> None:
        for rival in rivals.values():
            rival.begin()

    async def take() -> None:
        for name, rival in rivals.items():
            found.rivals[name].append(await trio.to_thread.run_sync(rival.took))

    for run in range(count):
        if run and time.monotonic() > options.until:
            break
        if latency >= TOGETHER_S:
            begin()
            found.swarm.append(await plan(peer, run))
            await take()
            continue
        for turn in report.turns(run, ["swarm", "rivals"]):
            if turn == "swarm":
                found.swarm.append(await plan(peer, run))
            else:
                begin()
                await take()
    wanted = TEXT_CALLS + DRAFTS
    found.wasted = text_calls(ours) - before - len(found.swarm) * wanted
    return found


async def plan(peer: Peer, run: int) -> float:
    """Let the swarm make one plan; return how long it took, in seconds."""
    policy = Policy(
        max_depth=2, max_children=WIDTH, patience_ms=10 * MINUTE, deadline_ms=30 * MINUTE
    )
    at = time.perf_counter()
    goal = peer.submit(f"Plan a fair, number {run}", policy=policy)
    await look(lambda: ended(peer, goal) is not None)
    took = time.perf_counter() - at
    made = ended(peer, goal)
    assert made is not None
    assert made.state == "done", made.reason
    done = sum(node.result is not None for node in made.nodes())
    assert done == TEXT_CALLS, f"{done} results"
    return took


def set_latency(latency: float, *urls: str) -> None:
    """Set the latency of the model servers, in seconds a call."""
    for url in urls:
        httpx.post(f"{url}/control", json={"latency": latency}).raise_for_status()


def text_calls(url: str) -> int:
    """Return how many tasks and assemblies a server was asked to do so far."""
    counts = httpx.get(f"{url}/control").json()["counts"]
    return int(counts.get("text", 0))


if __name__ == "__main__":
    main()
