"""What finished goals cost: a swarm whose disks hold many of them, beside one that is empty.

    python -m benchmarks.history [--goals 0 100 500 2000] [--askers 1] [--runs 3]

Four peers (a decomposer, a scorer, two executors) are processes of their own with a scripted model.
All have the same finished goals on disk, 23 records and about 46 KB each, made and signed once by
`swarm.testing.finished_goals`. Each peer is started twice: first on a file whose records it has
verified but not packed, then on what the first run left, in which ended goals are packed. All else
is measured after the second start, as its user meets it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks import report
from benchmarks.start_idle import footprints, wait_for
from swarm.peer.peer import REPLICA_PURPOSE
from swarm.peer.replica import Replica, row_of
from swarm.testing.finished_goals import Cast
from swarm.trust.identity import IDENTITY_FILE, derived_secret, load_identity
from tests.e2e.processes import SWARM, Processes, scripted_ollama

PEERS = (("decomposer", "d"), ("scorer", "s"), ("executor", "e1"), ("executor", "e2"))
FRESH = "fresh"
FRESH_SECONDS = 30
"""How long an executor without a disk may take to get the history before it is counted."""

SETTLE_SECONDS = 15
TEXT_CHARACTERS = 6_000
"""Of each result: 46 KB a goal, as on a busy server."""

HOUR_MS = 3_600_000
LIMIT_SECONDS = 240
"""A command that takes longer than this is stopped."""


@dataclass
class Figures:
    """What was measured with one number of goals. Times in seconds, memory in MiB."""

    first_start: list[float] = field(default_factory=list)
    first_cpu: list[float] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    start_cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    idle_percent: list[float] = field(default_factory=list)
    peers: list[float] = field(default_factory=list)
    observe_all: list[float] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    observe_one: list[float] = field(default_factory=list)
    state_of_one: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    submit: list[float] = field(default_factory=list)
    after_done: list[float] = field(default_factory=list)
    fresh: str = ""


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--goals", type=int, nargs="+", default=[0, 2_000])
    parser.add_argument("--askers", type=int, default=4, help="who asked for them, in turns")
    parser.add_argument("--runs", type=int, default=2, help="repetitions of each command")
    options = parser.parse_args()
    if options.quick:
        options.goals, options.runs = [0, 50], 1
    page = report.Page("history", "Finished goals", options)
    with scripted_ollama() as url, tempfile.TemporaryDirectory() as folder:
        found = {count: measure(Path(folder), url, count, options) for count in options.goals}
    page.say(
        f"Four peers whose disks hold so many finished goals (23 records and 46 KB each, by "
        f"{options.askers} askers); {options.runs} runs of each command, process start included. "
        f"A fresh executor has {FRESH_SECONDS} s to collect the records. “Printed after” is the "
        "time from the last record of the plan, by its stamp, to the end of the command."
    )
    page.table(["what", *(f"{count:,} goals" for count in found)], rows(list(found.values())))
    page.write()


def rows(found: Sequence[Figures]) -> list[list[str]]:
    """Return the rows of the table."""

    def times(name: str, unit: str = "s", digits: int = 2) -> list[str]:
        return [
            report.spread(getattr(figures, name), unit, digits)
            if getattr(figures, name)
            else "not measured"
            for figures in found
        ]

    return [
        ["a peer starts, no goal packed yet", *times("first_start")],
        ["of it CPU", *times("first_cpu")],
        ["a peer starts", *times("start")],
        ["of it CPU", *times("start_cpu")],
        ["memory (RSS)", *times("memory", "MiB", 0)],
        ["idle CPU of a core", *times("idle_percent", "%")],
        ["`swarm peers`", *times("peers")],
        ["`observe --once`", *times("observe_all")],
        ["goals shown, of them done", *(", ".join(f.heard) for f in found)],
        ["`observe ID --once`", *times("observe_one")],
        ["its state", *(", ".join(f.state_of_one) for f in found)],
        ["`why ID`", *(", ".join(f.why) for f in found)],
        ["`submit --wait`", *times("submit")],
        ["printed after", *times("after_done")],
        [f"records of a fresh executor after {FRESH_SECONDS} s", *(f.fresh for f in found)],
    ]


def measure(folder: Path, url: str, goals: int, options: object) -> Figures:
    """Measure a swarm whose peers hold so many goals."""
    runs: int = options.runs  # type: ignore[attr-defined]
    askers: int = options.askers  # type: ignore[attr-defined]
    figures = Figures()
    group = Processes(folder / str(goals), url)
    made = synthesize(group, goals, askers)
    try:
        for role, name in PEERS:
            start(group, role, name, figures.first_start, figures.first_cpu)
            wait_for_packing(group, name, goals)
            group.end(name)
            group.log_path(name).unlink()
        for role, name in PEERS:
            start(group, role, name, figures.start, figures.start_cpu)
        time.sleep(SETTLE_SECONDS)
        taken = footprints(
            [psutil.Process(process.pid) for process in group.running.values()], SETTLE_SECONDS
        )
        figures.memory = [one.rss for one in taken]
        figures.idle_percent = [one.cpu for one in taken]
        for _ in range(runs):
            commands(group, figures, made)
        if made:
            group.start("executor", FRESH)
            time.sleep(FRESH_SECONDS)
            held = len(group.records(FRESH))
            of = len(group.records("e1"))
            figures.fresh = f"{held:,} of {of:,}"
            group.kill(FRESH)
        else:
            figures.fresh = "-"
    finally:
        group.stop()
        shutil.rmtree(group.folder, ignore_errors=True)
    return figures


def synthesize(group: Processes, goals: int, askers: int) -> list[str]:
    """Put finished goals on the disks of all peers; return the goals' ids."""
    now = time.time_ns() // 1_000_000
    cast = Cast(SWARM, submitters=askers, text_characters=TEXT_CHARACTERS)
    ids = []
    replicas = [_replica(group, name) for _, name in PEERS]
    for records in cast.goals(goals, first_ms=now - 140 * HOUR_MS, last_ms=now - 2 * HOUR_MS):
        for replica in replicas:
            replica.save([row_of(record) for record in records])
        ids.append(records[0].id.hex())
    for replica in replicas:
        replica.close()
    return ids


def _replica(group: Processes, name: str) -> Replica:
    """Return a peer's replica, open, in which it counts what is written as verified."""
    key = load_identity(group.state_dir(name) / IDENTITY_FILE)
    replica = Replica(group.replica_path(name), derived_secret(key, REPLICA_PURPOSE))
    replica.open()
    return replica


def start(group: Processes, role: str, name: str, took: list[float], cpu: list[float]) -> None:
    """Start a peer and note how long it takes until it listens, and how much CPU, in s."""
    began = time.perf_counter()
    process = group.start(role, name)
    wait_for(lambda: b"listening on" in group.log_path(name).read_bytes())
    took.append(time.perf_counter() - began)
    cpu.append(sum(psutil.Process(process.pid).cpu_times()[:2]))


def wait_for_packing(group: Processes, name: str, goals: int) -> None:
    """Wait until a peer has written all finished goals as it packs them."""

    def packed() -> bool:
        with contextlib.closing(sqlite3.connect(group.replica_path(name))) as db:
            (count,) = db.execute("SELECT count(*) FROM ended").fetchone()
        return bool(count == goals)

    wait_for(packed)


def commands(group: Processes, figures: Figures, made: Sequence[str]) -> None:
    """Run each command once, as a user would."""
    took, _ = swarm(group, "peers", "--json")
    figures.peers.append(took)
    took, output = swarm(group, "observe", "--once", "--json")
    figures.observe_all.append(took)
    states = [plan["state"] for plan in json.loads(output)] if output else []
    figures.heard.append(f"{len(states)}/{states.count('done')}")
    if made:
        goal = made[len(made) // 2]
        took, output = swarm(group, "observe", goal[:16], "--once", "--json")
        figures.observe_one.append(took)
        figures.state_of_one.append(json.loads(output)["state"] if output else "not found")
        took, output = swarm(group, "why", goal[:16])
        figures.why.append(f"{took:.1f} s" if output else f"unknown after {took:.1f} s")
    took, output = swarm(group, "submit", "Plan a picnic", "--wait", "--json")
    figures.submit.append(took)
    if output:
        plan = json.loads(output)
        stamps = [node["result"]["stamp"][0] for node in _nodes(plan["tree"]) if node["result"]]
        figures.after_done.append((time.time_ns() // 1_000_000 - max(stamps)) / 1000)


def _nodes(node: dict) -> list[dict]:  # type: ignore[type-arg]
    return [node, *(below for child in node["children"] for below in _nodes(child))]


def swarm(group: Processes, *arguments: str) -> tuple[float, str]:
    """Run `swarm` with arguments; return how long it took, in s, and what it printed."""
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "swarm", *arguments],
            env=group.environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        output = done.stdout
    except subprocess.TimeoutExpired:
        output = ""
    return time.perf_counter() - began, output


if __name__ == "__main__":
    main()
