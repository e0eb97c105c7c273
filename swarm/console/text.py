"""Texts of peers and models on a terminal: they are data and must not steer it."""

from __future__ import annotations

import re
import unicodedata

from swarm.core.unsafe_text import BREAKS, MARKS, UNSAFE

BAR = 20
"""Width of a progress bar, in cells."""

_DROPPED = re.compile(f"[{UNSAFE}{MARKS}]")
_BREAK = re.compile(f"[{BREAKS}]")
_JOINERS = re.compile("[\\u200c\\u200d]")
_ESCAPED = re.compile(f"[{UNSAFE}{MARKS}{BREAKS}]")


def clean(text: str) -> str:
    """Return a text without what could steer a terminal or is not seen; new lines and tabs stay.

    So do the joiners of letters and emoji, which many scripts need.
    """
    text = _BREAK.sub("\n", _DROPPED.sub("", text))
    return _JOINERS.sub(lambda found: found[0] if _joins(text, found.start()) else "", text)


def escape(json_text: str) -> str:
    r"""Return JSON in which what `clean` would drop is written as `\uXXXX`: it means the same."""
    return _ESCAPED.sub(_as_escape, json_text)


def _as_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _joins(text: str, at: int) -> bool:
    """Return whether the joiner at a place stands between letters, or after a letter's sign.

    After a sign it may end a word, as in Bengali and Malayalam.
    """
    before = unicodedata.category(text[at - 1])[0] if at else ""
    after = unicodedata.category(text[at + 1])[0] if at + 1 < len(text) else ""
    return before == "M" or (before in ("L", "S") and after in ("L", "M", "S"))


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
