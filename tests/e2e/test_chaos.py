"""Ten peer processes under random faults: every goal ends, nothing is lost, all agree.

The short form runs in the main suite, always with the same seed; the long form takes five minutes,
with a new seed each time. `CHAOS_SEED` and `CHAOS_SECONDS` in the environment set them, and
`CHAOS_TOLD=1` prints the timeline of a run that passed.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from tests.e2e.story import Outcome, rage


async def told(folder: Path, seed: int, seconds: float, goals: int) -> Outcome:
    """Run the story, with the seed and the length from the environment if they are set there."""
    seed = int(os.environ.get("CHAOS_SEED", seed))
    seconds = float(os.environ.get("CHAOS_SECONDS", seconds))
    outcome = await rage(folder, seed, seconds, goals)
    if os.environ.get("CHAOS_TOLD"):
        sys.stderr.write("\n".join([f"seed {outcome.seed}", *outcome.timeline, ""]))
    return outcome


@pytest.mark.trio
async def test_short_chaos(tmp_path: Path) -> None:
    """The guarantees hold through kills, stops, lost disks, a lost submitter and absent scorers."""
    outcome = await told(tmp_path, seed=1, seconds=10, goals=4)
    assert outcome.faults > 3


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.trio
async def test_long_chaos(tmp_path: Path) -> None:
    """The guarantees hold for five minutes, with stops so long that neighbours drop the peer."""
    await told(tmp_path, random.SystemRandom().randrange(10**6), seconds=300, goals=40)
