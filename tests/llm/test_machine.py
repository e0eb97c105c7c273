"""What a machine can carry."""

from __future__ import annotations

from pathlib import Path

import psutil

from swarm.llm.machine import free_bytes, this_machine


def test_this_machine_has_memory_and_cores() -> None:
    """Both are known here, whatever the system."""
    machine = this_machine()
    assert 0 < machine.free_bytes <= psutil.virtual_memory().total
    assert machine.cores >= 1


def test_a_container_s_limit_bounds_the_memory(tmp_path: Path) -> None:
    """What is used of the limit is not free, except files that were only read."""
    (tmp_path / "memory.max").write_text("3000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    (tmp_path / "memory.stat").write_text("anon 1500\ninactive_file 400\n")
    assert free_bytes(tmp_path) == 1_400
    (tmp_path / "memory.current").write_text("9000\n")
    assert free_bytes(tmp_path) == 1


def test_without_a_limit_the_machine_s_memory_counts(tmp_path: Path) -> None:
    """Neither missing files nor "max" are a limit."""
    assert free_bytes(tmp_path) > 1_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_bytes(tmp_path) > 1_000_000
