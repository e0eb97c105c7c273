"""One list of unsafe characters, and every place that shows or signs foreign text obeys it."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable

import pytest

from bot.rendering import clean as clean_for_chat
from swarm.console.text import clean as clean_for_terminal
from swarm.core.unsafe_text import BREAKS, MARKS, UNSAFE
from swarm.llm.client.parsing import clean_text
from swarm.llm.errors import printable

_UNSAFE = re.compile(f"[{UNSAFE}]")
ALL = [chr(code) for code in range(sys.maxunicode + 1) if _UNSAFE.match(chr(code))]
"""Every unsafe character, one by one."""

RULES: dict[str, Callable[[str], str]] = {
    "terminal": clean_for_terminal,
    "chat": clean_for_chat,
    "model": clean_text,
    "error": printable,
}
"""What cleans a text, by where it is shown or signed."""


@pytest.mark.parametrize("where", RULES)
def test_no_unsafe_character_reaches_any_reader(where: str) -> None:
    """Each is dropped or replaced wherever it stands; the letters around it stay."""
    clean = RULES[where]
    for char in ALL:
        shown = clean(f"a{char}b")
        assert not _UNSAFE.search(shown), f"U+{ord(char):04X}"
        assert shown[0] + shown[-1] == "ab"


def test_the_list_names_what_disguises_and_hides() -> None:
    """One example of each family, and everything that no encoding takes."""
    for code in (0x00, 0x1B, 0x9B, 0xAD, 0x200B, 0x202E, 0x2060, 0x2067, 0x206A, 0xFEFF, 0xFFF9):
        assert chr(code) in ALL
    for code in (0x1D173, 0xE0001, 0xE0041, 0xE0100):
        assert chr(code) in ALL
    assert set(map(chr, range(0xD800, 0xE000))) <= set(ALL)


def test_the_list_spares_what_scripts_need() -> None:
    """Newline, tab, joiners, direction marks, accents, variants of emoji and regional letters."""
    for char in "\n\t\u200c\u200d\u200e\u200f\u0301\ufe0f\U0001f1ee":
        assert char not in ALL
    letters = [char for char in ALL if unicodedata.category(char)[0] in "LN"]
    assert not letters


@pytest.mark.parametrize("where", RULES)
def test_separators_become_line_breaks_or_spaces(where: str) -> None:
    """A reader that takes them for line breaks sees no other lines than one that does not."""
    for char in map(chr, (0x2028, 0x2029)):
        assert re.match(f"[{BREAKS}]", char)
        assert RULES[where](f"a{char}b") in ("a\nb", "a b")


@pytest.mark.parametrize(("where", "kept"), [("terminal", False), ("chat", True), ("model", True)])
def test_direction_marks_stay_only_where_they_are_laid_out_well(where: str, kept: bool) -> None:
    """Right-to-left text in a chat needs them; a terminal could be confused by them."""
    for char in map(chr, (0x61C, 0x200E, 0x200F)):
        assert re.match(f"[{MARKS}]", char)
        assert (char in RULES[where](f"a{char}b")) is kept
