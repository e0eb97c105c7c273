"""Staying under Discord's limit for all requests of a bot together.

Discord takes 50 requests a second of a bot, answers to interactions not counted, and refuses
everything for a while beyond that. discord.py paces each route, but not their sum: fifty plans at
once would run into it. Here each request waits for its turn just before it is sent.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import aiohttp

CALLS_PER_SECOND = 38.0
BURST_CALLS = 10
"""So many may go at once after a quiet while: both together stay under 50 in any second, with a
little room for requests that are late on their way and arrive with those after them."""

_UNCOUNTED = re.compile(r"/(?:interactions|webhooks)/\d+/|/gateway/?\Z")


class RateLimit:
    """Gives each request its turn, first come, first served."""

    def __init__(self) -> None:
        self._next = float("-inf")
        self._line = asyncio.Lock()

    def turn(self, now: float) -> float:
        """Take a turn if there is one; return the seconds until one comes, 0: it was taken.

        Turns are not given out ahead: on a busy machine all who wait wake late, and would go at
        once.

        Args:
            now: monotonic seconds.
        """
        step = 1 / CALLS_PER_SECOND
        start = max(self._next, now - (BURST_CALLS - 1) * step)
        if start > now:
            return start - now
        self._next = start + step
        return 0.0

    def trace(self) -> aiohttp.TraceConfig:
        """Return what discord.py's `http_trace` takes."""
        config = aiohttp.TraceConfig()
        config.on_request_start.append(self._before)
        return config

    async def _before(
        self,
        _: aiohttp.ClientSession,
        __: SimpleNamespace,
        request: aiohttp.TraceRequestStartParams,
    ) -> None:
        if _UNCOUNTED.search(request.url.path):
            return
        now = asyncio.get_running_loop().time
        async with self._line:
            while (pause := self.turn(now())) > 0:  # noqa: ASYNC110  turns come with time alone
                await asyncio.sleep(pause)
