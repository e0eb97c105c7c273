"""Messages: any text in, only valid messages out, and nothing but formatting is lost."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import MESSAGE_LIMIT, chunks, clean, length
from tests.bot.rendering.strategies import (
    ANYTHING,
    LONG,
    MENTION,
    UNWANTED,
    fences,
    is_subsequence,
    letters,
)


@given(ANYTHING)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_valid_messages(text: str) -> None:
    """No message is empty or too long, mentions anyone, reverses text or leaves a fence open."""
    for message in chunks(text):
        assert 0 < length(message) <= MESSAGE_LIMIT
        assert message.strip()
        assert not MENTION.search(message)
        assert not UNWANTED.search(message)
        assert fences(message) % 2 == 0
        message.encode()


@given(
    st.one_of(
        st.text(st.characters(exclude_characters="&[]<>!`\\|"), max_size=3_000),
        LONG.map(lambda text: re.sub(r"[&\[\]<>!`\\|]", "", text)),
    )
)
@settings(max_examples=200, deadline=None)
def test_nothing_but_formatting_is_lost(text: str) -> None:
    """Every letter and digit comes out in order; list numbers and fence infos are formatting."""
    said = re.sub(r"(?m)\d+[.)]|^[ \t>*+\d.)-]*~~~.*$", " ", clean(text))
    assert is_subsequence(letters(said), letters("\n".join(chunks(text))))


def test_a_code_block_cut_in_two_is_closed_and_opened_again() -> None:
    """Every part of a code block that spans messages is a block of the same language."""
    code = "\n".join(f"print({number})" for number in range(400))
    messages = chunks(f"Before\n\n```python\n{code}\n```\n\nAfter")
    assert len(messages) > 2
    for message in messages:
        assert fences(message) % 2 == 0
    body = "\n".join(re.sub(r"(?m)^(Before|After|```.*)$\n?", "", m).strip() for m in messages)
    assert body == code
    assert sum("```python\n" in m for m in messages) == len(messages)


def test_messages_break_between_blocks_and_keep_a_heading_with_its_text() -> None:
    """A heading is never the last line of a message."""
    text = "\n\n".join(f"## Day {day}\n\n" + f"Walk {day} and rest. " * 30 for day in range(12))
    messages = chunks(text)
    assert len(messages) > 3
    for message in messages:
        assert message.startswith("## Day")
        assert not message.rsplit("\n", 1)[-1].startswith("#")
