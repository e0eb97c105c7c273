"""How a swarm recovers when peers joined it while other programs used all cores.

    python -m benchmarks.starved [--load 25]       as root the load gets priority by `nice`

Ten peers plan six goals; then four executors join while six busy processes run. When these have
ended, four more goals are planned, one after the other. Prints how long the plans took, in seconds,
and how often peers disconnected a silent neighbour or considered a peer gone.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
import trio

from benchmarks.makespan import SCRIPT, VOTERS, WIDTH, set_latency
from benchmarks.whole_path import ended, look
from swarm.core.policy import MINUTE, Policy
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

EXECUTORS, NEWCOMERS, BUSY = 4, 4, 6
BEFORE, AFTER = 6, 4
LATENCY_S = 0.25
LIMIT_S = 180.0
EVENTS = ("neighbour_not_subscribed", "neighbour_unresponsive", "peer_gone")


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--load", type=float, default=25, help="seconds for which cores are taken")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with scripted_ollama(*SCRIPT) as ollama, tempfile.TemporaryDirectory() as folder:
        group = Processes(Path(folder), ollama)
        trio.run(measure, group, options.load)
        said: Counter[str] = Counter()
        for log in Path(folder).glob("*.log"):
            for line in log.read_text(errors="replace").splitlines():
                said.update(event for event in EVENTS if f'"{event}"' in line)
    print(", ".join(f"{event}: {said[event]}" for event in EVENTS))


async def measure(group: Processes, load_s: float) -> None:
    """Plan before and after the load; print how long each plan took."""
    for role in ("decomposer", "scorer"):
        for number in range(VOTERS):
            group.start(role, f"{role}-{number + 1}")
    for number in range(EXECUTORS):
        group.start("executor", f"executor-{number + 1}")
    peer = Peer(
        PeerSettings(role="submitter", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(peer.run)
            await look(lambda: len(peer.peers()) > len(group.running))
            set_latency(LATENCY_S, group.ollama)
            await plans(peer, "before", BEFORE)
            await starve(group, load_s)
            await plans(peer, "after", AFTER)
            nursery.cancel_scope.cancel()
    finally:
        await trio.to_thread.run_sync(group.stop)


async def starve(group: Processes, load_s: float) -> None:
    """Use all cores, and let executors join meanwhile."""
    with busy():
        for number in range(EXECUTORS, EXECUTORS + NEWCOMERS):
            group.start("executor", f"executor-{number + 1}")
        await trio.sleep(load_s)


@contextmanager
def busy() -> Iterator[None]:
    """Keep all cores busy; as root, with priority over everything else."""
    prefix = ["nice", "-n", "-10"] if os.geteuid() == 0 else []
    command = [*prefix, sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(BUSY)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


async def plans(peer: Peer, when: str, count: int) -> None:
    """Plan this many goals one after the other; print their times."""
    policy = Policy(
        max_depth=2, max_children=WIDTH, patience_ms=10 * MINUTE, deadline_ms=30 * MINUTE
    )
    times = []
    for number in range(count):
        at = time.perf_counter()
        goal = peer.submit(f"Plan a fair, {when}, number {number}", policy=policy)
        with trio.move_on_after(LIMIT_S):
            await look(lambda goal=goal: ended(peer, goal) is not None)  # type: ignore[misc]
        done = ended(peer, goal) is not None
        times.append(f"{time.perf_counter() - at:.1f} s" if done else f"not in {LIMIT_S:.0f} s")
    print(f"{when}: {', '.join(times)}", flush=True)


if __name__ == "__main__":
    main()
