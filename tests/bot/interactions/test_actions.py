"""Commands and buttons that change something: cancel, another split, forget."""

from __future__ import annotations

import discord
import pytest

from bot.views.posts import Press
from swarm.core.fold.reasons import Cancelled
from tests.bot.conftest import Stage
from tests.bot.thread.test_vote_counter import AGAINST, FOR


@pytest.mark.asyncio
async def test_only_the_asker_or_a_moderator_can_cancel(stage: Stage) -> None:
    """Bilal may not; Asha may; the thread says so and keeps what there is."""
    goal = await stage.ask()
    refused = await stage.bilal.slash(stage.thread, "cancel")
    assert refused.ephemeral
    assert "Only the person who asked" in refused.response.content
    assert not stage.peer.plan(goal).final
    taken = await stage.asha.slash(stage.thread, "cancel")
    assert "cancelled" in taken.response.content
    stage.peer.pass_time(1)
    await stage.look()
    assert stage.peer.plan(goal).state == "cancelled"
    assert stage.messages()[-1].startswith("🚫 **The plan was cancelled**")


@pytest.mark.asyncio
async def test_a_moderator_cancels_by_id(stage: Stage) -> None:
    """Manage Messages is enough, and the plan can be named from anywhere in the server."""
    goal = await stage.ask()
    guild = stage.env.guild
    role = guild.create_role("mods", permissions=discord.Permissions(manage_messages=True))
    moderator = guild.add_member(stage.env.create_user("mod"), roles=[role])
    await moderator.slash(stage.channel, "cancel", plan=goal.hex()[:8])
    stage.peer.pass_time(1)
    assert stage.peer.plan(goal).reason == Cancelled("cancelled by a moderator")


@pytest.mark.asyncio
async def test_another_split_is_asked_for_and_voted_on_again(stage: Stage) -> None:
    """`/replan` sets the accepted split aside, says so, and the next one wins in its turn."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"], lens="place"))
    await stage.look()
    refused = await stage.bilal.slash(stage.thread, "replan", reason="shorter")
    assert "Only the person who asked" in refused.response.content
    taken = await stage.asha.slash(stage.thread, "replan", reason="shorter @everyone")
    assert "asked for another split" in taken.response.content
    await stage.look(5)
    old = stage.message("### 🗳️ Split by place").content
    assert "🔁 **Set aside**: another split was requested: shorter" in old
    assert "@everyone" not in old
    again = await stage.asha.slash(stage.thread, "replan")
    assert "has not been decided yet" in again.response.content
    stage.peer.pass_time(10)
    stage.peer.accept(stage.peer.propose(goal, ["c", "d"], lens="day", who="decomposer-2"))
    await stage.look(5)
    new = stage.message("### 🗳️ Split by day").content
    assert "-# new vote:" in new
    assert "✅ **Accepted**" in new
    assert [n.title for n in stage.peer.plan(goal).root.children] == ["c", "d"]
    stage.peer.finish_all(goal, "The plan.")
    done = await stage.asha.slash(stage.thread, "replan")
    assert "has already ended" in done.response.content


@pytest.mark.asyncio
async def test_another_split_by_button_asks_what_should_be_different(stage: Stage) -> None:
    """The button under the accepted split opens a form; the wish is signed into the record."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look()
    message = stage.message("### 🗳️")
    other = await stage.bilal.click(message, custom_id=Press.REPLAN.value)
    assert "Only the person who asked" in other.response.content
    shown = await stage.asha.click(message, custom_id=Press.REPLAN.value)
    await stage.asha.submit_modal(shown, {"leaderless:wish": "fewer parts"})
    (past,) = stage.peer.plan(goal).root.rounds
    assert past.reason == "fewer parts"


@pytest.mark.asyncio
async def test_stopping_by_button_asks_once_more(stage: Stage) -> None:
    """A slip of the thumb stops nothing; the second button does."""
    goal = await stage.ask()
    shown = await stage.asha.click(stage.message("### 🗺️"), custom_id=Press.CANCEL.value)
    stage.peer.pass_time(1)
    assert not stage.peer.plan(goal).final
    await stage.asha.click(shown.response, custom_id=Press.SURE.value)
    stage.peer.pass_time(1)
    assert stage.peer.plan(goal).state == "cancelled"


@pytest.mark.asyncio
async def test_forget_takes_votes_back_and_removes_the_person(stage: Stage) -> None:
    """`/forget`: no vote of mine counts, no hash of mine is kept, plans go on."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    await stage.asha.click(stage.message("### 🗳️"), custom_id=FOR)
    await stage.bilal.click(stage.message("### 🗳️"), custom_id=AGAINST)
    told = await stage.asha.slash(stage.channel, "privacy")
    assert "/forget" in told.response.content
    done = await stage.asha.slash(stage.channel, "forget")
    assert "Votes taken back: 1. Plans no longer linked to you: 1." in done.response.content
    tally = stage.peer.plan(goal).root.vote.tallies[split]  # type: ignore[union-attr]
    assert (tally.people_for, tally.people_against) == (0, 1)
    entry = stage.bot.journal.goal(goal)
    assert entry is not None
    assert entry.asker == b""
    assert list(stage.bot.journal.pressed(split).values()) == ["reject"]
    refused = await stage.asha.slash(stage.thread, "cancel")
    assert "Only the person who asked" in refused.response.content
