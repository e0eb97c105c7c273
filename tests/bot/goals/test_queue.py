"""The queue: goals that wait for room start by themselves, in turn, after restarts too."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.goals.queue import STALE_MS
from bot.goals.quotas import Quotas, starts
from bot.views.posts import Post
from swarm.core.policy import HOUR, MINUTE
from tests.bot.conftest import Stage

WHEN = re.compile(r"<t:(\d+):R>")
LASTS_MS = 10 * MINUTE


def full_after(stage: Stage, person: int, guild: int = 0) -> None:
    """Limit the plans that run at the same time, and switch the cooldown off."""
    stage.bot.goals.quotas = Quotas(cooldown_ms=0, live_per_person=person, live_per_guild=guild)


def titles(stage: Stage) -> list[str]:
    """Return the goals that were asked of the swarm."""
    return [plan.root.title for plan in stage.peer.store.plans()]


async def end(stage: Stage, title: str) -> None:
    """Cancel a plan, and let the bot tell of it and close it."""
    (plan,) = [plan for plan in stage.peer.store.plans() if plan.root.title == title]
    stage.peer.cancel(plan.id, "enough")
    stage.peer.pass_time(1)
    await stage.look(15)


@pytest.mark.asyncio
async def test_a_goal_too_many_waits_and_starts_by_itself(stage: Stage) -> None:
    """The answer names the place and the latest start; then the thread opens like any other."""
    full_after(stage, person=1)
    await stage.ask("one")
    second = await stage.asha.slash(stage.channel, "plan", goal="two")
    assert second.ephemeral
    assert "You have reached the limit of running plans per person (1)." in second.response.content
    assert "number 1 in the queue" in second.response.content
    found = WHEN.search(second.response.content)
    assert found is not None
    (first,) = stage.peer.store.plans()
    assert int(found[1]) == first.deadline_ms // 1000
    await stage.look(30)
    assert titles(stage) == ["one"]
    await end(stage, "one")
    assert titles(stage) == ["one", "two"]
    assert stage.thread.name == "🗺️ two"
    assert stage.answers()[-1].startswith("🗺️ **two**")
    assert stage.bot.journal.waiting() == []


@pytest.mark.asyncio
async def test_the_queue_survives_a_restart_and_keeps_its_order(stage: Stage) -> None:
    """Killed and started again, goals wait on in the same order, each for its own person's room."""
    full_after(stage, person=0, guild=1)
    await stage.ask("one")
    for person, goal in ((stage.bilal, "two"), (stage.asha, "three")):
        await person.slash(stage.channel, "plan", goal=goal)
    await stage.restart()
    await end(stage, "one")
    assert titles(stage) == ["one", "two"]
    await end(stage, "two")
    assert titles(stage) == ["one", "two", "three"]


@pytest.mark.asyncio
async def test_no_goal_waits_behind_one_that_only_its_askers_plans_hold_up(stage: Stage) -> None:
    """Asha's second goal waits for her first; Bilal's goal is taken at once."""
    full_after(stage, person=1)
    await stage.ask("one")
    await stage.asha.slash(stage.channel, "plan", goal="two")
    await stage.bilal.slash(stage.channel, "plan", goal="his")
    assert titles(stage) == ["one", "his"]


@pytest.mark.asyncio
async def test_the_queue_is_bounded_and_says_when_to_ask_again(stage: Stage) -> None:
    """Two may wait for each person; the third is refused with a time, and nothing is kept of it."""
    full_after(stage, person=1)
    stage.bot.goals.quotas = replace(stage.bot.goals.quotas, waiting_per_person=2)
    await stage.ask("one")
    for goal in ("two", "three"):
        await stage.asha.slash(stage.channel, "plan", goal=goal)
    fourth = await stage.asha.slash(stage.channel, "plan", goal="four")
    assert "the limit of queued plans per person (2)" in fourth.response.content
    assert WHEN.search(fourth.response.content)
    assert [entry.goal for entry in stage.bot.journal.waiting()] == ["two", "three"]


@pytest.mark.asyncio
async def test_status_shows_the_queue_and_the_asker_can_leave_it(stage: Stage) -> None:
    """One's own goals with their ids, only the count of others'; the button and /cancel work."""
    full_after(stage, person=1)
    await stage.ask("one")
    shown = await stage.asha.slash(stage.channel, "plan", goal="a secret surprise")
    own = await stage.asha.slash(stage.channel, "status")
    assert "number 1 in the queue · a secret surprise" in own.response.content
    others = await stage.bilal.slash(stage.channel, "status")
    assert "Other people's plans in the queue: 1." in others.response.content
    assert "secret" not in others.response.content
    (waiting,) = stage.bot.journal.waiting()
    refused = await stage.bilal.slash(stage.channel, "cancel", plan=waiting.id.hex()[:8])
    assert "Only the person who asked" in refused.response.content
    left = await stage.asha.click(shown.response, custom_id=f"leaderless:leave:{waiting.id.hex()}")
    assert "Removed from the queue: “a secret surprise”" in left.response.content
    again = await stage.asha.click(shown.response, custom_id=f"leaderless:leave:{waiting.id.hex()}")
    assert "no longer in the queue" in again.response.content
    await end(stage, "one")
    assert titles(stage) == ["one"]


@pytest.mark.asyncio
async def test_a_person_who_waits_is_answered_in_the_language_of_the_goal(stage: Stage) -> None:
    """Discord has no Bengali: the script of the goal tells."""
    full_after(stage, person=1)
    await stage.ask("one")
    told = await stage.asha.slash(stage.channel, "plan", goal="জাপানে দুই সপ্তাহ")
    assert "সারিতে 1 নম্বরে" in told.response.content


@pytest.mark.asyncio
async def test_forget_takes_goals_out_of_the_queue(stage: Stage) -> None:
    """What waits is text of a person: it goes with everything else that is kept of them."""
    full_after(stage, person=1)
    await stage.ask("one")
    await stage.asha.slash(stage.channel, "plan", goal="two")
    await stage.asha.slash(stage.channel, "forget")
    assert stage.bot.journal.waiting() == []


@pytest.mark.asyncio
async def test_a_goal_that_waited_a_day_is_dropped_with_a_message(stage: Stage) -> None:
    """A swarm that was away for days must not surprise people with what they asked long ago."""
    full_after(stage, person=1)
    await stage.ask("one")
    await stage.asha.slash(stage.channel, "plan", goal="two @everyone")
    stage.peer.wall_ms += STALE_MS + HOUR
    await stage.look(6)
    assert stage.bot.journal.waiting() == []
    told = stage.channel.history()[-1].content
    assert told.startswith("⌛")
    assert "two @\u200beveryone" in told


@pytest.mark.asyncio
async def test_each_waiting_goal_starts_once_even_if_two_checks_overlap(stage: Stage) -> None:
    """While one check posts a message, another starts the rest: nothing starts twice."""
    full_after(stage, person=1)
    await stage.ask("one")
    await stage.asha.slash(stage.channel, "plan", goal="old")
    queue, chat = stage.bot.queue, stage.bot.chat
    send = chat.send

    async def slow(channel: int, post: Post, nonce: str) -> int:
        """Somebody asks while this is being sent."""
        if post.key == "queue":
            full_after(stage, person=0)
            await queue.start_ready()
        return await send(channel, post, nonce)

    chat.send = slow  # type: ignore[method-assign]
    stage.peer.wall_ms += STALE_MS + HOUR
    await stage.asha.slash(stage.channel, "plan", goal="new")
    await stage.look(10)
    assert titles(stage) == ["one", "new"]
    assert stage.bot.journal.waiting() == []


@given(
    st.integers(0, 3), st.integers(0, 3),
    st.lists(st.tuples(st.sampled_from([b"a", b"b", b"c"]), st.integers(1, 2 * LASTS_MS))),
    st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=8),
)  # fmt: skip
def test_starts_are_bounds_that_keep_the_limits(
    own: int, all_: int, running: list[tuple[bytes, int]], waiting: list[bytes]
) -> None:
    """If every plan takes its whole time, each waiting one starts when told, within the limits."""
    quotas = Quotas(live_per_person=own, live_per_guild=all_)
    found = starts(quotas, running, [(who, LASTS_MS) for who in waiting], 0)
    begun = [(who, at, at + LASTS_MS) for who, at in zip(waiting, found, strict=True)]
    for who, at, _ in begun:
        live = [one for one in begun if one[1] <= at < one[2]]
        if at > 0:
            old = [one for one, ends in running if ends > at]
            assert not own or sum(one[0] == who for one in live) + old.count(who) <= own
            assert not all_ or len(live) + len(old) <= all_
    for who in set(waiting):
        own_starts = [at for one, at, _ in begun if one == who]
        assert own_starts == sorted(own_starts)
