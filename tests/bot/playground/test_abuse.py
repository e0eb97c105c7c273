"""The real bot over the real wire, with people who abuse it or make mistakes."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from bot.playground.client import PlaygroundError
from bot.playground.wire.limits import THREAD, RateLimiter
from tests.bot.playground.conftest import STARTUP_SECONDS
from tests.bot.playground.scene import AGAINST, FOR, SPLIT, TREE, Scene

pytestmark = pytest.mark.asyncio


async def test_fast_clicking_leaves_one_ballot(scene: Scene) -> None:
    """A person who presses 25 times at once gets an answer each time and has at most one vote."""
    async with scene.bot():
        split, proposal = await scene.ask()
        pressed = [await scene.people.press("Bilal", split, FOR) for _ in range(25)]
        assert await scene.settled(pressed) == ["answered"] * 25
        await scene.said("people: 👍 1 👎 0")
        tally = scene.peer.plan(scene.peer.store.plans()[0].id).root.vote
        assert tally is not None
        assert tally.tallies[proposal].people_for == 1


async def test_a_storm_of_reactions_ends_in_what_stands(scene: Scene) -> None:
    """After 300 toggles, with other emoji in between, the final reactions count."""
    async with scene.bot():
        split, proposal = await scene.ask()
        guild = scene.page.guild
        for number in range(300):
            person = list(guild.people.values())[number % 3]
            emoji = ("👍", "👎", "🎉", "🍌")[number // 3 % 4]
            scene.page.members.react(
                person, int(split.channel_id), int(split.id), emoji, number % 2 == 0
            )
        for person in guild.people.values():
            scene.page.members.react(person, int(split.channel_id), int(split.id), "👍", True)
            scene.page.members.react(person, int(split.channel_id), int(split.id), "👎", False)
        await scene.said("people: 👍 3 👎 0")
        tally = scene.peer.plan(scene.peer.store.plans()[0].id).root.vote
        assert tally is not None
        assert tally.tallies[proposal].people_for == 3


async def test_cleared_reactions_take_the_votes_along(scene: Scene) -> None:
    """When a moderator clears the reactions, their votes are withdrawn."""
    async with scene.bot():
        split, _ = await scene.ask()
        await scene.people.react("Bilal", split, "👍")
        await scene.people.react("Citra", split, "👍")
        await scene.said("people: 👍 2 👎 0")
        await scene.people.clear_reactions("Asha", split)
        state = await scene.people.wait_for(
            lambda state: all("👍 2" not in m.content for m in state.messages),
            seconds=STARTUP_SECONDS,
        )
        assert any(SPLIT in m.content for m in state.messages)


@pytest.mark.parametrize("what", [TREE, SPLIT])
async def test_a_deleted_message_is_sent_afresh(scene: Scene, what: str) -> None:
    """A deleted message that the bot still edits is replaced by a new one, once."""
    async with scene.bot():
        split, _ = await scene.ask()
        state = await scene.people.state()
        victim = next(
            m for m in state.messages if what in m.content and m.channel_id == split.channel_id
        )
        await scene.people.delete_message("Asha", victim)
        scene.peer.accept(scene.peer.propose(scene.peer.store.plans()[0].id, ["a", "b"]))
        await scene.people.wait_for(
            lambda state: any(
                what in m.content and m.id != victim.id and m.channel_id == split.channel_id
                for m in state.messages
            ),
            seconds=STARTUP_SECONDS,
        )


async def test_a_deleted_thread_moves_the_plan_to_the_channel(scene: Scene) -> None:
    """If its thread is deleted, the plan continues in the channel, and the bot says so."""
    async with scene.bot():
        split, proposal = await scene.ask()
        await scene.people.delete_thread("Asha", split.channel_id)
        scene.peer.accept(proposal)
        tree = await scene.said(f"{TREE} A day in Goa")
        assert tree.channel_id == str(scene.page.channel_id)
        scene.peer.finish_all(scene.peer.store.plans()[0].id, "The **whole** plan.")
        await scene.said("The **whole** plan.")


async def test_a_renamed_or_locked_thread_breaks_nothing(scene: Scene) -> None:
    """A renamed thread does not affect the bot; after a lock, the plan ends in the channel."""
    async with scene.bot():
        split, proposal = await scene.ask()
        await scene.people.change_thread("Asha", split.channel_id, name="@everyone look")
        scene.peer.accept(proposal)
        await scene.said("of 2 parts")
        await scene.people.change_thread("Asha", split.channel_id, archived=True, locked=True)
        scene.peer.finish_all(scene.peer.store.plans()[0].id, "Where is this?")
        assert (await scene.said("Where is this?")).content


async def test_editing_a_question_asks_no_second_time(scene: Scene) -> None:
    """A mention that became a goal stays one goal, even if it is edited or deleted."""
    async with scene.bot():
        mention = f"<@{scene.page.guild.bot_id}> a day in Goa"
        question = await scene.people.send_message("Bilal", mention)
        await scene.said(f"{TREE} a day in Goa")
        for number in range(3):
            await scene.people.edit_message("Bilal", question, f"{mention} {number}")
        await scene.people.delete_message("Bilal", question)
        await scene.people.send_message("Citra", f"<@{scene.page.guild.bot_id}> two days in Goa")
        await scene.said(f"{TREE} two days in Goa")
        assert len(scene.peer.store.plans()) == 2


@pytest.mark.parametrize(
    "goal",
    [
        "👨‍👩‍👧‍👦" * 270,
        "e\u0301\u0302\u0303\u0304" * 390,
        "\u202e@everyone [x](https://e.org) ```\n# big" * 40,
        "\u0627\u0644\u0633\u0644\u0627\u0645 " * 270,
    ],
    ids=["families", "combining", "markup", "right-to-left"],
)
async def test_huge_and_odd_goals_are_planned_or_refused(scene: Scene, goal: str) -> None:
    """The longest goals with unusual characters get a thread that mentions nobody."""
    async with scene.bot():
        goal = goal[:1900]
        question = await scene.people.send_message("Bilal", f"<@{scene.page.guild.bot_id}> {goal}")
        state = await scene.people.wait_for(
            lambda state: (
                any(m.reply_to == question.id and not m.loading for m in state.messages)
                and any(TREE in m.content for m in state.messages)
            ),
            seconds=STARTUP_SECONDS,
        )
        ours = [m for m in state.messages if m.author.bot]
        assert not any(m.pings.everyone or m.pings.role_ids for m in ours)
        (thread,) = [c for c in state.channels if c.parent_id]
        assert 0 < len(thread.name) <= 100


async def test_two_bots_on_one_token_do_not_end_each_other(scene: Scene) -> None:
    """Two bots started by mistake both keep running; each opens at most one thread per goal."""
    async with scene.bot("one"), scene.bot("two"):
        scene.page.members.run_command(
            scene.page.guild.people["Asha"], scene.page.channel_id, "plan", {"goal": "Who answers?"}
        )
        await scene.said(f"{TREE} Who answers?")
        started = await scene.people.run_command("Bilal", "status")
        assert await scene.settled([started]) == ["answered"]
        assert len(scene.peer.store.plans()) == 1


async def test_a_vote_in_a_deleted_thread_is_refused(scene: Scene) -> None:
    """Buttons in a deleted thread cannot be pressed, and the bot keeps running."""
    async with scene.bot():
        split, _ = await scene.ask()
        await scene.people.delete_thread("Asha", split.channel_id)
        with pytest.raises(PlaygroundError):
            await scene.people.press("Bilal", split, AGAINST)
        await scene.ask("Another day")


async def test_too_many_threads_delay_a_plan_and_nothing_else(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At Discord's thread limit, the last allowed thread opens at once; the next plan waits."""
    monkeypatch.setattr("bot.discord_api.discord_chat.OPENING_SECONDS", 1.0)
    limits = (dataclasses.replace(THREAD, calls=2),)
    scene.page.rest.limiter = RateLimiter(asyncio.get_running_loop().time, limits)
    async with scene.bot():
        for goal in ("First", "Second"):
            await scene.people.run_command("Bilal", "plan", {"goal": goal})
            await scene.said(f"{TREE} {goal}")
        await scene.people.run_command("Citra", "plan", {"goal": "Third"})
        await scene.said("Third")
        asked = await scene.people.run_command("Citra", "status", {"plan": "Third"})
        assert await scene.settled([asked]) == ["answered"]
        state = await scene.people.state()
        assert sum(c.parent_id is not None for c in state.channels) == 2
