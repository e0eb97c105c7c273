"""Makespan: how near a leaderless swarm comes to the best schedule of its own model calls.

    python -m benchmarks.makespan [--latency 1.0] [--executors 1 2 4 8] [--runs 2]

A fixed tree (one split into 5, each split into 5: 6 splits, 25 tasks, 6 assemblies), 3 decomposers,
3 scorers and some executors, all processes, one model server with a fixed latency a call. Compared
in the same run with

* the limit: a computed schedule of the same calls on the same workers that costs nothing between
  calls (list scheduling, in the order in which things can become ready);
* a central planner: one asyncio process that knows everything, makes the same calls to the same
  server with the same number of workers of each kind, and needs no vote but waits for all ratings.

Prints a Markdown table. Wasted calls are those whose answers were not used.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import logging
import os
import statistics
import tempfile
import time
from pathlib import Path

import httpx
import structlog
import trio

from benchmarks.whole_path import ended, look, spread
from swarm.core.policy import MINUTE, Policy
from swarm.peer import Peer, PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

WIDTH = 5
"""Parts of each split."""

VOTERS = 3
"""Decomposers, and scorers."""

TEXT_CALLS = WIDTH * WIDTH + WIDTH + 1
"""Tasks and assemblies that have to be done."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds a model call takes")
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    print(f"Latency {options.latency:g} s, {options.runs} runs, {os.cpu_count()} cores.\n")
    print("| executors | limit | swarm | of the limit | central | of the limit | wasted calls |")
    print("|---|---|---|---|---|---|---|")
    # All splits are found good: a critique would be one more text call, and counted as wasted.
    script = ("--latency", str(options.latency), "--nest", "--yes", "0.9")
    with scripted_ollama(*script) as url:
        for executors in options.executors:
            best = limit(executors, options.latency)
            with tempfile.TemporaryDirectory() as folder:
                took, wasted = trio.run(swarm, Path(folder), url, executors, options.runs)
            central = [asyncio.run(Central(url, executors).run()) for _ in range(options.runs)]
            print(
                f"| {executors} | {best:.2f} s | {spread(took)} "
                f"| {statistics.median(took) / best:.2f} | {spread(central)} "
                f"| {statistics.median(central) / best:.2f} "
                f"| {100 * wasted / (options.runs * TEXT_CALLS):.1f} % |",
                flush=True,
            )
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}")


def limit(executors: int, latency: float) -> float:
    """Return the makespan, in s, of the same calls when nothing is lost between them.

    Each decomposer splits one node after the other, each scorer rates one split after the other
    (its three questions side by side), each executor does one task after the other.
    """
    split_done = [latency * (2 + VOTERS + node) for node in range(WIDTH)]
    scorers_free = latency * (1 + VOTERS)
    ready: list[tuple[float, int]] = []
    for node, split in enumerate(split_done):
        scorers_free = max(scorers_free, split) + VOTERS * latency
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


async def swarm(folder: Path, url: str, executors: int, runs: int) -> tuple[list[float], int]:
    """Return how long each run took, in s, and how many text calls were made for nothing."""
    group = Processes(folder, url)
    for role, count in {"decomposer": VOTERS, "scorer": VOTERS, "executor": executors}.items():
        for number in range(count):
            group.start(role, f"{role}-{number + 1}")
    peer = Peer(
        PeerSettings(role="submitter", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    policy = Policy(
        max_depth=2, max_children=WIDTH, patience_ms=10 * MINUTE, deadline_ms=30 * MINUTE
    )
    took: list[float] = []
    before = text_calls(url)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(peer.run)
            await look(lambda: len(peer.peers()) > len(group.running))
            for run in range(runs):
                at = time.perf_counter()
                goal = peer.submit(f"Plan a fair, number {run}", policy=policy)
                await look(lambda goal=goal: ended(peer, goal) is not None)  # type: ignore[misc]
                took.append(time.perf_counter() - at)
                plan = ended(peer, goal)
                assert plan is not None
                assert plan.state == "done", plan.reason
                done = sum(node.result is not None for node in plan.nodes())
                assert done == TEXT_CALLS, f"{done} results"
            nursery.cancel_scope.cancel()
    finally:
        await trio.to_thread.run_sync(group.stop)
    return took, text_calls(url) - before - runs * TEXT_CALLS


def text_calls(url: str) -> int:
    """Return how many tasks and assemblies the server was asked to do so far."""
    counts = httpx.get(f"{url}/control").json()["counts"]
    return int(counts.get("text", 0))


class Central:
    """What people would write instead: one process that knows and decides everything."""

    def __init__(self, url: str, executors: int) -> None:
        """Prepare a planner with as many workers of each kind as the swarm has peers."""
        self._url = url
        self._executors = asyncio.Semaphore(executors)
        self._decomposers = [asyncio.Lock() for _ in range(VOTERS)]
        self._scorers = [asyncio.Lock() for _ in range(VOTERS)]

    async def run(self) -> float:
        """Plan once; return how long it took, in s."""
        began = time.perf_counter()
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=self._url, timeout=60, limits=limits) as client:
            self._client = client
            await self._plan(depth=0)
        return time.perf_counter() - began

    async def _plan(self, depth: int) -> None:
        if depth == 2:
            async with self._executors:
                await self._call()
            return
        await asyncio.gather(*(self._one(lock, 1) for lock in self._decomposers))
        await asyncio.gather(*(self._rate(lock) for lock in self._scorers))
        await asyncio.gather(*(self._plan(depth + 1) for _ in range(WIDTH)))
        async with self._executors:
            await self._call()

    async def _rate(self, scorer: asyncio.Lock) -> None:
        async with scorer:
            for _ in range(VOTERS):
                await asyncio.gather(*(self._call() for _ in range(3)))

    async def _one(self, worker: asyncio.Lock, times: int) -> None:
        async with worker:
            for _ in range(times):
                await self._call()

    async def _call(self) -> None:
        body = {
            "model": "scripted",
            "stream": False,
            "messages": [{"role": "user", "content": "Central: do this."}],
        }
        answer = await self._client.post("/api/chat", json=body)
        answer.raise_for_status()


if __name__ == "__main__":
    main()
