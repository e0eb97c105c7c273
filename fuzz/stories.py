"""What people see of a plan that strangers wrote: messages in the chat, output in the terminal."""

from __future__ import annotations

import unicodedata

from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import LANGUAGES, speak
from bot.thread.story import THREAD_NAME_LIMIT, Scene, story, thread_name, without_thread
from bot.views.document import documents
from bot.views.posts import Post
from fuzz.choices import Choices
from fuzz.records import LIMITS, NOW, SWARM, make_up
from fuzz.texts import MENTION, OVERRIDES, TOKENS
from swarm.cli.views.tree import as_text, rows
from swarm.console.text import clean
from swarm.core.fold.plan import Plan
from swarm.core.roles import WORKERS
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.core.views.plan_view import PlanView, plan_view
from swarm.core.views.waiting import NoneHere, NotOffered, TooFewScorers

MOST_MESSAGES = 100
"""Largest number of messages for one goal: 15 splits, 12 results, 12 pages and a few more. Accepted
splits, at most a few in a plan within `LIMITS`, are added to that."""


def told(data: bytes) -> None:
    """Whatever peers wrote, what is shown fits, mentions nobody and controls nothing."""
    choices = Choices(data)
    words: list[str] = []
    for _ in range(1 + choices.byte() % 6):
        word = choices.text(40) if choices.chance(3) else choices.pick(TOKENS)
        words.append(word * choices.pick((1, 1, 1, 3, 40)))
    turn = 0

    def say(usual: str) -> str:
        nonlocal turn
        turn += 1
        if turn % 3 == 2:
            return usual
        text = words[turn % len(words)] + usual + words[turn * 7 % len(words)]
        # What cannot be sent as JSON cannot arrive.
        return text.encode("utf-8", "replace").decode()[:190]

    name = choices.text(30).encode("utf-8", "replace").decode()
    language = choices.pick(tuple(LANGUAGES))
    posted = {"help"} if choices.chance() else set()
    store = Store(SWARM, limits=LIMITS if choices.chance() else Limits(refold_ms=1))
    for record in make_up(choices, say):
        store.add_record(record, NOW + 5_000)
    speak(language)
    try:
        for later in (100, 400_000):
            store.advance(NOW + later)
            for plan in store.plans():
                _check_story(plan, name, posted)
                _check_terminal(plan, name, NOW + later)
    finally:
        speak("")


def _check_story(plan: Plan, name: str, posted: set[str]) -> None:
    scene = Scene(
        name=lambda author: name,
        swarm=name,
        others=1,
        lacks=(*map(NoneHere, WORKERS), NotOffered((name,)), TooFewScorers(1, 2)),
        troubles=((name, name), (name, "x" * 900)),
    )
    posts = story(plan, scene, posted)
    assert len(posts) <= MOST_MESSAGES
    assert len({post.key for post in posts}) == len(posts)
    for post in [*posts, *without_thread(posts)]:
        _check_post(post)
    title = thread_name(plan.root.title)
    assert len(title) <= THREAD_NAME_LIMIT
    assert "\n" not in title
    assert not OVERRIDES.search(title)
    for file in documents(plan, scene.name):
        file.data.decode()


def _check_post(post: Post) -> None:
    assert length(post.content) <= MESSAGE_LIMIT, post.key
    assert post.content.strip(), post.key
    assert not MENTION.search(post.content), post.content
    assert not OVERRIDES.search(post.content)


def _check_terminal(plan: Plan, name: str, now_ms: int) -> None:
    view = plan_view(plan)
    assert PlanView.model_validate_json(view.model_dump_json()) == view
    for limit in (0, 5):
        lines = rows(view, name=lambda author: name, now_ms=now_ms, limit=limit)
        assert not limit or len(lines) <= limit
        text = as_text(lines)
        assert text.count("\n") == len(lines) - 1
        assert clean(text) == text
        assert not any(unicodedata.category(char) == "Cc" for char in text.replace("\n", ""))
