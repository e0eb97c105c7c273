"""A limit on all requests of the bot together, below Discord's global limit.

Discord accepts 50 requests a second from a bot, not counting answers to interactions; beyond that
it refuses everything for a while. discord.py limits each route but not their sum, so fifty plans at
once would exceed the limit. Here each request waits for its turn just before it is sent.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import aiohttp

CALLS_PER_SECOND = 38.0
BURST_CALLS = 10
"""Requests that may go at once after a quiet period. Both together stay below 50 in any second,
with a little room for delayed requests that arrive together with later ones."""

_UNCOUNTED = re.compile(r"/(?:interactions|webhooks)/\d+/|/gateway/?\Z")


class RateLimit:
    """Turns for requests, first come, first served."""

    def __init__(self) -> None:
        self._next = float("-inf")
        self._line = asyncio.Lock()

    def turn(self, now: float) -> float:
        """Take a turn if one is free; return the seconds until one is, or 0 if it was taken.

        Turns are not assigned ahead: on a busy machine all waiting requests would wake late and
        go at once.

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
        """Return the trace for discord.py's `http_trace`."""
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
