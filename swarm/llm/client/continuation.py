"""An answer in text that hit its token limit: what is whole of it, and how it goes on.

What was written is kept up to its last whole sentence or line, and the model is asked once to go on
from there: at the end of a sentence two answers join without a seam. What still is not whole says
so: no text ends in the middle in silence. Pure functions.
"""

from __future__ import annotations

import re

from swarm.llm.client.prompt import Prompt

CUT_MARK = "… (cut)"
"""What readers see at the end of a text that is not whole."""

ENOUGH_POINTS = 4
"""Whole points from which a small model's task is whole: it was asked for four or five."""

OVERLAP_CHARS = 400
"""Longest repetition of the end of the first answer that is removed from the second."""

LEAST_OVERLAP_CHARS = 12
"""Shortest repetition that is removed: less may be chance."""

_GO_ON = (
    "You stopped at the limit of length. Go on right after your last sentence until the end. "
    "Do not repeat anything and do not comment on it."
)
_POINT = re.compile(r"^(?:[-*+•]|\d{1,2}[.)])\s+\S", re.MULTILINE)
_BLOCK_START = re.compile(r"\s*(?:[-*+•]\s|\d{1,2}[.)]\s|#{1,6}\s|\||```)")
_PREAMBLE = re.compile(
    r"\A\s*(?:sure|certainly|okay|ok|of course|continuing|here (?:is|are))\b[^\n]{0,80}[:.!]\s*\n+",
    re.IGNORECASE,
)


def has_enough_points(text: str) -> bool:
    """Return whether a small model's text has all the points that it was asked for."""
    return len(_POINT.findall(text)) >= ENOUGH_POINTS


def go_on_prompt(prompt: Prompt, kept: str) -> Prompt:
    """Return the prompt that asks for what comes after the whole part of an answer."""
    turns = ({"role": "assistant", "content": kept}, {"role": "user", "content": _GO_ON})
    return Prompt(
        messages=(*prompt.messages, *turns),
        max_tokens=prompt.max_tokens,
        creative=prompt.creative,
    )


def joined(raw: str, kept: str, more: str) -> str:
    """Return an answer and its continuation as one text.

    Args:
        raw: The first answer, cut somewhere.
        kept: Its whole part.
        more: What the model wrote when it was asked to go on.
    """
    more = _PREAMBLE.sub("", more, count=1)
    more = more[_overlap(kept, more) :]
    if not more.strip():
        return kept
    rest = raw[len(kept) :]
    gap = re.match(r"\s*", rest)
    between = gap.group() if gap is not None else ""
    if "\n" not in between:
        between = "\n" if _BLOCK_START.match(more) else " "
    return kept + between + more.lstrip()


def marked(text: str) -> str:
    """Return a text that is not whole with the mark that says so."""
    return f"{text.rstrip().removesuffix('…').rstrip()} {CUT_MARK}"


def _overlap(kept: str, more: str) -> int:
    """Return how many characters at the beginning of `more` repeat the end of `kept`."""
    start = len(more) - len(more.lstrip())
    longest = min(OVERLAP_CHARS, len(kept), len(more) - start)
    for size in range(longest, LEAST_OVERLAP_CHARS - 1, -1):
        if kept.endswith(more[start : start + size]):
            return start + size
    return 0
