"""Long texts are cut into messages in a thread, ahead of need."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from bot import rendering
from bot.thread.story import long_texts, story
from bot.views import page_cache
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from tests.bot.thread.test_story import scene
from tests.bot.worlds import FakePeer

LONG = "## Heading\n\nSome *text*, a [link](https://a.example).\n\n- one\n- two\n\n" * 400


CPU_SECONDS = 0.25
"""A story may take this much computation on the loop: it took 1.5 s once. Time that other
processes take is not counted."""


def a_huge_plan() -> Plan:
    """Return a plan of which every part has a long result."""
    peer = FakePeer()
    goal = peer.submit("Much", policy=Policy(max_children=32, max_nodes=100, max_depth=1))
    peer.accept(peer.propose(goal, [f"Part {n}" for n in range(32)]))
    for number, node in enumerate(peer.plan(goal).root.children):
        peer.finish(goal, node, f"{number} {LONG}")
    peer.cancel(goal, "enough")
    peer.pass_time(1)
    return peer.plan(goal)


@pytest.mark.asyncio
async def test_long_texts_are_set_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long texts are cut in a thread before the story is computed, which is cheap then."""
    plan = a_huge_plan()
    threads = set[int]()
    chunks = rendering.chunks

    def noting(text: str, **settings: Any) -> list[str]:
        threads.add(threading.get_ident())
        return chunks(text, **settings)

    monkeypatch.setattr(page_cache, "chunks", noting)
    posted = [f"result:{node.id.hex()}" for node in plan.root.children]
    await page_cache.set_ahead(long_texts(plan))
    assert threads
    assert threading.get_ident() not in threads
    started = time.thread_time()
    posts = story(plan, scene(), posted)
    assert time.thread_time() - started < CPU_SECONDS
    assert threading.get_ident() not in threads
    assert len(posts) > 20


def test_a_text_that_is_cut_has_a_page_more() -> None:
    """The rest of a text that is too long is not dropped silently: there is one more page."""
    assert len(page_cache.typeset("word " * 100_000, 3)) == 4
    assert len(page_cache.typeset("short", 3)) == 1
    assert page_cache.typeset(" " * 90_000 + "late", 1)[-1] == "…"
