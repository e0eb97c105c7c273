"""Ways to ask, what can be chosen, and what is refused with the time to try again."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.goals.antispam import ANSWERS
from bot.goals.options import Care, Options
from bot.goals.quotas import DAY_MS, Quotas, refuse
from bot.storage.journal import GoalEntry
from bot.texts import Text
from swarm.core.policy import MINUTE, Policy
from tests.bot.conftest import Stage

WHEN = re.compile(r"<t:(\d+):R>")


@pytest.mark.asyncio
async def test_without_a_goal_a_form_opens_for_a_long_one(stage: Stage) -> None:
    """The form takes what no command line would, and asks like the command."""
    shown = await stage.asha.slash(stage.channel, "plan")
    assert shown.modal is not None
    long = "Two weeks in Japan.\n\n" + "With grandparents. " * 150
    await stage.asha.submit_modal(shown, {"leaderless:goal": long})
    await stage.look()
    (plan,) = stage.peer.store.plans()
    assert plan.body.text.strip() == long.strip()
    assert stage.answers()[0].startswith("🗺️ **Two weeks in Japan")
    assert len(stage.thread.name) <= 100


@pytest.mark.asyncio
async def test_options_become_the_signed_policy(stage: Stage) -> None:
    """Depth, care and deadline stand in the goal's record, where every peer obeys them."""
    for _ in range(3):
        stage.peer.appear("scorer")
    await stage.asha.slash(
        stage.channel, "plan", goal="x", depth=2, care="careful", deadline=30, language="en",
        parts=12, effort="light",
    )  # fmt: skip
    (plan,) = stage.peer.store.plans()
    assert plan.policy.max_depth == 2
    assert plan.policy.deadline_ms == 30 * MINUTE
    assert plan.policy.vote_window_ms == [3 * MINUTE, MINUTE]
    assert plan.policy.min_score == 0.5
    assert plan.policy.max_nodes == 13
    limits = plan.policy
    assert (limits.max_proposals, limits.max_refinements, limits.max_attempts) == (1, 0, 1)


@given(
    st.sampled_from(Care),
    st.sampled_from([None, 1, 2, 3]),
    st.integers(0, 300),
    st.lists(st.binary(min_size=32, max_size=32), unique=True, max_size=9),
    st.integers(1, 200_000),
)
def test_whatever_is_chosen_makes_a_valid_policy(
    care: Care, depth: int | None, scorers: int, electorate: list[bytes], patience: int
) -> None:
    """No choice contradicts the configured rules."""
    quorum = len(electorate) // 2 + 1
    names = [f"tool-{number}" for number in range(scorers % 9)]
    base = Policy(electorate=electorate, quorum=quorum, patience_ms=patience, capabilities=names)
    policy = Options(care=care, depth=depth, capability="web").policy(base, min(scorers, 250))
    assert "web" in policy.capabilities
    assert policy.quorum >= base.quorum
    assert max(policy.vote_window_ms) <= policy.patience_ms


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
    assert "Say what should be planned" in stage.channel.history()[-1].content
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
async def test_who_shouts_at_the_bot_is_not_helped_to_flood_the_channel(stage: Stage) -> None:
    """Complaint: channel flooded. A few mentions are answered, then silence for a while."""
    me = stage.bot.chat.client.user  # type: ignore[union-attr]
    assert me is not None
    for _ in range(20):
        await stage.bilal.send(stage.channel, f"<@{me.id}>")
    answers = [m for m in stage.channel.history() if m.author.id == me.id]
    assert len(answers) == ANSWERS
    await stage.asha.send(stage.channel, f"<@{me.id}>")
    assert stage.channel.history()[-1].author.id == me.id
    await stage.look(61)
    await stage.bilal.send(stage.channel, f"<@{me.id}>")
    assert stage.channel.history()[-1].author.id == me.id


@pytest.mark.asyncio
async def test_asking_too_often_is_refused_with_the_time_to_try_again(stage: Stage) -> None:
    """One person cannot flood a server; the answer says when, and then it works."""
    stage.bot.quotas = Quotas(cooldown_ms=30_000, live_per_person=2)
    await stage.ask("one")
    early = await stage.asha.slash(stage.channel, "plan", goal="two")
    assert early.ephemeral
    found = WHEN.search(early.response.content)
    assert found is not None
    assert int(found[1]) == (stage.peer.wall_ms + 30_000) // 1000
    await stage.bilal.slash(stage.channel, "plan", goal="another's")
    stage.peer.pass_time(31_000)
    await stage.ask("two")
    stage.peer.pass_time(31_000)
    stage.bot.quotas = replace(stage.bot.quotas, waiting_per_person=0)
    third = await stage.asha.slash(stage.channel, "plan", goal="three")
    assert "You have 2 plans running" in third.response.content
    assert len(stage.peer.store.plans()) == 3


def entry(asker: bytes, ms: int, *, live: bool) -> tuple[GoalEntry, int]:
    """Return a goal asked at a time that ends ten minutes later at the latest."""
    goal = GoalEntry(b"g", 1, 2, asker, ms, state="live" if live else "finished")
    return goal, ms + 10 * MINUTE


@given(
    st.lists(st.tuples(st.sampled_from([b"a", b"b"]), st.integers(0, 2 * DAY_MS), st.booleans())),
    st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 60_000),
)  # fmt: skip
def test_who_waits_as_told_may_ask(
    asked: list[tuple[bytes, int, bool]], own: int, all_: int, daily: int, cooldown: int
) -> None:
    """At the time that a refusal names, that reason is gone, and the next one is later."""
    quotas = Quotas(cooldown, own, all_, daily)
    goals = sorted((entry(who, ms, live=live) for who, ms, live in asked), key=lambda g: g[1])
    now = 2 * DAY_MS
    for _ in range(len(goals) + 4):
        refusal = refuse(quotas, goals, b"a", now)
        if refusal is None:
            break
        assert refusal.again_ms > now or refusal.text in (
            Text.TOO_MANY_YOURS,
            Text.TOO_MANY_HERE,
        )
        now = max(now, refusal.again_ms)
        goals = [
            (g if ends > now else entry(g.asker, g.created_ms, live=False)[0], ends)
            for g, ends in goals
        ]
    else:
        raise AssertionError("refused for ever")


@pytest.mark.asyncio
async def test_direct_messages_are_closed_unless_the_owner_opens_them(stage: Stage) -> None:
    """A message to the bot itself is answered politely, and planned only if that is allowed."""
    user: Any = stage.asha
    closed = await _direct(stage, user, "a week in Leh")
    assert "Ask me in a server" in closed
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
    await mentions.heard(client, message)
    return said[-1]
