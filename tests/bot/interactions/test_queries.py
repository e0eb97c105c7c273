"""Following and reading: results as they land, pictures, exports, old buttons, metrics."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot.app.metrics_server import make_app
from bot.texts import speaking
from bot.views import picture
from bot.views.posts import Press
from tests.bot.conftest import Stage
from tests.bot.worlds import FakePeer

PNG = b"\x89PNG\r\n"


def size(png: bytes) -> tuple[int, int]:
    """Return a PNG's width and height."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.asyncio
@pytest.mark.parametrize("language", ["en", "ur"])
async def test_any_tree_becomes_a_picture_a_phone_can_show(language: str) -> None:
    """All scripts, hostile titles, many parts: a PNG as wide as a phone, dark or light."""
    peer = FakePeer()
    goal = peer.submit("दो हफ़्ते #show[x] \\ $ ٹوکیو")
    titles = ["টোকিও", "#panic()", "@everyone", "日本", "\u202e reversed"]
    peer.accept(peer.propose(goal, titles))
    peer.finish(goal, peer.plan(goal).root.children[0], "done")
    with speaking(language):
        for dark in (True, False):
            (file,) = await picture.draw(peer.plan(goal), peer.name_of, dark=dark)
            assert file.data.startswith(PNG)
            assert size(file.data)[0] == 1080
            assert file.about


@pytest.mark.asyncio
async def test_results_are_shown_as_they_land(stage: Stage) -> None:
    """Each part's result comes into the thread when it is there, shortened, once."""
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["Tokyo", "Kyoto"]))
    await stage.look()
    stage.peer.finish(goal, stage.peer.plan(goal).root.children[0], "Walk @everyone. " * 400)
    await stage.look(5)
    (message,) = [text for text in stage.messages() if text.startswith("### ✅ 1 Tokyo")]
    assert len(message) <= 2_000
    assert message.endswith("the full text comes with the plan")
    assert "@everyone" not in message
    await stage.restart()
    assert sum(text.startswith("### ✅ 1 Tokyo") for text in stage.messages()) == 1


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
async def test_a_button_of_an_older_version_is_answered(stage: Stage) -> None:
    """Complaint: a click that nothing answers. An unknown button of ours says what to do."""
    await stage.ask()
    message = stage.message("### 🗺️")
    stored = stage.env.backend.get_message(message.channel.id, message.id)
    stored.components[0]["components"][0]["custom_id"] = "leaderless:gone"
    said = await stage.asha.click(message, custom_id="leaderless:gone")
    assert "older version" in said.response.content


@pytest.mark.asyncio
async def test_a_defect_behind_a_button_is_told(stage: Stage) -> None:
    """Complaint: an error told to nobody."""
    await stage.ask()

    def broken(*_: Any) -> None:
        raise KeyError("a defect")

    stage.bot.journal.by_message = broken  # type: ignore[method-assign, assignment]
    said = await stage.asha.click(stage.message("### 🗺️"), custom_id=Press.WHY.value)
    assert "Something went wrong" in said.response.content
    del stage.bot.journal.by_message
    assert "a defect" in str(stage.env.errors)


@pytest.mark.asyncio
async def test_health_says_which_half_is_down_and_metrics_count(stage: Stage) -> None:
    """200 while both halves are up, 503 with the reason otherwise; counters without texts."""
    await stage.ask("secret words")
    async with TestClient(TestServer(make_app(stage.bot))) as client:
        async with client.get("/healthz") as answer:
            assert answer.status == 200
        stage.bot.relay.swarm_down()
        async with client.get("/healthz") as answer:
            assert answer.status == 503
            assert (await answer.json())["swarm"] is False
        async with client.get("/metrics") as answer:
            text = await answer.text()
    assert "leaderless_bot_goals_asked_total" in text
    assert 'leaderless_bot_commands_total{name="plan"}' in text
    assert "secret" not in text
