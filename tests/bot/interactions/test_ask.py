"""Asking with /plan: the form, and what is refused with the time to try again."""

from __future__ import annotations

import re
from dataclasses import replace

import discord
import pytest

from bot.goals.quotas import Quotas
from bot.swarm_link.swarm_guest import GuestState
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


@pytest.mark.asyncio
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


@pytest.mark.asyncio
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
