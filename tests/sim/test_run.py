"""A seed replays exactly: in this process and in others, with any hash seed."""

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
    """Play a run in a fresh process with another hash seed; return its fingerprint."""
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
    """Two runs of a seed are equal to the millisecond; another seed differs."""
    first, second = play(scenario, 5), play(scenario, 5)
    assert first.timeline == second.timeline
    assert first.fingerprint == second.fingerprint
    assert play(scenario, 6).fingerprint != first.fingerprint


def test_a_seed_replays_in_another_process() -> None:
    """A failing seed fails on any machine: nothing depends on hash order."""
    here = play("byzantine", 4).fingerprint
    assert {fingerprint_elsewhere("byzantine", 4, seed) for seed in ("0", "1")} == {here}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_everything_at_once_replays_in_another_process() -> None:
    """The most complex scenario replays too."""
    here = play("everything", 2).fingerprint
    assert {fingerprint_elsewhere("everything", 2, seed) for seed in ("0", "7")} == {here}
