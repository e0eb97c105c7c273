"""One person's messages are answered in public only so often."""

from __future__ import annotations

import pytest

from bot.goals.antispam import ANSWERS
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_a_person_who_shouts_at_the_bot_cannot_flood_the_channel(stage: Stage) -> None:
    """Complaint: channel flooded. A few mentions are answered, then silence for a while."""
    me = stage.bot.chat.client.user  # type: ignore[union-attr]
    assert me is not None
    for _ in range(20):
        await stage.bilal.send(stage.channel, f"<@{me.id}>")
    answers = [m for m in stage.channel.history() if m.author.id == me.id]
    assert len(answers) == ANSWERS
    await stage.asha.send(stage.channel, f"<@{me.id}>")
    assert stage.channel.history()[-1].author.id == me.id
    await stage.look(61)
    await stage.bilal.send(stage.channel, f"<@{me.id}>")
    assert stage.channel.history()[-1].author.id == me.id
