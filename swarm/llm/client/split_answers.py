"""Read a small model's answers to a split: the titles, and a sentence about each."""

from __future__ import annotations

import json
from typing import Any

from rapidfuzz import fuzz

from swarm.brief.gate import copied_parts, refuse_split
from swarm.brief.part import Part
from swarm.brief.skeleton import without_label
from swarm.llm.client.parsing import DETAIL_CHARS, TITLE_CHARS, Unusable, clean_line, strip_thinking
from swarm.llm.client.split_checks import SAME_TITLE
from swarm.llm.client.split_prompts import known_titles
from swarm.llm.lenses import EXAMPLES
from swarm.llm.requests import SplitRequest


class CopiedError(Unusable):
    """The titles are those of the prompt's example."""


def read_titles(raw: str, request: SplitRequest, count: int) -> tuple[str, ...]:
    """Return the titles of a split, all different; those that the goal names are in their place.

    Args:
        raw: What the model wrote.
        request: The split.
        count: How many titles are wanted.

    Raises:
        CopiedError: They are the example's.
        Unusable: There are too few, or they cannot be meant for the goal.
    """
    known = known_titles(request)
    given: list[str] = []
    for title in _texts(raw, "titles", TITLE_CHARS):
        name = without_label(title)
        if name and not any(_same(name, other) for other in (*given, *known)):
            given.append(name)
    titles = [title or (given.pop(0) if given else "") for title in known]
    titles = [title for title in titles if title]
    if len(titles) < min(count, 3):
        raise Unusable(f"{count} different titles are needed")
    parts = [Part(title=title, detail="") for title in titles]
    if why := copied_parts(request.goal, parts, EXAMPLES):
        raise CopiedError(why)
    if why := refuse_split(request.brief, request.goal, parts, examples=EXAMPLES):
        raise Unusable(why)
    return tuple(titles)


def read_details(raw: str, count: int) -> tuple[str, ...]:
    """Return one detail for each part; those that are missing are empty.

    Raises:
        Unusable: There is none.
    """
    details = _texts(raw, "details", DETAIL_CHARS)[:count]
    if not details:
        raise Unusable("no details were in the answer")
    return (*details, *[""] * (count - len(details)))


def _texts(raw: str, key: str, most: int) -> list[str]:
    try:
        found: Any = json.loads(strip_thinking(raw))
    except (ValueError, RecursionError):
        raise Unusable("the answer was no JSON object") from None
    items = found.get(key) if isinstance(found, dict) else None
    if not isinstance(items, list):
        raise Unusable(f'no list of "{key}" was in the answer')
    return [text for item in items if (text := clean_line(str(item), max_chars=most))]


def _same(one: str, other: str) -> bool:
    return bool(other) and fuzz.token_sort_ratio(one.casefold(), other.casefold()) >= SAME_TITLE
