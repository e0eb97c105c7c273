"""The bot in a chat, end to end except for the network: SimCord's Discord and a real store."""

from __future__ import annotations

import re

import pytest

from bot.rendering import MESSAGE_LIMIT, length
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
    """Splits compete and are rated, voted on and accepted; progress shows; the plan is posted."""
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


async def test_long_plans_come_in_messages_that_discord_accepts(stage: Stage) -> None:
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


async def test_after_a_restart_the_bot_edits_the_same_messages(stage: Stage) -> None:
    """Complaint: posted twice after a restart. The bot edits its messages and posts none again."""
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
    """The journal keeps a live goal's record: an empty swarm gets it again after a restart."""
    goal = await stage.ask()
    stage.peer.store = Store("test")
    await stage.restart()
    assert stage.peer.plan(goal).root.title == "Two weeks in Japan"
    assert len(stage.channel.threads) == 1


async def test_a_missing_role_is_named_with_the_remedy_and_the_plan_goes_on(stage: Stage) -> None:
    """The thread names the missing role and how to start it; later, that every peer is online."""
    stage.peer.appear("decomposer", "scorer")
    stage.peer.appear("executor", trouble="model tiny not found")
    await stage.ask()
    assert len(stage.messages()) == 1
    stage.peer.pass_time(7_000)
    await stage.look(6)
    text = stage.message("⚠️").content
    assert "No working **executor** is online" in text
    assert "swarm peer executor" in text
    assert "Only 1 of the 2 **scorers** needed are online" in text
    assert "decomposer" not in text
    assert "executor-1 cannot work: model tiny not found" in text
    stage.peer.appear("scorer-2")
    await stage.look(6)
    assert "scorer" not in stage.message("⚠️").content
    stage.peer.appear("executor")
    await stage.look(6)
    assert stage.message("✅ Every peer the plan needs is online").content
    assert len(stage.messages()) == 2
    goal = stage.peer.store.plans()[0].id
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(8)
    assert stage.messages()[-1] == "The plan."


async def test_a_notice_of_an_agent_that_gives_up_is_shown(stage: Stage) -> None:
    """A notice reaches people: they do not have to guess a failure from silence."""
    stage.peer.appear("decomposer", "scorer", "executor")
    goal = await stage.ask()
    stage.peer.complain(goal, "the model answered @everyone nonsense three times")
    await stage.look()
    assert "scorer-1 says: the model answered @\u200beveryone" in stage.message("📣").content


@pytest.mark.asyncio
async def test_results_are_shown_as_they_arrive(stage: Stage) -> None:
    """Each part's result is posted in the thread once, shortened, when it arrives."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["Tokyo", "Kyoto"]))
    await stage.look()
    stage.peer.finish(goal, stage.peer.plan(goal).root.children[0], "Walk @everyone. " * 400)
    await stage.look(5)
    (message,) = [text for text in stage.messages() if text.startswith("### ✅ 1 Tokyo")]
    assert len(message) <= 2_000
    assert message.endswith("the full text comes with the plan")
    assert "@everyone" not in message
    await stage.restart()
    assert sum(text.startswith("### ✅ 1 Tokyo") for text in stage.messages()) == 1
