"""Starting goals in the swarm, however many there were before."""

from __future__ import annotations

import pytest

from swarm.core.clock import Stamp
from swarm.core.policy import HOUR, MINUTE, Policy
from swarm.core.records import Goal, sign
from swarm.core.store.limits import Limits
from tests.bot.conftest import Stage


def fill(stage: Stage, count: int, *, lasts_ms: int) -> None:
    """Let the bot have asked for many goals an hour ago."""
    peer = stage.peer
    policy = Policy(deadline_ms=lasts_ms)
    peer.store.advance(peer.wall_ms)
    for number in range(count):
        stamp = Stamp(peer.wall_ms - HOUR + number)
        goal = Goal(stamp=stamp, swarm="test", text=f"goal {number}", policy=policy)
        peer.store.add_record(sign(goal, peer.key), peer.wall_ms)


@pytest.mark.asyncio
@pytest.mark.parametrize("count", [1_000, 1_001, 5_000])
async def test_a_bot_with_a_long_history_is_asked_for_one_more(stage: Stage, count: int) -> None:
    """The bot is one asker for all its servers: what has ended never stops the next plan."""
    fill(stage, count, lasts_ms=MINUTE)
    await stage.ask("Two weeks in Japan")
    assert stage.answers()[0].startswith("🗺️ **Two weeks in Japan")
    assert len(stage.peer.store.live_plans()) == 1


@pytest.mark.asyncio
async def test_a_bot_with_too_many_live_goals_says_so(stage: Stage) -> None:
    """The person learns why, and when it works again; nothing is stored or submitted."""
    most = Limits().goals_per_author
    fill(stage, most, lasts_ms=5 * HOUR)
    result = await stage.asha.slash(stage.channel, "plan", goal="Two weeks in Japan")
    await stage.look()
    assert f"keeps {most:,} of one peer" in result.response.content
    assert len(stage.peer.store.live_plans()) == most
    assert not stage.bot.journal.asked_since(stage.env.guild.id, 0)
