"""Periodic work of a process happens at the same moments."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from swarm.net.timers import NEAR_SECONDS, until_tick


@pytest.mark.trio
async def test_periods_fall_together_and_none_is_had_twice(autojump_clock: Any) -> None:
    """Loops that start at odd moments, and are late, wake at common whole seconds."""
    woken: list[float] = []

    async def every(period: float, late: float) -> None:
        await trio.sleep(late)
        for _ in range(20):
            await trio.sleep(until_tick(period))
            woken.append(trio.current_time())
            await trio.sleep(late / 100)

    async with trio.open_nursery() as nursery:
        for period, late in (1.0, 0.3), (1.0, 0.77), (2.0, 0.5):
            nursery.start_soon(every, period, late)
    assert len(woken) == 60
    assert all(abs(at - round(at)) < 1e-6 for at in woken)
    assert len({round(at) for at in woken}) <= 42


@pytest.mark.trio
async def test_a_tick_just_had_is_not_had_again(autojump_clock: Any) -> None:
    """Just before or just after a tick, the next one is meant."""
    await trio.sleep(5 - trio.current_time() % 1 - NEAR_SECONDS / 2)
    assert until_tick(1.0) > 1
    await trio.sleep(NEAR_SECONDS)
    assert 0.9 < until_tick(1.0) < 1
