"""Voting limited to a role, set up and tried in the playground."""

from __future__ import annotations

import pytest

from bot.playground.client import PlaygroundError
from tests.bot.playground.scene import FOR, Scene

pytestmark = pytest.mark.asyncio


async def test_only_people_with_the_chosen_role_vote(scene: Scene) -> None:
    """Only reactions of people with the chosen role count, until everyone can vote again."""
    async with scene.bot():
        state = await scene.people.state()
        roles = {role.name: role.id for role in state.roles}
        assert {p.name: p.roles for p in state.people if p.roles} == {
            "Asha": ["Planners"],
            "Bilal": ["Planners"],
            "Citra": ["Guides"],
        }
        split, _ = await scene.ask()
        with pytest.raises(PlaygroundError, match="names nothing on this server"):
            await scene.people.run_command("Asha", "settings", {"voters": split.author.id})
        chosen = await scene.people.run_command("Asha", "settings", {"voters": roles["Guides"]})
        assert await scene.settled([chosen]) == ["answered"]
        await scene.said("**Guides**", times=2)
        await scene.people.react("Bilal", split, "👍")
        pressed = await scene.people.press("Bilal", split, FOR)
        assert await scene.settled([pressed]) == ["answered"]
        await scene.people.react("Citra", split, "👍")
        await scene.said("people: 👍 1 👎 0")
        everyone = roles["@everyone"]
        opened = await scene.people.run_command("Asha", "settings", {"voters": everyone})
        assert await scene.settled([opened]) == ["answered"]
        await scene.said("people: 👍 2 👎 0")
