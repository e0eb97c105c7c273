"""Complaint: the event loop blocked for seconds by a slow call. Ours are not, and it would show."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import structlog

from bot import metrics, rendering
from bot.app.watchdog import Watchdog
from bot.storage.journal import GoalEntry, Journal
from bot.thread.story import long_texts, story
from bot.views import page_cache, picture
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from tests.bot.conftest import Stage
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
    """Before a story is told its long texts are set elsewhere; telling it is cheap then."""
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
    posts = story(plan, scene(), posted, 0)
    assert time.thread_time() - started < CPU_SECONDS
    assert threading.get_ident() not in threads
    assert len(posts) > 20


def test_a_long_text_is_told_to_be_longer() -> None:
    """What was not read of a text is not lost without a word: there is one more page."""
    assert len(page_cache.typeset("word " * 100_000, 3)) == 4
    assert len(page_cache.typeset("short", 3)) == 1
    assert page_cache.typeset(" " * 90_000 + "late", 1)[-1] == "…"


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


def test_no_commit_of_the_journal_waits_for_the_disk(tmp_path: Path) -> None:
    """SQLite syncs only when it writes its log back, and that is left to a thread."""
    path = tmp_path / "journal.sqlite3"
    with Journal(path) as journal:
        for number in range(1_500):
            journal.open_goal(GoalEntry(number.to_bytes(32), 1, 2, b"", number, record=b"r" * 900))
        grown = path.with_name(path.name + "-wal").stat().st_size
        assert grown > 2_000_000
        assert path.stat().st_size < grown
        thread = threading.Thread(target=journal.checkpoint)
        thread.start()
        thread.join()
        journal.put("a", "b")
        assert path.stat().st_size > 1_500_000
        assert path.with_name(path.name + "-wal").stat().st_size == grown
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM goals").fetchone() == (1_500,)
    db.close()


def held_up_here() -> None:
    """Block as a slow call would."""
    time.sleep(0.4)


@pytest.mark.asyncio
async def test_a_blocked_loop_is_told_with_the_line_that_blocks_it() -> None:
    """The log names the call while it lasts, the metrics count it, and once is enough."""
    before = metrics.BLOCKED._value.get()
    with structlog.testing.capture_logs() as logs:
        dog = asyncio.create_task(Watchdog(beat_seconds=0.01, blocked_seconds=0.1).run())
        await asyncio.sleep(0.05)
        held_up_here()
        await asyncio.sleep(0.05)
        dog.cancel()
        await asyncio.gather(dog, return_exceptions=True)
    said = [one for one in logs if one["event"] == "event_loop_blocked"]
    assert any("held_up_here" in call for one in said for call in one["at"])
    assert any(one["event"] == "event_loop_was_blocked" for one in logs)
    assert metrics.BLOCKED._value.get() > before


@pytest.mark.asyncio
async def test_how_long_a_change_takes_into_the_chat_is_measured(stage: Stage) -> None:
    """From the swarm's record to the message: within two seconds, in the metrics for everyone."""

    def shown() -> tuple[float, float]:
        samples = {s.name: s.value for m in metrics.SHOWN.collect() for s in m.samples
                   if "bucket" not in s.name}  # fmt: skip
        name = "leaderless_bot_shown_seconds"
        return samples[f"{name}_count"], samples[f"{name}_sum"]

    goal = await stage.ask()
    await stage.look(5)
    count, total = shown()
    stage.peer.propose(goal, ["a", "b"])
    await stage.look(10)
    count_after, total_after = shown()
    assert count_after - count >= 2
    assert (total_after - total) / (count_after - count) < 2
    quiet = shown()
    await stage.look(60)
    assert shown() == quiet
