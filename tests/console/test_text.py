"""Untrusted text on a terminal and in JSON: nothing in it steers or hides."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.cli.views import output
from swarm.cli.views.output import ascii_only
from swarm.console.text import clean, duration, escape, one_line, progress_bar
from tests.console.steering import STEERING

hostile = st.text(st.sampled_from([*STEERING, "\u200c", "\u200d", "a", "क", "ا", " "]))


SCRIPTS = (
    "क्\u200dष और क्\u200cष",
    "می\u200cخواهم",
    "اردو کی سطر\u200cیں",
    "ന്\u200d മലയാളം",
    "ক্\u200dষ",
    "ශ්\u200dරී",
    "👩\u200d💻 👨\u200d👩\u200d👧 🏳️\u200d🌈 ❤️\u200d🔥 👩🏽\u200d⚕️",
    "🇮🇳",
    "e\u0301",
    "東京",
)
"""Texts that need joiners, marks, variation selectors or surrogate pairs."""


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts_and_emoji_keep_what_they_need(text: str) -> None:
    """Joiners that are part of a word or an emoji are kept."""
    assert clean(text) == text
    assert json.loads(escape(json.dumps(text, ensure_ascii=False))) == text
    assert escape(text) == text


@given(hostile)
def test_nothing_steers_a_terminal_whatever_the_text(text: str) -> None:
    """Cleaned text is encodable, visible, and keeps its direction."""
    shown = clean(text)
    assert not set(shown) & (set(STEERING) - {"\n", "\t"})
    shown.encode()
    assert clean(shown) == shown
    assert "\n" not in one_line(text)
    for at, char in enumerate(shown):
        if char in "\u200c\u200d":
            assert unicodedata.category(shown[at - 1])[0] in "LMS"


@given(hostile | st.text())
def test_json_means_the_same_and_steers_nothing(text: str) -> None:
    """JSON is read back unchanged, and characters that would steer are escapes in it."""
    for written in (output.as_json({text: [text]}), escape(json.dumps({text: [text]}))):
        assert json.loads(written) == {text: [text]}
        assert not set(written) & (set(STEERING) - {"\n"})


@given(st.text())
def test_cleaning_keeps_text_and_takes_control(text: str) -> None:
    """What is cleaned has no controls but line breaks and tabs, and cleaning again does nothing."""
    kept = clean(text)
    assert clean(kept) == kept
    assert not any(ord(char) < 32 and char not in "\n\t" for char in kept)
    assert "\n" not in one_line(text)
    assert len(one_line(text, 10)) <= 10


@given(hostile, st.integers(2, 12))
def test_a_text_that_is_cut_stays_clean(text: str, longest: int) -> None:
    """Cutting leaves nothing that `clean` would remove, such as a joiner that joins nothing."""
    line = one_line(text, longest)
    assert len(line) <= longest
    assert clean(line) == line


def test_small_things_read_well() -> None:
    """Durations, bars and encodings at their edges."""
    assert [duration(ms) for ms in (-5, 999, 61_000, 3_661_000)] == [
        "0:00",
        "0:00",
        "1:01",
        "1:01:01",
    ]
    assert progress_bar(0, 0) == f"[{'░' * 20}] 0/0"
    assert progress_bar(9, 3, ascii_only=True) == f"[{'#' * 20}] 9/3"
    assert ascii_only(io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert not ascii_only(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
