"""Ways to ask, what can be chosen, and what is refused with the time to try again."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.goals.quotas import Quotas
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
async def test_asking_too_often_is_refused_with_the_time_to_try_again(stage: Stage) -> None:
    """One person cannot flood a server; the answer says when, and then it works."""
    stage.bot.goals.quotas = Quotas(cooldown_ms=30_000, live_per_person=2)
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
    stage.bot.goals.quotas = replace(stage.bot.goals.quotas, waiting_per_person=0)
    third = await stage.asha.slash(stage.channel, "plan", goal="three")
    assert "the limit of running plans per person (2)" in third.response.content
    assert len(stage.peer.store.plans()) == 3
