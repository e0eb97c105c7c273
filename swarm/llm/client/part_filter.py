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
from swarm.brief.skeleton import range_of, steps_of, without_label
from swarm.brief.steps import Step, step_label, steps_in
from swarm.brief.wording import FULL_STOPS
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

_PROMISE = re.compile(
    r"^\W*(?:[^,.]{0,40},\s*)?(?:"
    r"(?:(?:i|we|(?:this|the|my|our) (?:part|plan)) (?:will|shall)|(?:i|we)['’]ll|"
    r"(?:i|we) (?:am|are) going to) (?:also )?"
    r"(?:provide|include|make sure|ensure|add|give|list|mention|tell|inform|specify|consider)|"
    r"(?:saya|kami|rancangan ini|bahagian ini) akan (?:juga )?"
    r"(?:menyediakan|memberi|memberikan|menyenaraikan|memastikan|memasukkan|menyatakan)"
    r")\b",
    re.IGNORECASE,
)
"""The beginning of a line that promises to do a demand, in English and Malay."""

_SPEAKER = re.compile(
    r"^(?P<when>(?:On|In) [^,.;]{1,40},\s+)?"
    r"(?:(?:I|we)(?:['’]ll| will| plan to| am going to| are going to| want to)"
    r"|(?:saya|kami|kita) (?:akan|mahu))\s+(?=\w)",
    re.IGNORECASE,
)
"""Who speaks, at the beginning of a line: a plan's reader does not know who "I" is."""

_NAMES = re.compile(r"[:(]|\bsuch as\b|\bseperti\b")
"""What comes before the things that a promise names after all."""

_SENTENCE_BREAK = re.compile(r"(?<=[.!?।۔])\s+")
_CLAUSE_BREAK = re.compile(r"[,;،]\s*")
_JOINS = re.compile(r"^(?:(?:and|then|but|dan|kemudian|und|et|y|और|اور|এবং)\s+|[,;،\s]+)+", re.I)

LEAST_LINE_CHARS = 12
"""Characters below which the rest of a line says nothing."""

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


def only_promises(text: str, known: str) -> bool:
    """Return whether a line promises to do a demand and does not say what, when or where.

    Args:
        text: The line.
        known: The demand and the part's title: their names and numbers say nothing new.
    """
    begin = _PROMISE.search(text)
    if begin is None:
        return False
    rest = text[begin.end() :]
    if _NAMES.search(rest):
        return False
    said = set(re.findall(r"\w+", known.casefold()))
    return not any(
        (word[0].isupper() or word[0].isdecimal()) and word.casefold() not in said
        for word in re.findall(r"\w+", rest)
    )


def own_days(request: DoRequest) -> str:
    """Return the label of a task's days or weeks, in English; empty if it has none."""
    span = range_of(request.brief, request.part)
    return step_label(steps_of(request.brief)[0], "en", *span) if span is not None else ""


def foreign_days(text: str, request: DoRequest) -> tuple[Step, ...]:
    """Return the days or weeks that a line names and that are not the task's own.

    Ordinals do not count: "on the second day" may mean the second one in that place.
    """
    span = range_of(request.brief, request.part)
    if span is None:
        return ()
    return tuple(
        step
        for step in steps_in(text, steps_of(request.brief)[0])
        if step.counted and not span[0] <= step.first <= step.last <= span[1]
    )


def without_foreign_days(text: str, request: DoRequest) -> str:
    """Return a line without the clauses that name foreign days; empty if nothing is left."""
    kept = (_own_clauses(sentence, request) for sentence in _SENTENCE_BREAK.split(text))
    line = " ".join(filter(None, kept))
    return line if len(line) >= LEAST_LINE_CHARS else ""


def _own_clauses(sentence: str, request: DoRequest) -> str:
    """Return a sentence without foreign days; a clause goes on until the next day is named."""
    foreign = foreign_days(sentence, request)
    if not foreign:
        return sentence
    breaks = [match.start() for match in _CLAUSE_BREAK.finditer(sentence)]

    def begin(step: Step) -> int:
        return max((at for at in breaks if at < step.start), default=0)

    unit = steps_of(request.brief)[0]
    starts = sorted({0, *(begin(step) for step in steps_in(sentence, unit) if step.counted)})
    gone = {begin(step) for step in foreign}
    clauses = [
        sentence[start:end]
        for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True)
        if start not in gone
    ]
    line = _JOINS.sub("", "".join(clauses)).rstrip(" ,;،")
    if not line:
        return ""
    stop = sentence[-1] if sentence[-1] in FULL_STOPS else ""
    return line[:1].upper() + line[1:] + (stop if line[-1] not in FULL_STOPS else "")


def without_speaker(text: str) -> str:
    """Return a line as a thing to do: "Take the train", not "I will take the train"."""
    rest = _SPEAKER.sub(lambda found: found["when"] or "", text, count=1)
    return rest[:1].upper() + rest[1:]


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
