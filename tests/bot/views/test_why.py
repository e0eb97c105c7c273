"""`/why` in every language."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import LANGUAGES, speaking
from bot.views.document import document
from bot.views.why import CHAT, FILE, Line, Style, why
from swarm.core.fold.plan import Plan
from tests.core.worlds import folded, random_world

NOT_LATIN = [language for language in LANGUAGES if language not in ("en", "id")]
OURS_IN_LATIN = {"executor", "UTC"}
"""Latin words that our texts in other scripts have too."""

MENTION = re.compile(r"@(everyone|here|[!&]?\d)")


def told(plan: Plan, style: Style) -> list[Line]:
    """Return all lines about a plan."""
    return [line for node in plan.nodes() for line in why(plan, node, lambda _: "7", style)]


def words_of(value: object) -> Iterator[str]:
    """Yield the words in a record's fields."""
    if isinstance(value, str):
        yield from re.findall(r"[A-Za-z]{3,}", value)
    elif isinstance(value, dict):
        for one in value.values():
            yield from words_of(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from words_of(one)


@pytest.mark.parametrize("language", NOT_LATIN)
@given(st.integers(0, 10_000), st.integers(0, 80))
@settings(max_examples=40, deadline=None)
def test_no_english_word_of_ours_is_told_in_other_languages(
    language: str, seed: int, size: int
) -> None:
    """Whatever happened in a plan, `/why` and the file are in the reader's language."""
    world = random_world(seed, size, eager=bool(seed % 2))
    plan = folded(world)
    theirs = {w for r in (world.goal, *world.records) for w in words_of(r.body.model_dump())}
    with speaking(language):
        text = "\n".join(line.text for style in (CHAT, FILE) for line in told(plan, style))
        text += document(plan, lambda _: "7")
    text = re.sub(r"<t:\d+:T>", "", text)
    assert set(re.findall(r"[A-Za-z]{3,}", text)) <= theirs | OURS_IN_LATIN


@given(st.integers(0, 10_000), st.integers(0, 80))
@settings(max_examples=40, deadline=None)
def test_lines_for_the_chat_are_short_and_mention_nobody(seed: int, size: int) -> None:
    """Each line fits a message, whatever a peer calls itself."""
    plan = folded(random_world(seed, size))
    for node in plan.nodes():
        for line in why(plan, node, lambda _: "@everyone `x`" * 50):
            assert length(line.text) + len("  - ") <= MESSAGE_LIMIT
            assert not MENTION.search(line.text)
            assert "\n" not in line.text
