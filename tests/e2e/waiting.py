"""Wait for what other processes do. They write files and logs: there is no event to wait for."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import trio

LOOK_SECONDS = 0.2
"""How often a condition is looked at."""


async def until(condition: Callable[[], object], what: str, seconds: float = 30) -> None:
    """Wait until a condition holds; fail with what was waited for."""
    with trio.move_on_after(seconds):
        while not condition():  # noqa: ASYNC110  other processes make it true
            await trio.sleep(LOOK_SECONDS)
        return
    pytest.fail(f"gave up after {seconds} s waiting until {what}")


def wait_until(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Do the same where no event loop runs."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"gave up after {seconds} s waiting until {what}"
        time.sleep(LOOK_SECONDS)
