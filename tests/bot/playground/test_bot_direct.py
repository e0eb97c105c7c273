"""The real bot in direct messages: asking for a plan, voting and reading it."""

from __future__ import annotations

import pytest

from bot.playground.client import PlaygroundError
from tests.bot.playground.conftest import STARTUP_SECONDS
from tests.bot.playground.scene import FOR, SPLIT, TREE, Scene

pytestmark = pytest.mark.asyncio


async def test_a_plan_lives_in_direct_messages(scene: Scene) -> None:
    """A plan in direct messages is shown to that person only, and votes count there."""
    async with scene.bot(direct=True):
        talk = await scene.people.open_direct("Bilal")
        await scene.people.run_command("Bilal", "plan", {"goal": "A quiet day"}, channel_id=talk.id)
        assert (await scene.said(f"{TREE} A quiet day")).channel_id == talk.id
        (plan,) = scene.peer.store.plans()
        proposal = scene.peer.propose(plan.id, ["Sleep", "Read"])
        await scene.said(SPLIT)
        split = await scene.seeded()
        await scene.people.react("Bilal", split, "👍")
        await scene.said("people: 👍 1 👎 0")
        await scene.people.react("Bilal", split, "👍")
        pressed = await scene.people.press("Bilal", split, FOR)
        assert await scene.settled([pressed]) == ["answered"]
        await scene.people.wait_for(
            lambda state: any("👍 1" in m.content for m in state.messages), seconds=STARTUP_SECONDS
        )
        scene.peer.accept(proposal)
        scene.peer.finish_all(plan.id, "Stay in bed.")
        await scene.said("Stay in bed.")
        state = await scene.people.state()
        assert {m.channel_id for m in state.messages} == {talk.id}


async def test_without_leave_no_plan_is_made_in_direct_messages(scene: Scene) -> None:
    """Without the owner's permission, a command is refused and a message has no effect."""
    async with scene.bot():
        talk = await scene.people.open_direct("Bilal")
        with pytest.raises(PlaygroundError, match="cannot use /plan here"):
            await scene.people.run_command("Bilal", "plan", {"goal": "x"}, channel_id=talk.id)
        await scene.people.send_message("Bilal", "plan my day", channel_id=talk.id)
        await scene.ask("In the open")
        assert len(scene.peer.store.plans()) == 1
