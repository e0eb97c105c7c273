"""Votes by reaction and by button count alike, if the person's role may vote."""

from __future__ import annotations

import pytest

from bot.storage.server_settings import People
from bot.views.posts import Press
from tests.bot.conftest import Stage

pytestmark = pytest.mark.asyncio
FOR, AGAINST = Press.APPROVE.value, Press.REJECT.value


async def test_buttons_vote_like_reactions_and_a_second_click_takes_the_vote_back(
    stage: Stage,
) -> None:
    """Each person has one ballot per split; the latest vote counts; the answer confirms it."""
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


async def test_buttons_work_after_a_restart_and_their_votes_stay(stage: Stage) -> None:
    """Complaint: buttons dead after a restart. They work, and no vote cast with them is lost."""
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


async def test_a_late_vote_gets_an_answer(stage: Stage) -> None:
    """A click after the decision gets an answer, and the buttons leave the message."""
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


async def test_only_roles_that_may_vote_count(stage: Stage) -> None:
    """With voter_roles set, votes of other people do not count, and the bot tells them so."""
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
    """If people's votes are advisory or switched off, the split's message states it."""
    stage.bot.settings.choose(stage.env.guild.id, people=people)
    goal = await stage.ask()
    stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    assert said in message.content
    assert bool(message.reactions) is (people == "advisory")


async def test_peoples_reactions_vote_and_can_be_taken_back(stage: Stage) -> None:
    """Each person has one ballot per split, the latest; seed reactions and bots do not count."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    assert stage.peer.votes == []
    message = stage.message("### 🗳️")
    await stage.asha.react(message, "👍")
    await stage.bilal.react(message, "👎")
    assert stage.peer.votes == [(split, "approve"), (split, "reject")]
    await stage.look()
    assert "people: 👍 1 👎 1" in stage.message("### 🗳️").content
    await stage.bilal.react(message, "👍")
    await stage.bilal.unreact(message, "👍")
    await stage.asha.unreact(message, "👍")
    await stage.asha.react(message, "🎉")
    assert stage.peer.votes[2:] == [(split, "approve"), (split, "reject"), (split, "abstain")]
    guild = stage.env.guild
    robot = guild.add_member(stage.env.create_user("robot", bot=True))
    await robot.react(message, "👍")
    assert len(stage.peer.votes) == 5


async def test_votes_after_the_decision_change_nothing(stage: Stage) -> None:
    """A reaction to a split whose vote is over does not count."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    stage.peer.accept(split)
    await stage.look()
    await stage.asha.react(stage.message("### 🗳️"), "👍")
    assert stage.peer.votes == []


async def test_votes_cast_and_withdrawn_while_the_bot_was_away_are_counted(stage: Stage) -> None:
    """After a restart, the votes are counted again from Discord's current reactions."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    message = stage.message("### 🗳️")
    await stage.asha.react(message, "👍")
    old = stage.bot.relay
    stage.bot.relay = type(old)(  # a bot that hears nothing: it is away
        journal=stage.bot.journal, chat=stage.bot.chat, people=stage.bot.people
    )
    await stage.asha.unreact(message, "👍")
    await stage.bilal.react(message, "👎🏽")
    stage.bot.relay = old
    assert stage.peer.votes == [(split, "approve")]
    await stage.restart()
    assert sorted(stage.peer.votes[1:]) == [(split, "abstain"), (split, "reject")]
    tally = stage.peer.plan(goal).root.vote.tallies[split]  # type: ignore[union-attr]
    assert (tally.people_for, tally.people_against) == (0, 1)
