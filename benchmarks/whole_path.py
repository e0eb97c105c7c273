"""The whole path, measured as a user sees it: processes, real libp2p, a scripted model.

    python -m benchmarks.whole_path [--runs 3] [--idle 30]

Prints a Markdown table: `swarm up GOAL` to the printed plan; submission to plan in a running swarm;
a late observer's wait; memory and idle CPU of a peer; start-up of each command. The model answers
immediately, so coordination is what is measured.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import structlog
import trio

from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

GOAL = "Plan a two week trip to Japan"
ROLES = {"decomposer": 3, "scorer": 3, "executor": 2}
SETTLED_SECONDS = 20
"""Seconds after which anti-entropy is quiet, so that an idle swarm is really idle."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="repetitions of each timing")
    parser.add_argument("--idle", type=float, default=30, help="seconds of idling measured")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    rows: list[tuple[str, str]] = []
    with scripted_ollama() as url, tempfile.TemporaryDirectory() as folder:
        rows += up_to_plan(Path(folder) / "up", url, options.runs)
        rows += forked(Path(folder) / "forked", url)
        rows += trio.run(in_a_swarm, Path(folder) / "swarm", url, options)
    rows += start_up(options.runs)
    load = os.getloadavg()[0]
    print(
        f"Machine: {os.cpu_count()} cores, load {load:.1f} at the end; {options.runs} runs each.\n"
    )
    print("| what | median (least - most) |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


def spread(values: list[float], unit: str = "s", digits: int = 2) -> str:
    """Return median and range as text."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} {unit} ({low:.{digits}f} - {high:.{digits}f})"


def timed(action: Callable[[], object]) -> float:
    """Return how many seconds an action takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def up_to_plan(folder: Path, url: str, runs: int) -> list[tuple[str, str]]:
    """Measure `swarm up GOAL`, from the shell's view."""
    group = Processes(folder, url)
    command = [sys.executable, "-m", "swarm", "up", GOAL, "--ollama", url, "--json"]

    def once() -> None:
        done = subprocess.run(command, env=group.environment, capture_output=True, check=True)
        assert json.loads(done.stdout)["state"] == "done"

    return [("`swarm up GOAL` to the printed plan, process start included", spread([
        timed(once) for _ in range(runs)
    ]))]  # fmt: skip


def forked(folder: Path, url: str) -> list[tuple[str, str]]:
    """Measure how soon `swarm up` has its peers running, and the memory of its forked peers."""
    group = Processes(folder, url)
    command = [sys.executable, "-m", "swarm", "up", "--ollama", url, "--json-events"]
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=group.environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as up:
        assert up.stdout is not None
        for line in up.stdout:
            if json.loads(line)["event"] == "ready":
                break
        ready = time.perf_counter() - began
        time.sleep(SETTLED_SECONDS)
        peers = [
            child
            for child in psutil.Process(up.pid).children(recursive=True)
            if "peer" in child.cmdline()[2:4] or "swarm peer" in " ".join(child.cmdline())
        ]
        memory = [peer.memory_full_info() for peer in peers]
        up.terminate()
        up.stdout.read()
    pss = spread([one.pss / 2**20 for one in memory], "MiB", 0)
    uss = spread([one.uss / 2**20 for one in memory], "MiB", 0)
    return [
        (f"`swarm up` until its {len(peers)} peers listen, from the shell", f"{ready:.2f} s"),
        ("memory of a peer of `swarm up`: proportional (PSS)", pss),
        ("of it unshared (USS)", uss),
    ]


async def in_a_swarm(folder: Path, url: str, options: argparse.Namespace) -> list[tuple[str, str]]:
    """Measure submission to plan, late observers and idle peers in a swarm of 8 processes."""
    group = Processes(folder, url)
    rows: list[tuple[str, str]] = []
    began = time.perf_counter()
    for role, count in ROLES.items():
        for number in range(count):
            group.start(role, f"{role}-{number + 1}")
    peer = Peer(
        PeerSettings(role="submitter", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(peer.run)
            await look(lambda: len(peer.peers()) > len(group.running))
            rows.append(("8 peers started to all heard", f"{time.perf_counter() - began:.2f} s"))
            took = []
            policy = Policy(max_depth=1, max_children=5)
            for _ in range(max(5, options.runs)):
                at = time.perf_counter()
                goal = peer.submit(GOAL, policy=policy)
                await look(lambda goal=goal: ended(peer, goal) is not None)  # type: ignore[misc]
                took.append(time.perf_counter() - at)
                await trio.sleep(1)
            plan = ended(peer, goal)
            assert plan is not None
            parts = len(plan.root.children)
            rows.append((f"submission to plan, one split, {parts} tasks", spread(took)))
            nursery.cancel_scope.cancel()
        late = [await trio.to_thread.run_sync(observe, group, goal) for _ in range(options.runs)]
        rows.append(
            ("late observer: `swarm observe ID --once`, process start included", spread(late))
        )
        await trio.sleep(SETTLED_SECONDS)
        rows += await idle(group, options.idle)
    finally:
        await trio.to_thread.run_sync(group.stop)
    return rows


async def look(condition: Callable[[], bool]) -> None:
    """Wait for a condition, looking every 5 ms: a measurement must not depend on callbacks."""
    while not condition():  # noqa: ASYNC110  see above
        await trio.sleep(0.005)


def ended(peer: Peer, goal: bytes) -> Plan | None:
    """Return a goal's plan if it has ended."""
    plan = peer.store.plan(goal)
    return plan if plan is not None and plan.final else None


def observe(group: Processes, goal: bytes) -> float:
    """Return how long a late observer takes to print the plan."""
    command = [sys.executable, "-m", "swarm", "observe", goal.hex(), "--once", "--json"]

    def once() -> None:
        done = subprocess.run(command, env=group.environment, capture_output=True, check=True)
        assert json.loads(done.stdout)["state"] == "done"

    return timed(once)


async def idle(group: Processes, seconds: float) -> list[tuple[str, str]]:
    """Measure memory and CPU of idle peers."""
    peers = [psutil.Process(process.pid) for process in group.running.values()]
    before = [sum(peer.cpu_times()[:2]) for peer in peers]
    await trio.sleep(seconds)
    used = [sum(peer.cpu_times()[:2]) - was for peer, was in zip(peers, before, strict=True)]
    memory = [peer.memory_full_info() for peer in peers]
    return [
        ("idle CPU of a peer, of one core", spread([100 * u / seconds for u in used], "%")),
        (
            "memory of a peer started by itself: resident (RSS)",
            spread([m.rss / 2**20 for m in memory], "MiB", 0),
        ),
        ("of it unshared (USS)", spread([m.uss / 2**20 for m in memory], "MiB", 0)),
    ]


def start_up(runs: int) -> list[tuple[str, str]]:
    """Measure `--help` of each command."""
    commands = ["", "up", "peer", "submit", "cancel", "observe", "peers", "why", "model", "config"]
    rows = []
    for name in commands:
        command = [sys.executable, "-m", "swarm", *([name] if name else []), "--help"]
        took = [
            timed(lambda c=command: subprocess.run(c, capture_output=True, check=True))  # type: ignore[misc]
            for _ in range(max(5, runs))
        ]
        rows.append((f"`swarm {name} --help`".replace("  ", " "), spread(took)))
    return rows


if __name__ == "__main__":
    main()
