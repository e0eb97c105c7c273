"""A central planner in plain asyncio: the least that could do the work."""

import asyncio
from collections.abc import Awaitable, Callable

from calls import DEPTH, WIDTH, Calls, serve  # type: ignore[import-not-found]  # beside this script


async def prepare(calls: Calls) -> Callable[[], Awaitable[object]]:
    """Return the function that makes one plan."""

    async def node(depth: int) -> None:
        if depth < DEPTH:
            voters = range(calls.voters)
            await asyncio.gather(*(calls.split(number) for number in voters))
            await asyncio.gather(*(calls.rate(number) for number in voters))
            await asyncio.gather(*(node(depth + 1) for _ in range(WIDTH)))
        await calls.write()

    return lambda: node(0)


serve(prepare)
