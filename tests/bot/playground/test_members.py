"""Actions of members: direct messages, menus, edits, and changes of threads."""

from __future__ import annotations

import asyncio

import pytest

from bot.playground.client import PlaygroundClient, PlaygroundError
from bot.playground.server import Playground
from bot.playground.views import MessageView, Snapshot
from tests.bot.playground.conftest import STARTUP_SECONDS, BotProcess

pytestmark = pytest.mark.asyncio


async def said(client: PlaygroundClient, text: str) -> MessageView:
    """Wait until a message with this text is there, and return it."""

    def found(state: Snapshot) -> list[MessageView]:
        return [message for message in state.messages if text in message.content]

    state = await client.wait_for(lambda state: bool(found(state)), seconds=STARTUP_SECONDS)
    return found(state)[-1]


async def test_direct_messages_reach_the_bot_and_its_answer_one_person(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """A direct message is answered there; nobody else can write or react there."""
    talk = await client.open_direct("Bilal")
    bilal = next(p.id for p in (await client.state()).people if p.name == "Bilal")
    assert (talk.only_for, talk.parent_id) == (bilal, None)
    assert await client.open_direct("Bilal") == talk
    question = await client.send_message("Bilal", "just us?", channel_id=talk.id)
    answer = await said(client, "You said: just us?")
    assert (answer.channel_id, answer.reply_to) == (talk.id, question.id)
    await client.react("Bilal", answer, "👍")
    assert await echo.expect("reaction 👍") == f"reaction 👍 {bilal}"
    with pytest.raises(PlaygroundError, match="does not have permission"):
        await client.send_message("Citra", "me too", channel_id=talk.id)
    with pytest.raises(PlaygroundError, match="does not have permission"):
        await client.react("Citra", answer, "👍")


async def test_commands_and_buttons_work_in_direct_messages(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """A command that is not bound to servers runs in direct messages, and so do its buttons."""
    talk = await client.open_direct("Citra")
    await client.run_command("Citra", "buttons", channel_id=talk.id)
    offered = await said(client, "Press one.")
    assert offered.channel_id == talk.id
    await client.press("Citra", offered, "approve")
    assert (await said(client, "Citra approved.")).channel_id == talk.id


async def test_menus_take_what_they_offer_and_nothing_else(
    client: PlaygroundClient, echo: BotProcess
) -> None:
    """Menus of options and of people send the chosen values to the bot, after checking them."""
    await client.run_command("Asha", "menus")
    message = await said(client, "Choose.")
    assert message.buttons == []
    days, who = message.menus
    assert (days.options[0].label, days.options[0].value) == ("Day 1", "1")
    assert (days.kind, days.row, days.most, who.kind, who.row) == ("options", 0, 2, "people", 1)
    await client.choose("Bilal", message, "days", ["3", "1"])
    assert (await said(client, "Bilal chose 3, 1")).only_for is not None
    citra = next(p.id for p in (await client.state()).people if p.name == "Citra")
    await client.choose("Asha", message, "who", [citra])
    await said(client, f"Asha chose {citra}")
    for custom_id, values in (
        ("days", ["4"]),
        ("days", []),
        ("days", ["1", "1"]),
        ("days", ["1", "2", "3"]),
        ("who", ["77"]),
        ("nope", ["1"]),
    ):
        with pytest.raises(PlaygroundError, match="menu"):
            await client.choose("Asha", message, custom_id, values)


async def test_members_change_their_own_messages_and_owners_all(client: PlaygroundClient) -> None:
    """Only the author can edit; deleting and clearing also work with Manage Messages."""
    message = await client.send_message("Bilal", "first")
    assert (await client.edit_message("Bilal", message, "second")).content == "second"
    for act in (
        client.edit_message("Asha", message, "third"),
        client.delete_message("Citra", message),
        client.clear_reactions("Bilal", message),
    ):
        with pytest.raises(PlaygroundError, match=r"Only the author|does not have permission"):
            await act
    await client.react("Bilal", message, "👍")
    assert (await client.clear_reactions("Asha", message)).reactions == []
    await client.delete_message("Asha", message)
    assert [m.id for m in (await client.state()).messages] == []


async def test_threads_can_be_changed_and_deleted_with_manage_threads(
    playground: Playground, client: PlaygroundClient, echo: BotProcess
) -> None:
    """The owner renames, archives, locks, opens and deletes a thread; a member may not."""
    await client.run_command("Asha", "plan", {"goal": "a tidy thread"})
    state = await client.wait_for(
        lambda state: any(c.parent_id for c in state.channels), seconds=STARTUP_SECONDS
    )
    thread = next(c.id for c in state.channels if c.parent_id)
    with pytest.raises(PlaygroundError, match="does not have permission"):
        await client.change_thread("Bilal", thread, name="mine")
    with pytest.raises(PlaygroundError, match="1 to 100"):
        await client.change_thread("Asha", thread, name="x" * 101)
    assert (await client.change_thread("Asha", thread, name="renamed")).name == "renamed"
    locked = await client.change_thread("Asha", thread, archived=True, locked=True)
    assert (locked.archived, locked.locked) == (True, True)
    with pytest.raises(PlaygroundError, match="locked"):
        await client.send_message("Bilal", "let me in", channel_id=thread)
    await client.change_thread("Asha", thread, archived=False, locked=False)
    await client.send_message("Bilal", "thanks", channel_id=thread)
    await client.delete_thread("Asha", thread)
    after = await client.state()
    assert thread not in [c.id for c in after.channels]
    assert all(m.thread_id is None for m in after.messages)


async def test_a_channel_is_not_a_thread(client: PlaygroundClient) -> None:
    """The channel itself can be neither locked nor deleted as a thread."""
    channel = (await client.state()).channel_id
    for act in (client.change_thread("Asha", channel, locked=True),
                client.delete_thread("Asha", channel)):  # fmt: skip
        with pytest.raises(PlaygroundError, match="not a thread"):
            await asyncio.wait_for(act, STARTUP_SECONDS)
