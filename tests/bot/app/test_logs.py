"""The log shows no secret."""

from __future__ import annotations

import logging

import pytest
import structlog

from bot.app.logs import log_to_stderr
from tests.bot.app.test_run import TOKEN


@pytest.mark.asyncio
async def test_a_traceback_in_the_log_shows_no_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Local variables stay out of tracebacks: discord.py's frames hold the token."""
    before = structlog.get_config()
    levels = {name: logging.getLogger(name).level for name in ("discord", "libp2p")}
    try:
        log_to_stderr("info", "json")

        def login(token: str) -> None:
            raise RuntimeError("crashed")

        try:
            login(TOKEN)
        except RuntimeError:
            structlog.get_logger().exception("discord_client_crashed")
        said = capsys.readouterr().err
    finally:
        structlog.configure(**before)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    assert "crashed" in said
    assert "secret-token" not in said
