"""Pauses before restarts."""

from __future__ import annotations

from swarm.processes.restarts import RestartPauses


def test_pauses_grow_to_the_last_one() -> None:
    """Failures in a row wait longer and longer; the last pause repeats."""
    pauses = RestartPauses((1.0, 5.0, 60.0), healthy_seconds=120.0)
    assert [pauses.after(3.0) for _ in range(5)] == [1.0, 5.0, 60.0, 60.0, 60.0]


def test_a_healthy_run_starts_the_pauses_again() -> None:
    """After a long run the next pause is the first one, and it grows again from there."""
    pauses = RestartPauses((1.0, 5.0, 60.0), healthy_seconds=120.0)
    assert [pauses.after(ran) for ran in (3.0, 3.0, 120.0, 3.0)] == [1.0, 5.0, 1.0, 5.0]
