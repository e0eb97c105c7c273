"""Messages to the bot: mentions in channels and threads, and direct messages."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_a_mention_asks_too(stage: Stage) -> None:
    """`@bot two days in Goa` in a channel opens a thread; no message content intent is needed."""
    me = stage.bot.chat.client.user  # type: ignore[union-attr]
    assert me is not None
    await stage.asha.send(stage.channel, f"<@{me.id}> two days in Goa")
    await stage.look()
    (plan,) = stage.peer.store.plans()
    assert plan.body.text == "two days in Goa"
    assert stage.thread.name == "🗺️ two days in Goa"
    await stage.asha.send(stage.thread, f"<@{me.id}> how is it going?")
    assert stage.messages()[-1].startswith("### 🗺️ two days in Goa")
    assert len(stage.peer.store.plans()) == 1


@pytest.mark.asyncio
async def test_an_empty_mention_is_answered_with_how_to_ask(stage: Stage) -> None:
    """Complaint: empty content without the message intent. The bot says what to do instead."""
    me = stage.bot.chat.client.user  # type: ignore[union-attr]
    assert me is not None
    await stage.bilal.send(stage.channel, f"<@{me.id}>")
    assert "Tell me what to plan" in stage.channel.history()[-1].content
    assert stage.peer.store.plans() == []


@pytest.mark.asyncio
async def test_mentions_of_others_and_by_bots_are_not_heard(stage: Stage) -> None:
    """Neither chatter nor other bots make plans: bots that answer each other never end."""
    me = stage.bot.chat.client.user  # type: ignore[union-attr]
    assert me is not None
    guild = stage.env.guild
    robot = guild.add_member(stage.env.create_user("robot", bot=True))
    await robot.send(stage.channel, f"<@{me.id}> plan this")
    await stage.asha.send(stage.channel, "@everyone plan this")
    await stage.look()
    assert stage.peer.store.plans() == []


@pytest.mark.asyncio
async def test_direct_messages_are_closed_unless_the_owner_opens_them(stage: Stage) -> None:
    """A message to the bot itself is answered politely, and planned only if that is allowed."""
    user: Any = stage.asha
    closed = await _direct(stage, user, "a week in Leh")
    assert "Please ask me in a server" in closed
    assert stage.peer.store.plans() == []
    stage.bot.direct_messages = True
    assert (await _direct(stage, user, "a week in Leh")).startswith("🗺️ **a week in Leh**")
    (plan,) = stage.peer.store.plans()
    stage.peer.accept(stage.peer.propose(plan.id, ["a", "b"]))
    await stage.look(6)
    noted = stage.bot.journal.goal(plan.id)
    assert noted is not None
    assert noted.guild == 0
    assert noted.thread == noted.channel


async def _direct(stage: Stage, user: Any, text: str) -> str:
    """Hand the client a direct message as Discord would; return the answer."""
    from bot.interactions import mentions

    said: list[str] = []
    client: Any = stage.bot.chat.client

    class Channel(discord.Object):
        def typing(self) -> Any:
            import contextlib

            return contextlib.nullcontext()

    class Typing:
        async def __aenter__(self) -> None: ...
        async def __aexit__(self, *_: object) -> None: ...

    channel = Channel(id=stage.channel.id)
    channel.typing = Typing  # type: ignore[method-assign]

    class Message:
        author = client.get_user(user.id) or discord.Object(id=user.id)
        webhook_id = None
        guild = None
        content = text

        async def reply(self, content: str, **_: Any) -> Any:
            said.append(content)
            return discord.Object(id=4_711)

    message: Any = Message()
    message.author = type("Author", (), {"id": user.id, "bot": False})()
    message.channel = channel
    await mentions.heard(stage.bot, client.user, message)
    return said[-1]
