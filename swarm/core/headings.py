"""Headings of Markdown: those of a part go below the heading that the part itself gets."""

from __future__ import annotations

import re
from collections.abc import Sequence

SMALLEST = 6
"""Level of Markdown's smallest heading."""

_HEADING = re.compile(r"^(#{1,6})(?=\s)")


def demote(text: str, top: int) -> str:
    """Return a text with its headings moved so that the highest are of level `top`; idempotent.

    Their order stays as far as there are levels, and code blocks stay as they are.

    Args:
        text: Markdown.
        top: From 1 to `SMALLEST`.
    """
    lines = text.split("\n")
    found = _headings(lines)
    if not found:
        return text
    shift = top - min(level for _, level in found)
    for index, level in found:
        moved = min(SMALLEST, max(top, level + shift))
        lines[index] = "#" * moved + lines[index][level:]
    return "\n".join(lines)


def _headings(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the line number and level of each heading outside code blocks."""
    found = []
    fenced = False
    for index, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := _HEADING.match(line)) is not None:
            found.append((index, len(match.group(1))))
    return found
