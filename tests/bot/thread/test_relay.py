"""The bot in a chat, end to end but for the network: SimCord's Discord, a real store."""

from __future__ import annotations

import re
from dataclasses import replace

import discord
import pytest

from bot.rendering import MESSAGE_LIMIT, length
from bot.storage.journal import GoalEntry
from bot.swarm_link.swarm_guest import GuestState
from swarm.core.fold.reasons import Cancelled
from swarm.core.store.store import Store
from tests.bot.conftest import Stage

pytestmark = pytest.mark.asyncio

LONG_PLAN = "\n\n".join(
    [
        "## Week one",
        *(f"Day {day}: walk, eat and rest. " * 12 for day in range(1, 8)),
        "```python\n" + "\n".join(f"print('line {number}')" for number in range(150)) + "\n```",
        "Ask @everyone and <@123456789012345678>, see [bank.example](https://evil.example).",
    ]
)
MENTION = re.compile(r"@(everyone|here|[!&]?\d)")


def edits(stage: Stage) -> int:
    """Count the edits of messages so far, the command's own answer apart."""
    return sum(r.method == "PATCH" and "/webhooks/" not in r.path for r in stage.env.http_requests)


async def test_a_goal_gets_a_thread_with_one_live_message(stage: Stage) -> None:
    """`/plan` answers in the channel, opens a thread from the answer, and shows the tree there."""
    stage.peer.appear("decomposer", "scorer", "executor")
    await stage.ask("Two weeks in Japan")
    (answer,) = stage.answers()
    assert answer.startswith("🗺️ **Two weeks in Japan**")
    assert stage.thread.name == "🗺️ Two weeks in Japan"
    (live,) = stage.messages()
    assert live.startswith("### 🗺️ Two weeks in Japan")
    assert "waiting" in live


async def test_the_whole_story_of_a_plan(stage: Stage) -> None:
    """Splits compete, are rated, voted and accepted; work shows; the plan ends up as messages."""
    stage.peer.appear("decomposer", "scorer", "executor")
    goal = await stage.ask()
    one = stage.peer.propose(goal, ["Tokyo", "Kyoto"], lens="place")
    stage.peer.propose(goal, ["Food", "Temples"], lens="activity", who="decomposer-2")
    await stage.look()
    place, activity = (
        stage.message("### 🗳️ Split by place"),
        stage.message("### 🗳️ Split by activity"),
    )
    assert "1. **Tokyo**" in place.content
    assert [str(r.emoji) for r in place.reactions] == ["👍", "👎"]
    stage.peer.rate(one, "scorer-1", score=0.9)
    await stage.look()
    assert (
        "⭐ 0.90 from 1 scorer · approvals: 1, needed: 2"
        in stage.message("### 🗳️ Split by place").content
    )
    stage.peer.rate(one, "scorer-2", score=0.7)
    await stage.look()
    assert (
        "✅ **Accepted**: first to get 2 approvals (2 from scorers, 0 from people)"
        in stage.message("### 🗳️ Split by place").content
    )
    assert (
        "▫️ **Not chosen**: another split was accepted (this one: 0 from scorers, 0 from people)"
        in stage.message("### 🗳️ Split by activity").content
    )
    assert activity.id == stage.message("### 🗳️ Split by activity").id
    tokyo, _ = stage.peer.plan(goal).root.children
    claim = stage.peer.claim(goal, tokyo)
    stage.peer.progress(goal, tokyo, claim, 40)
    await stage.look()
    live = stage.message("### 🗺️").content
    assert "🔨 **1** Tokyo · in progress, 40 %, by executor-1" in live
    assert "0 of 2 parts finished" in live
    stage.peer.finish_all(goal, "## Week one\n\nGo to **Tokyo**.", draft=True)
    await stage.look(6)
    live = stage.message("### 🗺️").content
    assert "2 of 2 parts finished" in live
    assert "✅ done" in live
    head, page = stage.messages()[-2:]
    assert head.startswith("✅ **The plan is ready.**")
    assert "A small model wrote this draft" in head
    assert page == "## Week one\nGo to **Tokyo**."
    assert "✅ done" in stage.answers()[0]
    files = [file.filename for file in stage.thread.history()[-1].attachments]
    assert files == ["plan.md", "plan.json", "tree-dark.png", "tree-light.png"]
    assert stage.bot.journal.live() == []


async def test_long_plans_come_in_messages_that_discord_takes(stage: Stage) -> None:
    """Complaints: over 2,000 characters, a code block cut in two, @everyone from model text."""
    goal = await stage.ask("@everyone plan **this** [x](https://evil.example)" + " and more" * 60)
    stage.peer.accept(
        stage.peer.propose(goal, ["@everyone", "<@123456789012345678>"], detail="@here " * 90)
    )
    stage.peer.finish_all(goal, LONG_PLAN)
    await stage.look(8)
    messages = [*stage.messages(), *stage.answers()]
    assert len(messages) > 5
    for message in messages:
        assert length(message) <= MESSAGE_LIMIT
        assert message.count("```") % 2 == 0
        assert not MENTION.search(message)
    for message in stage.thread.history():
        assert not message.mention_everyone
        assert not message.mentions
    assert len(stage.thread.name) <= 100


async def test_peoples_reactions_vote_and_can_be_taken_back(stage: Stage) -> None:
    """One ballot a person and split, the latest counts; seeds and other bots never do."""
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
    """A reaction to a split whose vote is over is no ballot."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    stage.peer.accept(split)
    await stage.look()
    await stage.asha.react(stage.message("### 🗳️"), "👍")
    assert stage.peer.votes == []


async def test_a_restart_goes_on_in_the_same_messages(stage: Stage) -> None:
    """Complaint: posted twice after a restart. Everything is edited on, nothing is new."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    before = [message.id for message in stage.thread.history()]
    await stage.restart()
    assert [message.id for message in stage.thread.history()] == before
    stage.peer.accept(split)
    await stage.look()
    assert [message.id for message in stage.thread.history()] == before
    assert "Accepted" in stage.message("### 🗳️").content
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(6)
    await stage.restart()
    assert stage.messages().count("The plan.") == 1
    assert len(stage.channel.threads) == 1


async def test_a_goal_that_no_other_peer_has_survives_a_kill(stage: Stage) -> None:
    """The journal keeps a live goal's record: an empty swarm learns it again after a restart."""
    goal = await stage.ask()
    stage.peer.store = Store("test")
    await stage.restart()
    assert stage.peer.plan(goal).root.title == "Two weeks in Japan"
    assert len(stage.channel.threads) == 1


async def test_a_message_that_was_sent_but_not_noted_is_found_again(stage: Stage) -> None:
    """Killed between sending and noting it: the next run adopts the message, and edits it on."""
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


async def test_killed_before_anything_was_posted_the_thread_opens_later(stage: Stage) -> None:
    """A goal that was noted but never shown gets its message and thread from the next run."""
    goal = stage.peer.submit("Early kill")
    raw = stage.peer.plan(goal).goal.raw
    entry = GoalEntry(
        goal, stage.env.guild.id, stage.channel.id, b"\x01" * 32, stage.peer.now(), record=raw
    )
    stage.bot.journal.open_goal(entry)
    await stage.restart()
    assert stage.answers()[0].startswith("🗺️ **Early kill**")
    assert stage.messages()[0].startswith("### 🗺️ Early kill")


async def test_votes_cast_and_withdrawn_while_the_bot_was_away_are_counted(stage: Stage) -> None:
    """After a restart Discord's own state says how people vote."""
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


async def test_a_storm_of_changes_makes_at_most_one_edit_a_second(stage: Stage) -> None:
    """Complaint: edit storm. Sixty changes in twenty seconds coalesce; the last one is shown."""
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


async def test_a_missing_role_is_named_with_the_remedy_and_the_plan_goes_on(stage: Stage) -> None:
    """Who is missing and how to start one stands in the thread; later, that all is well."""
    stage.peer.appear("decomposer", "scorer")
    stage.peer.appear("executor", trouble="model tiny not found")
    await stage.ask()
    assert len(stage.messages()) == 1
    stage.peer.pass_time(7_000)
    await stage.look(6)
    text = stage.message("⚠️").content
    assert "No working **executor** is online" in text
    assert "swarm peer executor" in text
    assert "scorer" not in text
    assert "executor-1 cannot work: model tiny not found" in text
    stage.peer.appear("executor")
    await stage.look(6)
    assert stage.message("✅ Every peer the plan needs is online").content
    assert len(stage.messages()) == 2
    goal = stage.peer.store.plans()[0].id
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(8)
    assert stage.messages()[-1] == "The plan."


async def test_what_agents_say_when_they_give_up_is_shown(stage: Stage) -> None:
    """A notice reaches people; silence is never the only sign."""
    stage.peer.appear("decomposer", "scorer", "executor")
    goal = await stage.ask()
    stage.peer.complain(goal, "the model answered @everyone nonsense three times")
    await stage.look()
    assert "scorer-1 says: the model answered @\u200beveryone" in stage.message("📣").content


async def test_only_who_asked_or_a_moderator_can_cancel(stage: Stage) -> None:
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


async def test_a_moderator_cancels_by_id(stage: Stage) -> None:
    """Manage Messages is enough, and the plan can be named from anywhere in the server."""
    goal = await stage.ask()
    guild = stage.env.guild
    role = guild.create_role("mods", permissions=discord.Permissions(manage_messages=True))
    moderator = guild.add_member(stage.env.create_user("mod"), roles=[role])
    await moderator.slash(stage.channel, "cancel", plan=goal.hex()[:8])
    stage.peer.pass_time(1)
    assert stage.peer.plan(goal).reason == Cancelled("cancelled by a moderator")


async def test_status_why_peers_and_help_answer_only_who_asked(stage: Stage) -> None:
    """The small commands answer ephemerally, in a thread about its plan."""
    stage.peer.appear("decomposer", "scorer", "executor")
    nothing = await stage.asha.slash(stage.channel, "status")
    assert "Nobody has asked" in nothing.response.content
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["Tokyo @everyone", "Kyoto"]))
    stage.peer.finish(goal, stage.peer.plan(goal).root.children[0], "done")
    await stage.look(5)
    listed = await stage.asha.slash(stage.channel, "status")
    assert goal.hex()[:8] in listed.response.content
    inside = await stage.asha.slash(stage.thread, "status")
    assert "1 of 2 parts finished" in inside.response.content
    whole = await stage.bilal.slash(stage.thread, "why")
    assert "scorer-1 rates it 0.80 and has approved it since <t:" in whole.response.content
    part = await stage.bilal.slash(stage.thread, "why", part="1")
    assert "claimed by executor-1" in part.response.content
    unknown = await stage.bilal.slash(stage.thread, "why", part="7.1")
    assert "There is no part" in unknown.response.content
    peers = await stage.asha.slash(stage.channel, "peers")
    assert "**executor-1** · executor · tiny" in peers.response.content
    helped = await stage.asha.slash(stage.channel, "help")
    assert "/plan" in helped.response.content
    for result in (listed, inside, whole, part, unknown, peers, helped):
        assert result.ephemeral
        assert not MENTION.search(result.response.content)


async def test_a_missing_permission_is_named_before_anything_happens(stage: Stage) -> None:
    """Nothing is submitted when the thread could not be opened."""
    everyone = stage.env.guild.default_role
    channel = stage.env.guild.create_text_channel(
        "locked", overwrites={everyone: discord.PermissionOverwrite(create_public_threads=False)}
    )
    result = await stage.asha.slash(channel, "plan", goal="x")
    assert "missing these permissions: **Create Public Threads**" in result.response.content
    assert result.ephemeral
    assert stage.peer.store.plans() == []


async def test_asking_while_the_swarm_is_down_says_so(stage: Stage) -> None:
    """No goal is lost in a gap: the person is told to ask again."""
    stage.bot.relay.swarm_down()
    result = await stage.asha.slash(stage.channel, "plan", goal="x")
    assert "still joining the swarm" in result.response.content
    stage.bot.guest.state = GuestState(reason="disk full")
    result = await stage.asha.slash(stage.channel, "plan", goal="x")
    assert result.ephemeral
    assert "disk full" in result.response.content
    stage.bot.relay.swarm_up(stage.peer)
    await stage.ask("y")
    assert len(stage.channel.threads) == 1


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


async def test_a_deleted_thread_is_left_for_the_channel(stage: Stage) -> None:
    """With the thread gone the plan goes on in the channel, in few messages and with a word."""
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


async def test_a_locked_thread_is_left_too(stage: Stage) -> None:
    """A moderator's lock is respected: nothing is forced open."""
    goal = await stage.ask("one")
    stage.env.backend.edit_channel(
        stage.thread.id, {}, thread_metadata={"archived": True, "locked": True}
    )
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50083, times=1)
    stage.env.inject_error("PATCH", "/channels/*", status=403, code=50013, times=1)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(6)
    assert any(text.startswith("🧵") for text in stage.answers())


async def test_a_deleted_channel_ends_its_writer(stage: Stage) -> None:
    """With nowhere to write the bot stops trying; other plans go on."""
    goal = await stage.ask("one")
    stage.env.inject_error("*", "/channels/*/messages*", status=404, code=10003, times=9)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(5)
    entry = stage.bot.journal.goal(goal)
    assert entry is not None
    assert entry.state == "lost"


async def test_a_passing_failure_of_discord_loses_nothing(stage: Stage) -> None:
    """A refused edit is tried again after a while, with what is true then."""
    goal = await stage.ask()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, times=1)
    split = stage.peer.propose(goal, ["a", "b"])
    stage.peer.accept(split)
    await stage.look(1)
    assert "0 of 2" not in stage.message("### 🗺️").content
    await stage.look(8)
    assert "0 of 2" in stage.message("### 🗺️").content


async def test_a_message_too_old_to_edit_is_replaced(stage: Stage) -> None:
    """Discord's edit limit for old messages (30046) makes a fresh live message."""
    goal = await stage.ask()
    stage.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=30046, times=1)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(6)
    lives = [text for text in stage.messages() if text.startswith("### 🗺️")]
    assert len(lives) == 2
    assert "0 of 2" in lives[1]


async def test_a_message_that_discord_refuses_for_good_blocks_nothing(stage: Stage) -> None:
    """One message that cannot be posted is given up after a few tries; the plan still arrives."""
    goal = await stage.ask()
    stage.env.inject_error("POST", "/channels/*/messages", status=400, code=50035, times=3)
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(60)
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(60)
    assert not any(text.startswith("### 🗳️") for text in stage.messages())
    assert stage.messages()[-1] == "The plan."


async def test_without_access_it_waits_and_goes_on(stage: Stage) -> None:
    """A permission taken away for a while delays the thread, and is no reason to forget it."""
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


async def test_a_defect_in_a_command_is_told_to_the_person(stage: Stage) -> None:
    """Complaint: "The application did not respond". Whatever breaks, an answer comes."""

    def broken(*_: object, **__: object) -> bytes:
        raise KeyError("a defect")

    stage.peer.submit = broken  # type: ignore[method-assign]
    result = await stage.asha.slash(stage.channel, "plan", goal="x")
    assert any(
        "Something went wrong in the bot" in f.content for f in [result.response, *result.followups]
    )
    assert "a defect" in str(stage.env.errors)
