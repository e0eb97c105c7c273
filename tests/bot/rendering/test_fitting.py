"""Lengths and cuts: every cut keeps the text and falls between graphemes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

from bot.rendering import chunks, length
from bot.rendering.fitting import cut, graphemes, shorten
from tests.bot.rendering.strategies import ANYTHING


@given(ANYTHING)
@settings(max_examples=100, deadline=None)
def test_cutting_keeps_the_text_and_its_graphemes(text: str) -> None:
    """Head and rest together are the text, and the cut falls between graphemes."""
    assert "".join(graphemes(text)) == text
    if not text:
        return
    head, rest = cut(text, 200)
    assert head
    assert head + rest == text
    assert length(head) <= 200
    ends = set(itertools.accumulate(map(len, graphemes(text))))
    assert len(head) in ends
    assert length(shorten(text, 50)) <= 50


@pytest.mark.parametrize("cluster", ["👩‍👩‍👧‍👦", "🇮🇩", "क्षि", "é́", "👍🏽", "각"])
def test_no_cut_inside_a_character_people_see(cluster: str) -> None:
    """A long run of any script or emoji is cut only between whole characters."""
    # An odd start, so that no cluster falls on a boundary by luck.
    for start in ("x", "xyz"):
        pieces = chunks(start + cluster * 3_000)
        assert len(pieces) > 1
        assert "".join(pieces) == start + cluster * 3_000
        for piece in pieces:
            body = piece.removeprefix(start)
            assert body == cluster * (len(body) // len(cluster))
