"""The Trickle timer: slower while all agree, quick after a change."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from swarm.gossip.trickle import INTERVAL_MAX_MS, INTERVAL_MIN_MS, Trickle


def fires(timer: Trickle, until: int) -> list[int]:
    moments = []
    while (due := timer.due()) <= until:
        if timer.poll(due):
            moments.append(due)
    return moments


@given(st.integers(0, 1_000))
def test_trickle_slows_down_and_wakes_up(seed: int) -> None:
    """Alone, it fires once an interval; intervals double until a reset makes it quick."""
    timer = Trickle(random.Random(seed), 0)
    moments = fires(timer, 300_000)
    assert 8 <= len(moments) <= 12
    assert timer.interval_ms == INTERVAL_MAX_MS
    timer.reset(300_000)
    assert timer.interval_ms == INTERVAL_MIN_MS
    assert timer.due() < 300_000 + INTERVAL_MIN_MS


def test_trickle_is_silent_when_others_said_it() -> None:
    """An equal digest in the interval suppresses ours, for that interval only."""
    timer = Trickle(random.Random(1), 0)
    timer.agree()
    assert fires(timer, INTERVAL_MIN_MS - 1) == []
    timer.poll(INTERVAL_MIN_MS)
    assert len(fires(timer, 3 * INTERVAL_MIN_MS - 1)) == 1
