"""The benchmarks still measure what they say: no change of the product breaks them unseen."""

from __future__ import annotations

import subprocess
import sys

import pytest

QUICK_SECONDS = 240


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["makespan", "--quick", "--no-rivals"],
        ["coordination", "--quick"],
        ["gossip", "--quick"],
        ["late_join", "--quick"],
        ["records", "--quick"],
    ],
    ids=lambda command: command[0],
)
def test_a_quick_run_ends_well(command: list[str]) -> None:
    """Each makes its whole plan with real processes, and checks that it is the plan it measures."""
    module, *options = command
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *options, "--dry"],
        capture_output=True,
        text=True,
        timeout=QUICK_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
