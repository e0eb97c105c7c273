"""/healthz and /metrics."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot.app.metrics_server import make_app
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_health_says_which_half_is_down_and_metrics_count(stage: Stage) -> None:
    """200 while both halves are up, 503 with the reason otherwise; counters without texts."""
    await stage.ask("secret words")
    async with TestClient(TestServer(make_app(stage.bot))) as client:
        async with client.get("/healthz") as answer:
            assert answer.status == 200
        stage.bot.relay.swarm_down()
        async with client.get("/healthz") as answer:
            assert answer.status == 503
            assert (await answer.json())["swarm"] is False
        async with client.get("/metrics") as answer:
            text = await answer.text()
    assert "leaderless_bot_goals_asked_total" in text
    assert 'leaderless_bot_commands_total{name="plan"}' in text
    assert "secret" not in text
