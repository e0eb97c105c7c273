"""Coordination alone: what a plan costs when its model answers immediately, and where time goes.

    python -m benchmarks.coordination [--runs 15]

Eight peers as processes, real libp2p on loopback, one split into 5 tasks. The peers trace at debug
level. From the trace, the critical path of each plan is followed back from its end to its goal,
wait by wait.
"""

from __future__ import annotations

import logging
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
import trio

from benchmarks import report, tracing
from benchmarks.report import Chart, Span
from benchmarks.whole_path import GOAL, ROLES, ended, look
from swarm.core.policy import Policy
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

PAUSE_SECONDS = 1.5
"""Pause between goals, so that the outboxes are quiet again, as they are with occasional goals."""

TASKS = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """What all peers together spent on one plan, in seconds."""

    cpu: float
    waiting: float
    """Seconds spent waiting for a core that another process used."""


@dataclass(frozen=True, slots=True)
class Run:
    """One plan, and what it cost."""

    plan: tracing.Plan
    cost: Cost

    @property
    def seconds(self) -> float:
        """Seconds from submission until the submitter sees the plan finished."""
        return self.plan.ended - self.plan.began


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    runs_wanted = 2 if options.quick else options.runs
    page = report.Page("coordination", "Coordination alone", options)
    with scripted_ollama("--yes", "0.9") as url, tempfile.TemporaryDirectory() as folder:
        runs = trio.run(measure, Path(folder), url, runs_wanted)
    write(page, runs)


def write(page: report.Page, runs: list[Run]) -> None:
    """Write the tables and the chart."""
    took = [run.seconds for run in runs]
    paths = [tracing.critical_path(run.plan) for run in runs]
    page.say(
        f"{sum(ROLES.values())} peers (3 decomposers, 3 scorers, 2 executors) as processes, a "
        f"model that answers at once, one split into {TASKS} tasks, {len(runs)} plans one after "
        f"the other. **Submission to plan: {report.spread(took)}** (aim: under 1 s). Where the "
        "time went: each plan is followed back from its end to its goal, from record to record; "
        "the waits add up to the whole."
    )
    names = list(dict.fromkeys(span.kind for path in paths for span in path))
    sums = [per_kind(path) for path in paths]
    whole = statistics.median(took)
    rows = []
    for name in sorted(names, key=lambda name: -statistics.median(s[name] for s in sums)):
        values = [1000 * s[name] for s in sums]
        times = statistics.median(sum(span.kind == name for span in path) for path in paths)
        share = statistics.median(values) / whole / 10
        rows.append([name, f"{times:g}", report.spread(values, "ms", 0), f"{share:.0f} %"])
    page.table(["wait on the critical path", "times", "in all", "of the whole"], rows)
    page.say("What all peers together did for one plan:")
    page.table(["what", "how often", "in all"], work(runs))
    middle = min(runs, key=lambda run: abs(run.seconds - whole))
    path = tracing.critical_path(middle.plan)
    critical = [Span("critical path", s.begin, s.end, s.kind) for s in path]
    steps = [Span(f"· {s.row}", s.begin, s.end, s.kind) for s in path]
    doing = sorted(tracing.busy(middle.plan), key=lambda span: span.row)
    page.chart(
        "path",
        Chart(
            "gantt",
            f"One plan, {middle.seconds:.2f} s: its critical path, and what each peer did",
            "seconds after submission",
            "",
            spans=[*critical, *sorted(steps, key=lambda span: span.row), *doing],
        ),
    )
    page.write()


def per_kind(path: list[Span]) -> Counter[str]:
    """Return the seconds of a path by kind of wait."""
    sums: Counter[str] = Counter()
    for span in path:
        sums[span.kind] += span.end - span.begin  # type: ignore[assignment]
    return sums


def work(runs: list[Run]) -> list[list[str]]:
    """Return table rows: what all peers together did for one plan."""

    def within(run: Run, costs: Mapping[str, float], when: Mapping[str, float]) -> list[float]:
        begin, end = run.plan.began, run.plan.ended
        return [costs[digits] for digits, at in when.items() if begin <= at <= end]

    def row(name: str, values: list[list[float]]) -> list[str]:
        count = statistics.median(len(value) for value in values)
        return [name, f"{count:g}", report.spread([1000 * sum(v) for v in values], "ms", 1)]

    def each(costs: str, when: str) -> list[list[float]]:
        return [
            [
                cost
                for trace in run.plan.traces.values()
                for cost in within(run, getattr(trace, costs), getattr(trace, when))
            ]
            for run in runs
        ]

    return [
        row("signing a record", each("sign_s", "said")),
        row("folding an own record", each("fold_s", "said")),
        row("verifying and folding another's record", each("cost", "heard")),
        [
            "CPU, everything included",
            "",
            report.spread([1000 * run.cost.cpu for run in runs], "ms", 0),
        ],
        [
            "ready to run, but no core was free",
            "",
            report.spread([1000 * run.cost.waiting for run in runs], "ms", 0),
        ],
    ]


async def measure(folder: Path, url: str, wanted: int) -> list[Run]:
    """Run a swarm, and run plans in it one after the other."""
    os.environ["LEADERLESS_LOG__LEVEL"] = "debug"
    events: list[MutableMapping[str, Any]] = []
    structlog.configure(
        processors=[structlog.processors.TimeStamper(fmt="iso", utc=True), _keep_in(events)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
    )
    group = Processes(folder, url)
    for role, count in ROLES.items():
        for number in range(count):
            group.start(role, f"{role}-{number + 1}")
    peer = Peer(
        PeerSettings(
            role="submitter",
            name="asker",
            swarm=SWARM,
            mdns=False,
            runtime_dir=group.runtime_dir,
        )
    )
    made: list[tuple[bytes, float, Cost]] = []
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(peer.run)
            await look(lambda: len(peer.peers()) > len(group.running))
            pids = [os.getpid(), *(process.pid for process in group.running.values())]
            for _ in range(wanted):
                await trio.sleep(PAUSE_SECONDS)
                before = spent(pids)
                goal = peer.submit(GOAL, policy=Policy(max_depth=1, max_children=TASKS))
                await look(lambda goal=goal: ended(peer, goal) is not None)  # type: ignore[misc]
                at = time.time()
                after = spent(pids)
                plan = ended(peer, goal)
                assert plan is not None
                assert plan.state == "done", plan.reason
                assert len(plan.root.children) == TASKS, "the goal was not split"
                cost = Cost(after.cpu - before.cpu, after.waiting - before.waiting)
                made.append((goal, at, cost))
            nursery.cancel_scope.cancel()
    finally:
        names = list(group.running)
        await trio.to_thread.run_sync(group.stop)
    traces = {group.author(n): tracing.read_log(n, group.log_path(n)) for n in names}
    traces[peer.author] = tracing.from_events("asker", events)
    return [
        Run(tracing.Plan(list(peer.store.records(goal)), traces, peer.author, at), cost)
        for goal, at, cost in made
    ]


def _keep_in(events: list[MutableMapping[str, Any]]) -> structlog.typing.Processor:
    """Return a final logging processor that keeps events and prints nothing."""

    def keep(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        events.append(event)
        raise structlog.DropEvent

    return keep


def spent(pids: list[int]) -> Cost:
    """Return the CPU that processes used so far, and how long they waited for a core.

    Only Linux reports these; elsewhere both are 0.
    """
    cpu = waiting = 0
    for pid in pids:
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            used, waited, _ = file.read_text().split()
            cpu += int(used)
            waiting += int(waited)
    return Cost(cpu / 1e9, waiting / 1e9)


if __name__ == "__main__":
    main()
