"""Texts of peers and models on a terminal: they are data and must not steer it."""

from __future__ import annotations

import unicodedata

BAR = 20
"""Width of a progress bar, in cells."""

_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
"""Characters that turn the direction of what follows: they could disguise it."""


def clean(text: str) -> str:
    """Return a text without what could steer a terminal; new lines and tabs stay."""
    return "".join(
        char
        for char in text
        if char in "\n\t" or (unicodedata.category(char) != "Cc" and ord(char) not in _BIDI)
    )


def one_line(text: str, most: int = 0) -> str:
    """Return a cleaned text on one line, cut with an ellipsis where it is longer than `most`."""
    line = " ".join(clean(text).split())
    return line if not most or len(line) <= most else f"{line[: most - 1]}…"


def progress_bar(done: int, of: int, *, ascii_only: bool = False, unit: int = 1) -> str:
    """Return a bar of `BAR` cells and the count, such as `[#####     ] 2/4`, in units."""
    filled = BAR * min(done, of) // of if of else 0
    full, empty = ("#", "-") if ascii_only else ("█", "░")
    return f"[{full * filled}{empty * (BAR - filled)}] {done // unit:,}/{of // unit:,}"


def duration(ms: int) -> str:
    """Return a length of time as 0:05, 12:34 or 1:02:03."""
    seconds = max(0, ms) // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}"
    return f"{minutes}:{seconds % 60:02d}"
