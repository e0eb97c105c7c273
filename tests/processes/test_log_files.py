"""Log files outlive a run and do not grow forever."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.processes import log_files


def test_what_an_earlier_run_said_stays(tmp_path: Path) -> None:
    """The reason of its end is looked for after the next start."""
    path = tmp_path / "logs" / "peer.log"
    for line in (b"one\n", b"two\n"):
        with log_files.open_log(path) as log:
            log.write(line)
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_large_log_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are never more than two files, and the latest one is begun anew."""
    monkeypatch.setattr(log_files, "LOG_LIMIT", 5)
    path = tmp_path / "peer.log"
    for number in range(6):
        with log_files.open_log(path) as log:
            log.write(b"%d: a line\n" % number)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["peer.log", "peer.log.1"]
    assert path.read_bytes() == b"5: a line\n"
    assert path.with_name("peer.log.1").read_bytes() == b"4: a line\n"
