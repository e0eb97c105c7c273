"""Killed by -9 while it asks for a goal, the bot asks for it once, never twice."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.bot.goals import killed
from tests.bot.worlds import FakePeer

SECONDS = 60


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("way", "when", "times"),
    [
        ("queue", "before", 1),
        ("queue", "noted", 1),
        ("queue", "published", 1),
        # The command was never answered: the person sees that, and asks again.
        ("command", "before", 0),
        ("command", "noted", 1),
        ("command", "published", 1),
    ],
)
async def test_a_goal_is_asked_once_whenever_the_bot_is_killed(
    tmp_path: Path, way: str, when: str, times: int
) -> None:
    """The next run asks for what waits, hands on what was noted, and follows what was heard."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bot.goals.killed", str(tmp_path), way, when
    )
    async with asyncio.timeout(SECONDS):
        assert await process.wait() == -signal.SIGKILL
    peer = FakePeer()
    if killed.replica(tmp_path).exists():
        peer.store.add(killed.replica(tmp_path).read_bytes(), peer.now())
    bot = killed.bot_in(tmp_path)
    bot.relay.swarm_up(peer)
    await bot.queue.start_ready()
    await bot.queue.close()
    await bot.relay.close()
    assert [plan.root.title for plan in peer.store.plans()] == [killed.GOAL] * times
    followed = bot.journal.live()
    assert [entry.goal for entry in followed] == [plan.id for plan in peer.store.plans()]
    assert bot.journal.waiting() == []
    bot.journal.close()
