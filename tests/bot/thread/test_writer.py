"""A goal's writer: what it posts in the chat, and how it handles the chat's failures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot import metrics
from bot.storage.journal import GoalEntry
from tests.bot.conftest import Stage


@pytest.mark.asyncio
async def test_the_delay_of_a_change_until_it_is_shown_is_measured(stage: Stage) -> None:
    """The time from a record to its message is below two seconds and is in the metrics."""

    def shown() -> tuple[float, float]:
        samples = {s.name: s.value for m in metrics.SHOWN.collect() for s in m.samples
                   if "bucket" not in s.name}  # fmt: skip
        name = "leaderless_bot_shown_seconds"
        return samples[f"{name}_count"], samples[f"{name}_sum"]

    goal = await stage.ask()
    await stage.look(5)
    count, total = shown()
    stage.peer.propose(goal, ["a", "b"])
    await stage.look(10)
    count_after, total_after = shown()
    assert count_after - count >= 2
    assert (total_after - total) / (count_after - count) < 2
    quiet = shown()
    await stage.look(60)
    assert shown() == quiet


def edits(stage: Stage) -> int:
    """Count the edits of messages so far, except those of the command's own answer."""
    return sum(r.method == "PATCH" and "/webhooks/" not in r.path for r in stage.env.http_requests)


@pytest.mark.asyncio
async def test_a_message_that_was_sent_but_not_recorded_is_found_again(stage: Stage) -> None:
    """If the bot is killed between sending and recording it, the next run adopts the message."""
    goal = await stage.ask()
    stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    journal = stage.bot.journal
    before = [message.id for message in stage.thread.history()]
    for post in journal.posts(goal).values():
        journal.put_post(goal, replace(post, message=None))
    await stage.restart()
    assert [message.id for message in stage.thread.history()] == before
    assert len(stage.answers()) == 1
    assert all(post.message for post in journal.posts(goal).values())


@pytest.mark.asyncio
async def test_a_bot_killed_before_it_posted_opens_the_thread_later(stage: Stage) -> None:
    """A goal that was recorded but never shown gets its message and thread from the next run."""
    goal = stage.peer.submit("Early kill")
    raw = stage.peer.plan(goal).goal.raw
    entry = GoalEntry(
        goal, stage.env.guild.id, stage.channel.id, b"\x01" * 32, stage.peer.now(), record=raw
    )
    stage.bot.journal.open_goal(entry)
    await stage.restart()
    assert stage.answers()[0].startswith("🗺️ **Early kill**")
    assert stage.messages()[0].startswith("### 🗺️ Early kill")


@pytest.mark.asyncio
async def test_a_storm_of_changes_makes_at_most_one_edit_a_second(stage: Stage) -> None:
    """Complaint: edit storm. Sixty changes in twenty seconds are merged; the last one is shown."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(6)
    part = stage.peer.plan(goal).root.children[0]
    claim = stage.peer.claim(goal, part)
    before = edits(stage)
    for percent in range(60):
        stage.peer.progress(goal, part, claim, percent)
        await stage.look(1 / 3)
    assert 10 <= edits(stage) - before <= 21
    await stage.look()
    assert "59 %" in stage.message("### 🗺️").content
    quiet = edits(stage)
    await stage.look(30)
    assert edits(stage) == quiet


@pytest.mark.asyncio
async def test_deleted_messages(stage: Stage) -> None:
    """A deleted live message is posted again; a deleted split stays deleted; nothing breaks."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    await stage.message("### 🗺️").delete()
    await stage.message("### 🗳️").delete()
    stage.peer.accept(split)
    await stage.look(5)
    (live,) = stage.messages()
    assert live.startswith("### 🗺️")
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(6)
    assert stage.messages()[-1] == "The plan."


@pytest.mark.asyncio
async def test_after_its_thread_is_deleted_a_plan_continues_in_the_channel(stage: Stage) -> None:
    """Without its thread the plan continues in the channel, briefly and with an explanation."""
    goal = await stage.ask("one")
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    await stage.bot.chat.client.http.delete_channel(stage.thread.id)  # type: ignore[union-attr]
    stage.peer.accept(split)
    await stage.look(6)
    _, word, live = stage.answers()
    assert word.startswith("🧵 The thread of this plan is locked or deleted")
    assert "0 of 2 parts finished" in live
    await stage.restart()
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(8)
    assert [text.splitlines()[0] for text in stage.answers()[3:]] == [
        "✅ **The plan is ready.**",
        "The plan.",
    ]
    assert len(stage.answers()) == 5


@pytest.mark.asyncio
async def test_a_locked_thread_stays_locked(stage: Stage) -> None:
    """A moderator's lock is respected: the plan continues in the channel."""
    goal = await stage.ask("one")
    stage.env.backend.edit_channel(
        stage.thread.id, {}, thread_metadata={"archived": True, "locked": True}
    )
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, times=1)
    stage.env.inject_error("PATCH", "/channels/*", status=403, code=50013, times=1)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(6)
    assert any(text.startswith("🧵") for text in stage.answers())


@pytest.mark.asyncio
async def test_a_deleted_channel_stops_its_writer(stage: Stage) -> None:
    """With nowhere to write, the bot gives up this plan; other plans continue."""
    goal = await stage.ask("one")
    stage.env.inject_error("*", "/channels/*/messages*", status=404, code=10003, times=9)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(5)
    entry = stage.bot.journal.goal(goal)
    assert entry is not None
    assert entry.state == "lost"


@pytest.mark.asyncio
async def test_a_temporary_failure_of_discord_loses_nothing(stage: Stage) -> None:
    """A refused edit is tried again after a while, with the state at that time."""
    goal = await stage.ask()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, times=1)
    split = stage.peer.propose(goal, ["a", "b"])
    stage.peer.accept(split)
    await stage.look(1)
    assert "0 of 2" not in stage.message("### 🗺️").content
    await stage.look(8)
    assert "0 of 2" in stage.message("### 🗺️").content


@pytest.mark.asyncio
async def test_a_message_too_old_to_edit_is_replaced(stage: Stage) -> None:
    """After Discord's edit limit for old messages (30046), a new live message is posted."""
    goal = await stage.ask()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=30046, times=1)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(6)
    lives = [text for text in stage.messages() if text.startswith("### 🗺️")]
    assert len(lives) == 2
    assert "0 of 2" in lives[1]


@pytest.mark.asyncio
async def test_a_message_that_discord_always_refuses_blocks_nothing(stage: Stage) -> None:
    """The bot drops a message that Discord refuses a few times; the plan still arrives."""
    goal = await stage.ask()
    stage.env.inject_error("POST", "/channels/*/messages", status=400, code=50035, times=3)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(60)
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(60)
    assert not any(text.startswith("### 🗳️") for text in stage.messages())
    assert stage.messages()[-1] == "The plan."


@pytest.mark.asyncio
async def test_without_access_the_bot_waits_and_then_continues(stage: Stage) -> None:
    """A permission that is missing for a while delays the thread but does not close it."""
    goal = await stage.ask()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=403, code=50001, times=5)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(10)
    result = await stage.asha.slash(stage.thread, "status")
    assert any("I cannot post in its thread" in one.content for one in result.followups)
    await stage.look(600)
    assert "0 of 2" in stage.message("### 🗺️").content
    entry = stage.bot.journal.goal(goal)
    assert entry is not None
    assert entry.state == "live"
