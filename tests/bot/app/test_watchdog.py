"""A blocked event loop is reported with the line that blocks it."""

from __future__ import annotations

import asyncio
import time

import pytest
import structlog

from bot import metrics
from bot.app.watchdog import Watchdog


def held_up_here() -> None:
    """Block as a slow call would."""
    time.sleep(0.4)


@pytest.mark.asyncio
async def test_a_blocked_loop_is_reported_with_the_line_that_blocks_it() -> None:
    """The log names the call while it lasts, the metrics count it, and once is enough."""
    before = metrics.BLOCKED._value.get()
    with structlog.testing.capture_logs() as logs:
        dog = asyncio.create_task(Watchdog(beat_seconds=0.01, blocked_seconds=0.1).run())
        await asyncio.sleep(0.05)
        held_up_here()
        await asyncio.sleep(0.05)
        dog.cancel()
        await asyncio.gather(dog, return_exceptions=True)
    said = [one for one in logs if one["event"] == "event_loop_blocked"]
    assert any("held_up_here" in call for one in said for call in one["at"])
    assert any(one["event"] == "event_loop_was_blocked" for one in logs)
    assert metrics.BLOCKED._value.get() > before
