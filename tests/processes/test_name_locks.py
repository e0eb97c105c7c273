"""Locks on peer names."""

from __future__ import annotations

from pathlib import Path

from swarm.processes.name_locks import NameLocks


def test_no_two_local_swarms_run_one_identity(tmp_path: Path) -> None:
    """Names locked by one are skipped by the other, and free again once it is closed."""
    with NameLocks(tmp_path) as one, NameLocks(tmp_path) as two:
        assert one.take("scorer", 2) == ["scorer-1", "scorer-2"]
        assert two.take("scorer", 2) == ["scorer-3", "scorer-4"]
        assert not two.take_name("scorer-1")
    with NameLocks(tmp_path) as three:
        assert three.take("scorer", 1) == ["scorer-1"]
