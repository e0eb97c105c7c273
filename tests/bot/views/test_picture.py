"""The picture of a plan's tree."""

from __future__ import annotations

import struct
import threading
from typing import Any

import pytest

from bot.texts import speaking
from bot.views import picture
from tests.bot.conftest import Stage
from tests.bot.worlds import FakePeer


@pytest.mark.asyncio
async def test_pictures_are_drawn_in_a_thread(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end, for dark and light screens, and on demand."""
    drawn: list[int] = []

    def render(shown: dict[str, Any]) -> bytes:
        drawn.append(threading.get_ident())
        return b"png"

    monkeypatch.setattr(picture, "render", render)
    monkeypatch.setattr(picture, "_drawn", {})
    goal = await stage.ask()
    stage.peer.accept(stage.peer.propose(goal, ["a", "b"]))
    await stage.look(5)
    for _ in range(3):
        # The same tree is drawn once, however often somebody asks.
        await stage.asha.slash(stage.thread, "picture")
    stage.peer.finish_all(goal, "The plan.")
    await stage.look(8)
    names = [file.filename for file in stage.thread.history()[-1].attachments]
    assert names == ["plan.md", "plan.json", "tree-dark.png", "tree-light.png"]
    assert len(drawn) == 3
    assert threading.get_ident() not in drawn


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
