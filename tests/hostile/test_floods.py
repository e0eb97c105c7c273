"""Floods by strangers: honest plans take about twice the quiet time, then and afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import pytest

from tests.hostile.attackers import FLOODS
from tests.hostile.floods import flood_times
from tests.hostile.own_time import OwnTime
from tests.hostile.test_attacks import ALLOWANCE, SLOWER

FLOOD_SECONDS, AFTER_SECONDS = 25.0, 20.0
RECOVERED_SECONDS = 15.0


@pytest.fixture
def own_time() -> Iterator[OwnTime]:
    """A clock for trio tests that leaves out the time spent waiting for a core."""
    clock = OwnTime()
    yield clock
    clock.close()


@pytest.mark.slow
@pytest.mark.trio
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", FLOODS)
async def test_honest_plans_take_at_most_about_twice_the_quiet_time(
    name: str, own_time: OwnTime
) -> None:
    """The median during the flood, and every plan from 15 s after it, as ratios in one run."""
    times = await flood_times(name, flood_seconds=FLOOD_SECONDS, after_seconds=AFTER_SECONDS)
    print(name, times)  # noqa: T201  for docs/measurements.md, with pytest -s
    bound = SLOWER * times.quiet + ALLOWANCE
    assert median(times.during) <= bound
    late = times.since(RECOVERED_SECONDS)
    assert late
    assert max(late) <= bound
