"""Logs on stderr."""

from __future__ import annotations

import pytest
import structlog

from swarm.console.logs import log_to_stderr
from tests.console.steering import STEERING


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_log_cannot_be_steered(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Names that peers give themselves appear in logs without control characters."""
    before = structlog.get_config()
    try:
        log_to_stderr("info", style)  # type: ignore[arg-type]
        structlog.get_logger().info("peer_gone", name="x\x1b[2J\u009b31m\u202eA", text="दिल्ली")
    finally:
        structlog.configure(**before)
    shown = capsys.readouterr().err
    assert "दिल्ली" in shown
    assert not set(shown) & (set(STEERING) - {"\n"})
