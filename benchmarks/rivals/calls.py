"""What all rivals share: the same model calls to the same server, by as many workers of each kind.

A rival is a script: `python RIVAL.py URL EXECUTORS VOTERS`. It imports what it needs and prints
`ready`; then it makes one plan for each line on standard input and prints how many seconds that
took. It knows everything and decides alone: there are no votes, but it waits for all ratings. This
module imports nothing of Leaderless, and only httpx besides the standard library.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

import httpx

WIDTH = 5
"""Parts of each split."""

DEPTH = 2
"""At this depth nodes are tasks."""

QUESTIONS = 3
"""Questions about each split, which the scorers share; a scorer asks its own side by side."""


class Calls:
    """One model server and a limited number of workers of each kind, each at one call a time."""

    def __init__(self, url: str, executors: int, voters: int) -> None:
        """Set the address of the server, and make the workers."""
        self.voters = voters
        self._executors = asyncio.Semaphore(executors)
        self._decomposers = [asyncio.Lock() for _ in range(voters)]
        self._scorers = [asyncio.Lock() for _ in range(voters)]
        limits = httpx.Limits(max_connections=100)
        self._client = httpx.AsyncClient(base_url=url, timeout=60, limits=limits)

    async def split(self, decomposer: int) -> None:
        """Let one decomposer propose a split."""
        async with self._decomposers[decomposer]:
            await self._call()

    async def rate(self, scorer: int) -> None:
        """Let one scorer rate all proposed splits of a node, one after the other."""
        async with self._scorers[scorer]:
            for _ in range(self.voters):
                own = range(scorer, QUESTIONS, self.voters)
                await asyncio.gather(*(self._call() for _ in own))

    async def write(self) -> None:
        """Let one executor do a task or assemble parts."""
        async with self._executors:
            await self._call()

    async def _call(self) -> None:
        body = {
            "model": "scripted",
            "stream": False,
            "messages": [{"role": "user", "content": "Do this."}],
        }
        (await self._client.post("/api/chat", json=body)).raise_for_status()


def serve(prepare: Callable[[Calls], Awaitable[Callable[[], Awaitable[object]]]]) -> None:
    """Make plans on request; `prepare` returns the function that makes one."""

    async def run() -> None:
        url, executors, voters = sys.argv[1:]
        plan = await prepare(Calls(url, int(executors), int(voters)))
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            began = time.perf_counter()
            await plan()
            print(time.perf_counter() - began, flush=True)

    asyncio.run(run())
