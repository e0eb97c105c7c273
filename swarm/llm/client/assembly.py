"""Assembly of finished parts by code: an introduction, then each part word for word.

For small models this is faster than rewriting, and nothing in a part is lost or distorted. For
larger models it is used if the parts do not fit their context. The document always states what
could not be done, even if a model wrote the rest. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from swarm.llm.client.parsing import LINE_CHARS, TEXT_CHARS, clean_line, clip

MISSING_HEADING = "## Not done"
"""Heading of the section about the parts that failed."""

TOP_LEVEL = 2
"""Level of the headings of parts: level 1 is the plan's title, which is added elsewhere."""

_HEADING = re.compile(r"^(#{1,6})(?=\s)")


def compose(
    intro: str, parts: Sequence[tuple[str, str]], missing: Sequence[tuple[str, str]]
) -> str:
    """Return the document, at most `TEXT_CHARS` long; long parts are shortened before short ones.

    Args:
        intro: A short introduction; may be empty.
        parts: (title, Markdown) in order.
        missing: (title, reason) of the parts that failed.
    """
    tail = missing_section(missing)
    frame = len(intro) + len(tail) + sum(len(title) + 10 for title, _ in parts)
    texts = _share([demote(text) for _, text in parts], TEXT_CHARS - frame)
    sections = [
        f"{'#' * TOP_LEVEL} {clean_line(title)}\n\n{text}"
        for (title, _), text in zip(parts, texts, strict=True)
    ]
    return clip("\n\n".join(filter(None, [intro, *sections, tail])), TEXT_CHARS)


def missing_section(missing: Sequence[tuple[str, str]]) -> str:
    """Return a section that names what failed and why; empty if nothing did."""
    if not missing:
        return ""
    rows = "\n".join(
        f"- **{clean_line(title)}**: {clean_line(reason, max_chars=LINE_CHARS)}"
        for title, reason in missing
    )
    return f"{MISSING_HEADING}\n\n{rows}"


def with_missing(text: str, missing: Sequence[tuple[str, str]]) -> str:
    """Return a document that a model wrote, with the section about failed parts added."""
    tail = missing_section(missing)
    if not tail:
        return clip(text, TEXT_CHARS)
    return f"{clip(text, max(200, TEXT_CHARS - len(tail) - 2))}\n\n{tail}"[:TEXT_CHARS]


def demote(text: str) -> str:
    """Move a part's own headings below the heading that the part gets; code blocks stay as is."""
    lines = text.split("\n")
    levels = [len(match.group(1)) for _, match in _headings(lines)]
    if not levels:
        return text
    shift = TOP_LEVEL + 1 - min(levels)
    for index, match in list(_headings(lines)):
        level = min(6, max(TOP_LEVEL + 1, len(match.group(1)) + shift))
        lines[index] = "#" * level + lines[index][match.end() :]
    return "\n".join(lines)


def _headings(lines: Sequence[str]) -> list[tuple[int, re.Match[str]]]:
    """Return the line number and match of each heading outside code blocks."""
    found = []
    fenced = False
    for index, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (match := _HEADING.match(line)) is not None:
            found.append((index, match))
    return found


def _share(texts: Sequence[str], budget: int) -> list[str]:
    """Cut the longest texts so that all fit together; keep short ones whole."""
    left, room = len(texts), max(0, budget)
    limit: dict[int, int] = {}
    for index in sorted(range(len(texts)), key=lambda i: len(texts[i])):
        limit[index] = min(len(texts[index]), room // left)
        room -= limit[index]
        left -= 1
    return [clip(text, max(1, limit[index])) for index, text in enumerate(texts)]
