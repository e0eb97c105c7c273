"""Numbers that the goal demands: three prizes, a team of eight."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.quality.checks.verdict import Verdict, not_applicable, verdict
from benchmarks.quality.goals import Counted, Goal
from benchmarks.quality.labels import is_aside, number_of, number_pattern
from benchmarks.quality.lexicon import lexicons, merged
from benchmarks.quality.matching import either, normal, stems
from benchmarks.quality.reading import Document

NEAR_WORDS = 3
"""So many words may stand between a number and what it counts."""

_WORD = r"[^\s.,;:!?।۔()|]+"


def check(document: Document, goal: Goal) -> Iterator[Verdict]:
    """Check each number."""
    if not goal.counts:
        yield not_applicable("counts", "the goal demands no number")
    for counted in goal.counts:
        yield _one(document, goal, counted)


def _one(document: Document, goal: Goal, counted: Counted) -> Verdict:
    numbers: list[int] = []
    for line in document.body:
        numbers += _numbers_of(line.text, goal, counted.count.nouns)
    kept = counted.number in numbers or _enumerated(document, goal, counted)
    kept = kept or (counted.count.each and _shown(document, goal, counted) == counted.number)
    noun = counted.count.nouns.split("|")[0]
    others = sorted(set(numbers) - {counted.number})
    said = f"{counted.number} × {noun}: "
    said += "found" if kept else f"found {', '.join(map(str, others)) or 'none'}"
    return verdict("counts", kept, said, about=noun)


def _numbers_of(text: str, goal: Goal, nouns: str) -> Iterator[int]:
    """Return the numbers that count some noun in a normal text, before or after it."""
    noun = stems(nouns).pattern
    number = number_pattern(goal.language)
    then = re.compile(
        rf"(?:[-–]|টি|টা|খানা|জন|খান|\s?x|\s?×)?(?:\s+{_WORD}){{0,{NEAR_WORDS}}}?\s*-?\s*(?={noun})"
    )
    # "Day 3 is for the museum" counts no museums.
    unit = either(*merged(goal.language, "day"), *merged(goal.language, "week")).pattern
    labelled = re.compile(rf"{unit}\s*(?:#|no\.?|ke-?)?\s*$")
    after = rf"(?:{noun})(?:{_WORD})?\s*(?::|=|\(|×|of)\s*(?:{_WORD}\s+)?(?P<m>{number})"
    for match in re.finditer(number, text):
        value = number_of(match.group(), goal.language)
        is_label = match.group().isdigit() and labelled.search(text[: match.start()])
        if value is None or is_label:
            continue
        if then.match(text, match.end()):
            yield value
    for match in re.finditer(after, text):
        if (value := number_of(match.group("m"), goal.language)) is not None:
            yield value


def _shown(document: Document, goal: Goal, counted: Counted) -> int:
    """Return how many lines of the plan itself name the thing."""
    noun = stems(counted.count.nouns)
    return sum(
        noun.search(line.text) is not None
        for line in document.body
        if line.kind != "heading" and not is_aside(document, line, goal)
    )


def _enumerated(document: Document, goal: Goal, counted: Counted) -> bool:
    """Return whether the things are numbered through: first prize, second prize, third prize."""
    noun = stems(counted.count.nouns).pattern
    ordinals = {
        word: value
        for lexicon in lexicons(goal.language)
        for word, value in lexicon.ordinals.items()
    }
    ordinal = either(*ordinals).pattern
    found: set[int] = set()
    for line in document.body:
        text = line.text
        for match in re.finditer(rf"(?P<o>{ordinal})\s+(?:{_WORD}\s+)?(?={noun})", text):
            found.add(ordinals[normal(match.group("o"))])
        for match in re.finditer(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|ম|য়)\s+(?={noun})", text):
            found.add(int(match.group(1)))
        numbered = rf"(?:{noun})(?:{_WORD})?\s+(?:#|no\.?\s*)?(\d{{1,2}})(?!\d)"
        for match in re.finditer(numbered, text):
            found.add(int(match.group(1)))
    return found == set(range(1, counted.number + 1))
