"""A seed replays exactly: in this process, in another, whatever the hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from swarm.sim.run import play

SAY = """
import sys
from swarm.sim.run import play
print(play(sys.argv[1], int(sys.argv[2])).fingerprint)
"""


def fingerprint_elsewhere(scenario: str, seed: int, hash_seed: str) -> str:
    """Play a run in a fresh process whose sets and dicts hash differently."""
    return subprocess.run(
        [sys.executable, "-c", SAY, scenario, str(seed)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()


@pytest.mark.parametrize("scenario", ["bad-links", "churn"])
def test_the_same_seed_gives_the_same_run(scenario: str) -> None:
    """Two runs of a seed say and see the same to the millisecond; another seed does not."""
    first, second = play(scenario, 5), play(scenario, 5)
    assert first.happenings == second.happenings
    assert first.fingerprint == second.fingerprint
    assert play(scenario, 6).fingerprint != first.fingerprint


def test_a_seed_replays_in_another_process() -> None:
    """What a failing seed prints plays the same run on any machine: nothing hangs on hash order."""
    here = play("liars", 4).fingerprint
    assert {fingerprint_elsewhere("liars", 4, seed) for seed in ("0", "1")} == {here}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_everything_at_once_replays_in_another_process() -> None:
    """The run with most in it replays too."""
    here = play("everything", 2).fingerprint
    assert {fingerprint_elsewhere("everything", 2, seed) for seed in ("0", "7")} == {here}
