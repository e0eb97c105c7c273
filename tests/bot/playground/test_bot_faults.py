"""The real bot under the playground's faults: nothing is lost and nothing is posted twice."""

from __future__ import annotations

import pytest

from bot.playground.faults import FAULTS
from tests.bot.playground.conftest import STARTUP_SECONDS
from tests.bot.playground.scene import SPLIT, TREE, Scene

FINAL = {"intents"}
"""Faults that stop the bot, as they should, because its operator must act."""

QUICK = {"cut", "garbage", "lost"}
"""The faults that the main suite has time for."""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if fault in QUICK else pytest.mark.slow)
        for fault in FAULTS
        if fault not in FINAL
    ],
)
async def test_after_a_fault_the_plan_is_shown_completely_and_once(
    scene: Scene, fault: str
) -> None:
    """After a fault in mid-plan, the tree, the splits, votes and the plan still arrive, once."""
    async with scene.bot():
        split, first = await scene.ask()
        await scene.people.react("Bilal", split, "👍")
        await scene.people.inject_fault(fault)
        (plan,) = scene.peer.store.plans()
        scene.peer.propose(plan.id, ["North", "South"], lens="map", who="decomposer-2")
        await scene.people.react("Citra", split, "👍")
        await scene.said("people: 👍 2 👎 0")
        await scene.said(SPLIT, times=2)
        scene.peer.accept(first)
        scene.peer.finish_all(plan.id, "All of Goa in a day.")
        await scene.said("All of Goa in a day.")
        state = await scene.people.wait_for(
            lambda state: any(TREE in m.content and "✅" in m.content for m in state.messages),
            seconds=STARTUP_SECONDS,
        )
        told = [m.content for m in state.messages if m.channel_id == split.channel_id]
        assert sum(TREE in text for text in told) == 1
        assert sum("All of Goa" in text for text in told) == 1
