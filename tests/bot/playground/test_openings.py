"""Many plans at once open their threads without delay below Discord's limit."""

from __future__ import annotations

import asyncio

import discord
import pytest

from bot.playground.wire.limits import RateLimiter
from tests.bot.playground.scene import Scene

THREADS = 30
"""More than half of Discord's limit of 50, fewer than the limit."""

SLOW_SECONDS = 1.0
"""How long each opening takes: long enough for all of them to overlap."""


@pytest.mark.asyncio
async def test_slow_openings_are_not_held_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If all were pending at once, discord.py would wait for five minutes."""
    waited: list[float] = []

    async def refresh(limit: discord.http.Ratelimit) -> None:
        waited.append(limit.reset_after)
        limit.reset()  # type: ignore[no-untyped-call]  # discord.py has no types for it

    backend = scene.page.guild.backend
    channel, bilal = scene.page.channel_id, scene.page.guild.people["Bilal"]
    async with scene.bot() as bot:
        messages = [backend.create_message(channel, bilal, f"{n}").id for n in range(THREADS)]
        monkeypatch.setattr(discord.http.Ratelimit, "_refresh", refresh)
        scene.page.rest.limiter = RateLimiter(asyncio.get_running_loop().time)
        scene.page.rest.slow(THREADS, SLOW_SECONDS)
        opened = await asyncio.gather(
            *(bot.chat.open_thread(channel, message, "plan") for message in messages)
        )
    assert opened == messages
    assert waited == []
