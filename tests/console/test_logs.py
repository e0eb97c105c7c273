"""Logs on stderr."""

from __future__ import annotations

import json
import logging

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


def test_what_libraries_log_keeps_to_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    """A library's warning, also one on the root logger, is a line of JSON like all others."""
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = list(root.handlers), root.level
    root.handlers = []
    try:
        logging.warning("before %s", "structlog is set up")
        log_to_stderr("info", "json")
        capsys.readouterr()
        logging.warning("Error getting transport addresses: %s", "x\x1b[2J")
        try:
            raise ValueError("odd")
        except ValueError:
            logging.getLogger("some.library").exception("it broke")
        logging.getLogger("some.library").info("not worth a line")
    finally:
        structlog.configure(**before)
        root.handlers = handlers
        root.setLevel(level)
    first, second = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (first["level"], first["logger"]) == ("warning", "root")
    assert first["event"].startswith("Error getting transport addresses")
    assert (second["level"], second["logger"]) == ("error", "some.library")
    assert second["exception"]
