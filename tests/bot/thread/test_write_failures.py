"""A permission removed in the middle of a plan is named where people see it, with the remedy."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.thread.chat import NotAllowed
from bot.views.posts import Post
from tests.bot.conftest import Stage

pytestmark = pytest.mark.asyncio


def forbid(stage: Stage, **permissions: bool) -> None:
    """Deny permissions to everyone in the channel; with none named, allow all again."""
    flags = discord.Permissions(**permissions).value
    everyone = stage.env.guild.default_role.id
    overwrites = [Overwrite(everyone, OverwriteType.ROLE, allow=0, deny=flags)] if flags else []
    stage.env.backend.edit_channel(stage.channel.id, {}, overwrites=overwrites)


async def test_a_thread_without_write_permission_is_reported_in_the_channel(stage: Stage) -> None:
    """One message names the permission and where to allow it; once allowed, the bot continues."""
    goal = await stage.ask()
    forbid(stage, send_messages_in_threads=True)
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look(60)
    _, word = stage.answers()
    assert word.startswith("⚠️ I cannot post in the thread of **Two weeks in Japan**")
    assert "missing these permissions there: **Send Messages in Threads**" in word
    assert "settings, under Permissions" in word
    await stage.restart()
    await stage.look(60)
    assert len(stage.answers()) == 2
    forbid(stage)
    await stage.look(120)
    assert stage.answers()[1].startswith("✅ I can post in the thread of")
    assert stage.message("### 🗳️").content
    stage.peer.accept(split)
    forbid(stage, send_messages_in_threads=True)
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(60)
    assert len(stage.answers()) == 3
    forbid(stage)
    await stage.look(120)
    assert stage.messages()[-1] == "The plan."


async def test_with_no_channel_to_write_in_the_asker_gets_a_direct_message(stage: Stage) -> None:
    """As a last resort the bot sends the asker a direct message, and only one."""
    goal = await stage.ask()
    forbid(stage, view_channel=True, send_messages=True, send_messages_in_threads=True)
    stage.peer.propose(goal, ["a", "b"])
    await stage.look(300)
    channel = stage.env.backend.dm_channels[stage.asha.id]
    told = [m.content for m in stage.env.backend.messages[channel].values()]
    assert len(told) == 1
    assert "**Two weeks in Japan**" in told[0]
    assert "missing these permissions there: **View Channel**" in told[0]


async def test_without_attach_files_the_plan_comes_without_its_files(stage: Stage) -> None:
    """The text is posted without the files, which people can get with a command."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(5)
    chat = stage.bot.chat
    send = chat.send

    async def no_files(channel: int, post: Post, nonce: str) -> int:
        """SimCord does not enforce this permission."""
        if post.files:
            raise NotAllowed("missing these permissions there: **Attach Files** there.")
        return await send(channel, post, nonce)

    chat.send = no_files  # type: ignore[method-assign]
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(10)
    plan, word = stage.messages()[-2:]
    assert plan == "The plan."
    assert word.startswith(
        "⚠️ I could not attach the files. missing these permissions there: **Attach Files**"
    )
    assert "/export" in word
    assert stage.bot.journal.live() == []


async def test_without_add_reactions_the_buttons_still_vote(stage: Stage) -> None:
    """The vote does not depend on the bot's reactions; the missing permission is named once."""
    goal = await stage.ask()
    forbid(stage, add_reactions=True)
    split = stage.peer.propose(goal, ["a", "b"])
    stage.peer.propose(goal, ["c", "d"], who="decomposer-2")
    await stage.look(10)
    (word,) = [text for text in stage.messages() if text.startswith("⚠️")]
    assert "missing these permissions there: **Add Reactions**" in word
    first = next(m for m in stage.thread.history() if m.content.startswith("### 🗳️"))
    await stage.asha.click(first, custom_id="leaderless:approve")
    assert stage.peer.votes == [(split, "approve")]


async def test_an_archived_thread_is_opened_again(stage: Stage) -> None:
    """Complaint: thread archived during work. The next change opens it and edits its messages."""
    goal = await stage.ask()
    live = stage.message("### 🗺️").id
    stage.env.backend.edit_channel(stage.thread.id, {}, thread_metadata={"archived": True})
    # SimCord lets a bot edit there; Discord does not.
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, times=1)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(8)
    assert stage.message("### 🗺️").id == live
    assert "0 of 2 parts finished" in stage.message("### 🗺️").content
    assert not stage.env.backend.get_channel(stage.thread.id).thread_metadata.archived
    assert len(stage.answers()) == 1


async def test_a_long_wait_for_a_thread_is_reported(stage: Stage) -> None:
    """Discord limits new threads to about fifty in some minutes: the bot reports it and waits."""
    client = stage.bot.chat.client
    assert client is not None
    start = client.http.start_thread_with_message
    refusals = iter([TimeoutError()])

    async def limited(*args: Any, **settings: Any) -> Any:
        """discord.py waits for minutes within the request, until the chat's own time limit."""
        for refusal in refusals:
            raise refusal
        return await start(*args, **settings)

    client.http.start_thread_with_message = limited  # type: ignore[method-assign]
    await stage.ask()
    await stage.look(5)
    _, word = stage.answers()
    assert "Discord allows no more new threads" in word
    await stage.look(90)
    assert stage.message("### 🗺️").content
    assert stage.answers()[1].startswith("✅ I can post in the thread of")
    assert len(stage.answers()) == 2
