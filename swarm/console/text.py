"""Text of peers and models on a terminal: it is data and must not steer the terminal."""

from __future__ import annotations

import re
import unicodedata

from swarm.core.unsafe_text import BREAKS, MARKS, UNSAFE

BAR_CELLS = 20
"""Width of a progress bar in cells."""

_DROPPED = re.compile(f"[{UNSAFE}{MARKS}]")
_BREAK = re.compile(f"[{BREAKS}]")
JOINERS = "\u200c\u200d"
"""Characters without width that join or part their neighbours; scripts and emoji need them."""

_JOINER = re.compile(f"[{JOINERS}]")
_ESCAPED = re.compile(f"[{UNSAFE}{MARKS}{BREAKS}]")


def clean(text: str) -> str:
    """Return a text without characters that steer a terminal or are invisible.

    Line breaks and tabs stay, and so do the joiners of letters and emoji, which many scripts need.
    """
    text = _BREAK.sub("\n", _DROPPED.sub("", text))
    return _JOINER.sub(lambda found: found[0] if _joins(text, found.start()) else "", text)


def escape(json_text: str) -> str:
    r"""Return the same JSON with `\uXXXX` for each character that `clean` would remove."""
    return _ESCAPED.sub(_as_escape, json_text)


def _as_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _joins(text: str, at: int) -> bool:
    """Return whether the joiner at a position is between letters, or after a combining mark.

    After a mark it may end a word, as in Bengali and Malayalam.
    """
    before = unicodedata.category(text[at - 1])[0] if at else ""
    after = unicodedata.category(text[at + 1])[0] if at + 1 < len(text) else ""
    return before == "M" or (before in ("L", "S") and after in ("L", "M", "S"))


def one_line(text: str, longest: int = 0) -> str:
    """Return a cleaned text on one line, cut with an ellipsis if it is longer than `longest`."""
    line = " ".join(clean(text).split())
    if not longest or len(line) <= longest:
        return line
    # A joiner at the cut would join nothing: what is shown stays what `clean` leaves alone.
    return line[: longest - 1].rstrip(JOINERS) + "…"


def progress_bar(done: int, of: int, *, ascii_only: bool = False, unit: int = 1) -> str:
    """Return a bar of `BAR_CELLS` cells and the count in units, such as `[#####     ] 2/4`."""
    filled = BAR_CELLS * min(done, of) // of if of else 0
    full, empty = ("#", "-") if ascii_only else ("█", "░")
    return f"[{full * filled}{empty * (BAR_CELLS - filled)}] {done // unit:,}/{of // unit:,}"


def duration(ms: int) -> str:
    """Return a length of time as 0:05, 12:34 or 1:02:03."""
    seconds = max(0, ms) // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02d}:{seconds % 60:02d}"
    return f"{minutes}:{seconds % 60:02d}"
