"""The gate before votes: a split or text that cannot be meant for the goal is not acceptable.

Ratings by small models are generous, so the gate is code. It refuses what is surely wrong and says
so in one sentence, which a model gets as feedback and people see as the critique.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz import fuzz

from swarm.brief.mentions import numbers_in
from swarm.brief.part import Part
from swarm.brief.quotes import plain
from swarm.brief.scripts import check_language
from swarm.brief.skeleton import without_label
from swarm.core.brief import Brief, Demand, DemandKind

COPY = 85.0
"""fuzz.ratio from which a text is a copy of another."""

LEAST_COPIED_CHARS = 20
"""Shorter texts are alike by chance."""

COPIED_TITLES = 3
"""Titles of one example that a split may not have all of."""

SINGLE: frozenset[DemandKind] = frozenset(
    ("duration", "start_date", "end_date", "start_place", "end_place", "people", "budget")
)
"""Kinds of demands of which the first counts, so that another before it would change the plan."""

LEAST_COPIED_TITLE = 14
"""Characters from which one title of an example is no word that any plan may have ("Paint")."""

LEAST_RUN = 4
"""How often the same two or three words may follow each other at least before it is a loop."""

LOOP_SHARE = 0.6
"""Share of a text's words from which a repeated phrase is a loop."""

LEAST_WORDS = 8
"""Words below which a text is too short to be a loop."""


def refuse_split(
    brief: Brief, goal: str, parts: Sequence[Part], *, examples: Sequence[Part] = ()
) -> str:
    """Return why a split is not acceptable whatever its rating, in one sentence; empty: it is.

    Args:
        brief: What the goal demands.
        goal: The text of the goal.
        parts: The proposed parts.
        examples: Parts of the prompts' worked examples, which must not come back as an answer.
    """
    if why := copied_parts(goal, parts, examples):
        return why
    whole = "\n".join(f"{part.title} {part.detail}" for part in parts)
    for part in parts:
        if looped(f"{part.title} {part.detail}"):
            return f"“{part.title[:60]}” repeats the same words."
    return _other_language(brief, whole)


def refuse_brief(goal: str, own: Brief, proposed: Brief) -> str:
    """Return why another peer's brief of a goal is not acceptable; empty: it is.

    All peers follow the brief that is accepted with the split, so a changed budget or a demand left
    out would be changed for everybody. More demands than code reads may be added, in the goal's own
    words: so nobody can add a demand that the goal does not have.

    Args:
        goal: The text of the goal.
        own: What this peer itself reads from the goal's text.
        proposed: What the proposal says that the goal demands.
    """
    theirs = {_fact(demand) for demand in proposed.demands}
    changed = [demand.text for demand in own.demands if _fact(demand) not in theirs]
    if changed:
        return f"It changes or leaves out what the goal demands: {'; '.join(changed[:5])}."
    single = {demand.kind for demand in own.demands} & SINGLE
    if any(len(proposed.of(kind)) > len(own.of(kind)) for kind in SINGLE if kind in single):
        return "It adds a second budget, duration, start or end to what the goal demands."
    read = {_fact(demand) for demand in own.demands}
    said = plain(goal)
    invented = [
        demand.text
        for demand in proposed.demands
        if _fact(demand) not in read and not _quotes(said, demand)
    ]
    if invented:
        return f"It adds what the goal does not say: {'; '.join(invented[:5])}."
    return ""


def _quotes(said: str, demand: Demand) -> bool:
    """Return whether a demand's text, name and value are the goal's own."""
    text, words = plain(demand.text), set(said.split())
    if not text or f" {text} " not in f" {said} ":
        return False
    if demand.value is not None and demand.value not in numbers_in(demand.text):
        return False
    return all(word in words for word in plain(demand.name or "").split())


def _fact(demand: Demand) -> tuple[object, ...]:
    """Return what a demand says, without its wording."""
    return demand.kind, demand.value, demand.unit, demand.name, demand.date


def refuse_text(brief: Brief, goal: str, text: str, *, examples: Sequence[str] = ()) -> str:
    """Return why a text is not acceptable as (a part of) the plan; empty: it is.

    Args:
        brief: What the goal demands.
        goal: The text of the goal.
        text: Markdown.
        examples: Texts of the prompts' worked examples, which must not come back as an answer.
    """
    for line in text.splitlines():
        if looped(line):
            return "A line repeats the same words."
    for line in text.splitlines():
        if copied_line(line.partition(":**")[2] or line.lstrip("-*# "), examples):
            return "A line is copied from the example, not written for the goal."
    return _other_language(brief, text)


def copied_line(text: str, examples: Sequence[str]) -> bool:
    """Return whether a line is one of the lines of the prompts' worked examples."""
    return len(text) >= LEAST_COPIED_CHARS and any(
        fuzz.ratio(text.casefold(), example.casefold()) >= COPY for example in examples
    )


def looped(text: str) -> bool:
    """Return whether a text is mostly one phrase again and again ("Penang, Penang, Penang")."""
    words = re.findall(r"\w+", text.casefold())
    if len(words) < LEAST_WORDS:
        return False
    for size in (1, 2, 3):
        runs = Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
        phrase, times = runs.most_common(1)[0]
        if len(set(phrase)) < len(phrase) or (size == 1 and len(phrase[0]) < LEAST_RUN):
            continue
        if times >= LEAST_RUN and times * size >= LOOP_SHARE * len(words):
            return True
    return False


def copied_parts(goal: str, parts: Sequence[Part], examples: Sequence[Part]) -> str:
    """Return that parts are the example's; a title that the goal itself has is no copy.

    Args:
        goal: The text of the goal.
        parts: The parts of a split; those whose details are not known yet have none.
        examples: The parts of the prompts' worked examples.

    Returns:
        Why the parts are a copy; empty: they are none.
    """
    known = [example for example in examples if example.title.casefold() not in goal.casefold()]
    titles = {without_label(example.title).casefold() for example in known}
    same = [part for part in parts if without_label(part.title).casefold() in titles]
    if len(same) >= min(COPIED_TITLES, max(2, len(parts))):
        return "The parts are copied from the example, not made for the goal."
    for part in parts:
        title = without_label(part.title).casefold()
        if any(
            len(other) >= LEAST_COPIED_TITLE and other in title and other not in goal.casefold()
            for other in titles
        ):
            return f"“{part.title[:60]}” is copied from the example, not made for the goal."
        if len(part.detail) >= LEAST_COPIED_CHARS and any(
            fuzz.ratio(part.detail.casefold(), example.detail.casefold()) >= COPY
            for example in known
        ):
            return f"“{part.title[:60]}” is copied from the example, not made for the goal."
    return ""


def _other_language(brief: Brief, text: str) -> str:
    """Return that a text is not in the language that was asked for."""
    found = check_language(brief.language, text)
    return found.text if found.standing == "not met" else ""
