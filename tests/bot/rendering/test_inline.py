"""Inline styles: balanced in every message."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering import chunks


@given(
    st.lists(
        st.sampled_from(["alpha", "`b c`", "**d e**", "*f*", "~~g h~~", "i"]),
        min_size=1,
        max_size=900,
    )
)
@settings(max_examples=60, deadline=None)
def test_styles_are_balanced_in_every_message(words: list[str]) -> None:
    """A style that spans a cut is closed in one message and reopened in the next."""
    for message in chunks(" ".join(words)):
        for marker in ("**", "~~", "`"):
            assert message.count(marker) % 2 == 0


def test_a_long_bold_paragraph_stays_bold_in_each_message() -> None:
    """Bold text that is longer than a message is bold in all of them."""
    messages = chunks("**" + "word " * 900 + "end**")
    assert len(messages) > 2
    assert all(m.startswith("**") and m.endswith("**") for m in messages)
