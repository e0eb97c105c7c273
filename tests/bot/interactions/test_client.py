"""The discord.py client: its intents, and the commands it gives to Discord."""

from __future__ import annotations

import discord
import pytest

from bot.app.run import make_client
from tests.bot.app.test_run import make_bot
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_the_client_asks_for_few_intents_and_mentions_nobody() -> None:
    """No privileged intent, no message content, no mentions whatever a text says."""
    client = make_client(make_bot())
    wanted = discord.Intents(guilds=True, guild_reactions=True, guild_messages=True)
    assert client.intents.value == wanted.value
    assert not client.intents.message_content
    mentions = client.allowed_mentions
    assert mentions is not None
    assert not any((mentions.everyone, mentions.users, mentions.roles, mentions.replied_user))
    await client.close()


@pytest.mark.asyncio
async def test_commands_are_synced_once_and_again_only_when_they_changed(stage: Stage) -> None:
    """Complaint: duplicate commands after a sync. A restart does not register them again."""

    def syncs() -> int:
        return sum(
            r.method == "PUT" and r.path.endswith("/commands") for r in stage.env.http_requests
        )

    assert syncs() == 1
    await stage.restart()
    assert syncs() == 1
    stage.bot.journal.put("commands", "older")
    await stage.restart()
    assert syncs() == 2
