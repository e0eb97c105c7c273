"""Drop from a small model's answer what cannot stand in a plan, and keep the rest.

One bad line of eight is no reason to ask for all eight again: each costs a second, and at
temperature 0 the model writes much the same. What is missing then is asked for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from swarm.brief.gate import copied_line, looped
from swarm.brief.legs import legs_in
from swarm.brief.mentions import named, violations
from swarm.brief.scripts import fits_script
from swarm.brief.skeleton import without_label
from swarm.core.brief import Brief
from swarm.llm.client.part_answers import Lines
from swarm.llm.client.part_prompts import EXAMPLE_WORDS, example_lines
from swarm.llm.requests import DoRequest

_EXCUSE = re.compile(
    r"\b(?:sorry|unfortunately|not available|unavailable|no (?:suitable |such )?(?:lines?|"
    r"information|data)|cannot (?:provide|find)|unable to|as an ai|maaf)\b",
    re.IGNORECASE,
)
"""A line that says why there is none."""

SAME_TITLE = 85.0
"""fuzz.ratio from which a line begins with the title of another part."""


def fitting(lines: Lines, request: DoRequest) -> Lines:
    """Return the lines without those that cannot stand in the plan.

    A line goes if it is in another script, says one phrase again and again, comes from the prompt's
    example, plans what the goal rules out, or is about another part.

    Args:
        lines: What the model wrote.
        request: The task.
    """

    def good(text: str) -> bool:
        return fits_line(text, request)

    others = _others(request)
    steps = tuple(
        (number, kept)
        for number, things in lines.steps
        if any(kept := tuple(thing if good(thing) else "" for thing in things))
    )
    return replace(
        lines,
        steps=steps,
        free=tuple(text for text in lines.free if good(text) and not _about(text, others)),
        spare=tuple(filter(good, lines.spare)),
    )


def fits_line(text: str, request: DoRequest) -> bool:
    """Return whether one line can stand in the plan; False if it is empty."""
    return bool(text) and not (
        looped(text)
        or copied_line(text, example_lines())
        or not fits_script(request.language or request.brief.language, text)
        or _ruled_out(request.brief, text)
        or _of_example(request.goal, text)
        or _EXCUSE.search(text) is not None
        or _strays(request, text)
    )


def _strays(request: DoRequest, text: str) -> bool:
    """Return whether a line has a journey that starts where the plan is not."""
    here = " ".join(
        [request.place_before, request.title, *(part.title for part in request.outline)]
    )
    return bool(here.strip()) and any(not named(leg.start, here) for leg in legs_in(text))


def _of_example(goal: str, text: str) -> bool:
    """Return whether a line speaks of what only the worked examples are about."""
    said = set(re.findall(r"\w+", text.casefold())) & EXAMPLE_WORDS
    return bool(said - set(re.findall(r"\w+", goal.casefold())))


def _ruled_out(brief: Brief, text: str) -> bool:
    return any(violations(demand.name or "", text) for demand in brief.of("must_not"))


def _others(request: DoRequest) -> list[str]:
    """Return the titles of the other parts of the plan."""
    own = request.part.title if request.part is not None else request.title
    return [without_label(part.title) for part in request.outline if part.title != own]


def _about(text: str, titles: Sequence[str]) -> bool:
    """Return whether a line begins by saying what another part is: "Create displays for ..."."""
    said = text.casefold()
    return any(
        fuzz.ratio(said[: len(title)], title.casefold()) >= SAME_TITLE for title in titles if title
    )
