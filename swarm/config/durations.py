"""Lengths of time as people write them: `90`, `"90s"`, `"5m"`, `"1h30m"`."""

from __future__ import annotations

import math
import re
from typing import Any

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
"""Seconds of each unit."""

_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*")


def parse_seconds(value: Any) -> float:
    """Read a length of time; a plain number is seconds.

    Raises:
        ValueError: it is not a length of time.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a length of time")
    if isinstance(value, str):
        value = _read(value.strip().lower())
    try:
        seconds = float(value)
    except OverflowError:
        raise ValueError("not a length of time") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError("not a length of time")
    return seconds


def _read(text: str) -> float:
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    total, at = 0.0, 0
    while match := _PIECE.match(text, at):
        total += float(match[1]) * UNITS[match[2]]
        at = match.end()
    if not text or at != len(text):
        raise ValueError("not a length of time")
    return total


def format_seconds(seconds: float) -> str:
    """Return a length of time as text, in the largest units that fit; `parse_seconds` reads it."""
    if seconds != int(seconds):
        return f"{seconds:g}s"
    left, text = int(seconds), ""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            text += f"{count}{unit}"
    return text or "0s"
