"""Texts of strangers on a terminal, in JSON and in logs: nothing in them steers or hides."""

from __future__ import annotations

import json
import unicodedata

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from swarm.cli.views import output
from swarm.console.logs import log_to_stderr
from swarm.console.text import clean, escape, one_line

STEERING = (
    *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)),
    *map(chr, (0x61C, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070))),
    "\ufeff", "\u00ad", "\U000e0041", "\U000e0001", "\ud800",
)  # fmt: skip
"""Escapes, returns, turns of direction, breaks, what has no width, and halves of characters."""

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
"""What needs joiners, marks, variants or pairs."""


@pytest.mark.parametrize("text", SCRIPTS)
def test_scripts_and_emoji_keep_what_they_need(text: str) -> None:
    """Joiners that make a word or a sign are part of it."""
    assert clean(text) == text
    assert json.loads(escape(json.dumps(text, ensure_ascii=False))) == text
    assert escape(text) == text


@given(hostile)
def test_nothing_steers_a_terminal_whatever_the_text(text: str) -> None:
    """What is left can be sent, is seen, and stays in its direction."""
    shown = clean(text)
    assert not set(shown) & (set(STEERING) - {"\n", "\t"})
    shown.encode()
    assert clean(shown) == shown
    assert "\n" not in one_line(text)
    for at, char in enumerate(shown):
        if char in "\u200c\u200d":
            assert unicodedata.category(shown[at - 1])[0] in "LMS"


class Said(BaseModel):
    """A model that holds a text."""

    text: str


@given(hostile | st.text())
def test_json_means_the_same_and_steers_nothing(text: str) -> None:
    """It is read back as it was; in it stands an escape for whatever would steer."""
    for written in (output.as_json({text: [text]}), escape(json.dumps({text: [text]}))):
        assert json.loads(written) == {text: [text]}
        assert not set(written) & (set(STEERING) - {"\n"})


def test_every_way_to_print_json_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    """A value, a model and a line."""
    text = "".join(STEERING[:-1])
    output.print_json({"text": text})
    output.print_json(Said(text=text))
    output.print_json_line({"text": text})
    shown = capsys.readouterr().out
    assert not set(shown) & (set(STEERING) - {"\n"})
    assert shown.count(r"\u009b") == 3


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_log_cannot_be_steered(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What peers call themselves stands in logs, which people read in a terminal."""
    before = structlog.get_config()
    try:
        log_to_stderr("info", style)  # type: ignore[arg-type]
        structlog.get_logger().info("peer_gone", name="x\x1b[2J\u009b31m\u202eA", text="दिल्ली")
    finally:
        structlog.configure(**before)
    shown = capsys.readouterr().err
    assert "दिल्ली" in shown
    assert not set(shown) & (set(STEERING) - {"\n"})
