"""Commands that only look: status, why, pictures, exports, what scorers think."""

from __future__ import annotations

import json
import re

import pytest

from bot.views.posts import Press
from tests.bot.conftest import Stage
from tests.bot.thread.test_relay import MENTION


@pytest.mark.asyncio
async def test_picture_and_export_on_demand(stage: Stage) -> None:
    """`/picture`, its button, and `/export` answer with files that only the asker sees."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look()
    drawn = await stage.bilal.slash(stage.thread, "picture", dark=False)
    (file,) = drawn.response.attachments
    assert file.filename == "tree-light.png"
    clicked = await stage.bilal.click(stage.message("### 🗺️"), custom_id=Press.PICTURE.value)
    assert clicked.response.attachments[0].filename == "tree-dark.png"
    given = await stage.bilal.slash(stage.thread, "export")
    files = {one.filename: one for one in given.response.attachments}
    assert sorted(files) == ["plan.json", "plan.md", "tree-dark.png", "tree-light.png"]
    view = json.loads(await files["plan.json"].read())
    assert view["goal"] == goal.hex()


@pytest.mark.asyncio
async def test_only_the_person_who_asked_sees_the_answers_of_status_why_peers_and_help(
    stage: Stage,
) -> None:
    """The small commands answer ephemerally, in a thread about its plan."""
    stage.peer.appear("decomposer", "scorer", "executor")
    nothing = await stage.asha.slash(stage.channel, "status")
    assert "Nobody has asked" in nothing.response.content
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["Tokyo @everyone", "Kyoto"]))
    stage.peer.finish(goal, stage.peer.plan(goal).root.children[0], "done")
    await stage.look(5)
    listed = await stage.asha.slash(stage.channel, "status")
    assert goal.hex()[:8] in listed.response.content
    inside = await stage.asha.slash(stage.thread, "status")
    assert "1 of 2 parts finished" in inside.response.content
    whole = await stage.bilal.slash(stage.thread, "why")
    assert "scorer-1 rates it 0.80 and has approved it since <t:" in whole.response.content
    part = await stage.bilal.slash(stage.thread, "why", part="1")
    assert "claimed by executor-1" in part.response.content
    unknown = await stage.bilal.slash(stage.thread, "why", part="7.1")
    assert "There is no part" in unknown.response.content
    peers = await stage.asha.slash(stage.channel, "peers")
    assert "**executor-1** · executor · tiny" in peers.response.content
    helped = await stage.asha.slash(stage.channel, "help")
    assert "/plan" in helped.response.content
    for result in (listed, inside, whole, part, unknown, peers, helped):
        assert result.ephemeral
        assert not MENTION.search(result.response.content)


@pytest.mark.asyncio
async def test_what_scorers_say_is_shown_on_demand(stage: Stage) -> None:
    """The critiques of a split come by its button, mentioning nobody."""
    goal = await stage.ask()
    split = stage.peer.propose(goal, ["a", "b"])
    await stage.look()
    empty = await stage.bilal.click(stage.message("### 🗳️"), custom_id=Press.SAID.value)
    assert "No scorer" in empty.response.content
    stage.peer.rate(split, "scorer-1")
    said = await stage.bilal.click(stage.message("### 🗳️"), custom_id=Press.SAID.value)
    assert "⭐ 0.80 **scorer-1** ✅: too vague" in said.response.content
    assert not re.search(r"@everyone", said.response.content)
