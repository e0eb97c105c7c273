"""Time and waiting for the bot's own loops, so that tests can control both."""

from __future__ import annotations

import asyncio
import contextlib
import time


class Clock:
    """Real time."""

    def now(self) -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()

    async def wait(self, seconds: float, event: asyncio.Event | None = None) -> None:
        """Wait for some seconds, or until an event is set if one is given."""
        if event is None:
            await asyncio.sleep(seconds)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
