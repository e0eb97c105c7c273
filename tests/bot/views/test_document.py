"""The plan's file, in the language of the reader."""

from __future__ import annotations

from bot.texts import speaking
from bot.views.document import answer, document
from tests.bot.worlds import FakePeer


def test_the_file_of_a_plan_speaks_its_language() -> None:
    """The text around what models wrote, and the history, are in Hindi."""
    peer = FakePeer()
    goal = peer.submit("यात्रा")
    peer.accept(peer.propose(goal, ["क", "ख"]))
    first, _ = peer.plan(goal).root.children
    peer.finish(goal, first, "पहला")
    peer.cancel(goal, "बस")
    peer.pass_time(1)
    with speaking("hi"):
        text = document(peer.plan(goal), lambda _: "७")
        assert answer(peer.plan(goal)) in text
    assert "## यह योजना कैसे बनी" in text
    assert "पर तय हुआ: " in text
