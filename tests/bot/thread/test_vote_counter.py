"""Votes by button and reaction alike, critiques, role-gating, and another split on demand."""

from __future__ import annotations

import re

import pytest

from bot.storage.server_settings import People
from bot.views.posts import Press
from tests.bot.conftest import Stage

pytestmark = pytest.mark.asyncio
FOR, AGAINST = Press.APPROVE.value, Press.REJECT.value


async def test_buttons_vote_like_reactions_and_again_take_it_back(stage: Stage) -> None:
    """One ballot a person and split, whichever way; the latest counts; the answer says so."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    said = await stage.asha.click(message, custom_id=FOR)
    assert said.ephemeral
    assert "Your vote is counted: 👍" in said.response.content
    await stage.asha.click(message, custom_id=AGAINST)
    await stage.asha.react(message, "👍")
    twice = await stage.asha.click(message, custom_id=FOR)
    assert "reaction already counts" in twice.response.content
    await stage.asha.unreact(message, "👍")
    back = await stage.asha.click(message, custom_id=AGAINST)
    assert "taken back" in back.response.content
    assert stage.peer.votes == [
        (split, "approve"), (split, "reject"), (split, "approve"), (split, "reject"),
        (split, "abstain"),
    ]  # fmt: skip


async def test_buttons_live_on_after_a_restart_and_votes_by_them_stay(stage: Stage) -> None:
    """Complaint: buttons dead after a restart. They work, and no vote by them is lost."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    await stage.asha.click(stage.message("### 🗳️"), custom_id=FOR)
    await stage.bilal.react(stage.message("### 🗳️"), "👎")
    await stage.restart()
    tally = stage.peer.plan(goal).root.vote.tallies[split]  # type: ignore[union-attr]
    assert (tally.people_for, tally.people_against) == (1, 1)
    said = await stage.asha.click(stage.message("### 🗳️"), custom_id=FOR)
    assert "taken back" in said.response.content
    assert stage.peer.votes[-1] == (split, "abstain")


async def test_a_vote_whose_time_is_over_is_told_so(stage: Stage) -> None:
    """A click that comes too late is answered, and the buttons are gone from the message."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    stage.peer.accept(split)
    late = await stage.asha.click(message, custom_id=FOR)
    assert "closed" in late.response.content
    await stage.look()
    ids = [b["custom_id"] for row in _rows(stage) for b in row["components"]]
    assert ids == [Press.SAID.value, Press.REPLAN.value]


def _rows(stage: Stage) -> list[dict[str, list[dict[str, str]]]]:
    message = stage.message("### 🗳️")
    stored = stage.env.backend.get_message(message.channel.id, message.id)
    return list(stored.components)


async def test_what_scorers_say_is_shown_on_demand(stage: Stage) -> None:
    """The critiques of a split come by its button, mentioning nobody."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    empty = await stage.bilal.click(stage.message("### 🗳️"), custom_id=Press.SAID.value)
    assert "No scorer" in empty.response.content
    stage.peer.rate(split, "scorer-1")
    said = await stage.bilal.click(stage.message("### 🗳️"), custom_id=Press.SAID.value)
    assert "⭐ 0.80 **scorer-1** ✅: too vague" in said.response.content
    assert not re.search(r"@everyone", said.response.content)


async def test_only_roles_that_may_vote_count(stage: Stage) -> None:
    """With voter_roles set others' reactions and buttons count for nothing, and are told."""
    guild = stage.env.guild
    role = guild.create_role("planners")
    citra = guild.add_member(stage.env.create_user("citra"), roles=[role])
    stage.bot.settings.choose(guild.id, roles=(("planners", "planners"),))
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    assert "Only these roles can vote here: **planners**" in message.content
    refused = await stage.asha.click(message, custom_id=FOR)
    assert "**planners**" in refused.response.content
    await stage.bilal.react(message, "👍")
    assert stage.peer.votes == []
    await citra.react(message, "👍")
    assert stage.peer.votes == [(split, "approve")]
    stage.bot.votes.recount_all()
    await stage.look()
    assert stage.peer.votes == [(split, "approve")]


@pytest.mark.parametrize(("people", "said"), [("advisory", "scorers decide"), ("off", "off")])
async def test_the_policy_for_people_is_shown(stage: Stage, people: People, said: str) -> None:
    """Advisory or switched off: the split's message says so."""
    stage.bot.settings.choose(stage.env.guild.id, people=people)
    goal = await stage.ask()
    stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    assert said in message.content
    assert bool(message.reactions) is (people == "advisory")


async def test_another_split_is_asked_for_and_voted_anew(stage: Stage) -> None:
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


async def test_stopping_by_button_asks_once_more(stage: Stage) -> None:
    """A slip of the thumb stops nothing; the second button does."""
    goal = await stage.ask()
    shown = await stage.asha.click(stage.message("### 🗺️"), custom_id=Press.CANCEL.value)
    stage.peer.pass_time(1)
    assert not stage.peer.plan(goal).final
    await stage.asha.click(shown.response, custom_id=Press.SURE.value)
    stage.peer.pass_time(1)
    assert stage.peer.plan(goal).state == "cancelled"


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
