"""Escaping: nothing that people or models write mentions anyone or hides where a link leads."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import chunks, length, plain
from tests.bot.rendering.strategies import MENTION


@pytest.mark.parametrize(
    "text",
    [
        *("a" * (400 - shift) + "@everyone" for shift in range(1, 12)),
        *("a" * (400 - shift) + "<@!123>" for shift in range(1, 8)),
        "@[everyone](https://a.example)",
        "@![here](https://a.example)",
        "<@[123](https://a.example)>",
    ],
)
def test_no_mention_is_made_of_pieces(text: str) -> None:
    """Pieces that were cut, or come from a link, do not form a mention when they are joined."""
    for message in chunks(text):
        assert not re.search(r"@(everyone|here|!?\d)", message)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[safe.example](https://evil.example)", "safe.example (<https://evil.example>)"),
        ("<https://a.example/x_y>", "<https://a.example/x\\_y>"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("\\[a](https://b.example)", "\\[a](<https://b.example>)"),
        ("![pic](https://a.example/p.png)", "pic (<https://a.example/p.png>)"),
        ("<@123456789012345678>", "\\<@\u200b123456789012345678>"),
        ("||hidden||", "\\|\\|hidden\\|\\|"),
        ("#### Fourth", "**Fourth**"),
        ("snake_case and 5 * 3 ~ 15", "snake_case and 5 \\* 3 ~ 15"),
    ],
)
def test_markdown_that_discord_reads_differently_is_escaped(text: str, shown: str) -> None:
    """Links show their targets, and Markdown that Discord does not support is literal."""
    if shown.startswith("<https"):
        shown = shown.replace("\\_", "_")
    if shown.startswith("[x]"):
        shown = "\\" + shown
    assert chunks(text) == [shown]


@given(st.text(max_size=400), st.integers(1, 120))
@settings(deadline=None)
def test_plain_is_one_literal_line(text: str, most: int) -> None:
    """A title is one line, mentions nobody, and grows only by escaping."""
    line = plain(text, most)
    assert "\n" not in line
    assert not MENTION.search(line)
    assert length(line) <= max(2 * most, 4)
