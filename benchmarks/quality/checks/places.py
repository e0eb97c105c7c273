"""Where a trip begins and ends, what it visits, and whether each leg starts where one is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from benchmarks.quality.checks.verdict import Verdict, not_applicable, verdict
from benchmarks.quality.gazetteer import Country, Place
from benchmarks.quality.goals import Goal
from benchmarks.quality.labels import Stage, stages
from benchmarks.quality.lexicon import lexicons, merged
from benchmarks.quality.matching import END, START, is_bengali, normal, stems
from benchmarks.quality.reading import Document

_ARROW = r"(?:\s*(?:→|->|=>|➜|➔|⇒|>|–|—)\s*|\s+-\s+)"
_AND_BACK = r"(?:day trip|day-trip|return trip|round trip|and back|excursion|pulang balik)"


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check both ends, the places, their number and the legs."""
    if goal.country is None:
        reason = "the goal names no places"
        return [
            not_applicable(name, reason) for name in ("start place", "end place", "visits", "legs")
        ]
    if not goal.is_trip:
        return _of_move(document, goal)
    found = stages(document, goal)
    return [
        _starts(document, goal, found),
        _ends(document, goal, found),
        *_visits(document, goal),
        _number(document, goal),
        _legs(document, goal, found),
    ]


@cache
def pattern_of(place: Place) -> re.Pattern[str]:
    """Return a pattern of a place's names in every language."""
    return re.compile("|".join(_name_patterns(place)))


def _name_patterns(place: Place) -> list[str]:
    ranked = sorted({normal(name) for name in place.names}, key=len, reverse=True)
    return [
        START + re.escape(name) + ("" if is_bengali(name) else r"(?:'s)?" + END) for name in ranked
    ]


@cache
def _any_town(towns: tuple[Place, ...]) -> str:
    return "|".join(name for town in towns for name in _name_patterns(town))


def places_in(text: str, country: Country) -> list[Place]:
    """Return the towns that a normal text names, in the order of first mention."""
    found = [
        (match.start(), town)
        for town in country.towns
        if (match := pattern_of(town).search(text)) is not None
    ]
    return [town for _, town in sorted(found, key=lambda one: one[0])]


@cache
def _leg_patterns(language: str, towns: tuple[Place, ...]) -> tuple[re.Pattern[str], ...]:
    any_town = _any_town(towns)
    a, b = rf"(?P<a>{any_town})", rf"(?P<b>{any_town})"
    made = []
    for lexicon in lexicons(language):
        for form in lexicon.leg:
            words = re.escape(normal(form)).replace(r"\{a\}", a).replace(r"\{b\}", b)
            made.append(re.compile(words.replace(r"\ ", r"\s+")))
    arrow = re.compile(a + _ARROW + b)
    return (*made, arrow)


def legs_in(text: str, goal: Goal) -> Iterator[tuple[int, Place, Place]]:
    """Return where each journey from town to town stands in a normal text, and its ends."""
    assert goal.country is not None
    seen: set[tuple[int, str]] = set()
    found = []
    for pattern in _leg_patterns(goal.language, goal.country.towns):
        for match in pattern.finditer(text):
            start, end = match.start("a"), match.group("b")
            if (start, end) in seen:
                continue
            seen.add((start, end))
            ends = [places_in(match.group(name), goal.country)[:1] for name in ("a", "b")]
            if ends[0] and ends[1] and ends[0] != ends[1]:
                found.append((start, ends[0][0], ends[1][0]))
    yield from sorted(found, key=lambda one: one[0])


def _text(document: Document) -> str:
    return "\n".join(line.text for line in document.body)


def _starts(document: Document, goal: Goal, found: Sequence[Stage]) -> Verdict:
    name = "start place"
    place, country = goal.start_place, goal.country
    assert country is not None
    if place is None:
        return not_applicable(name, "the goal leaves the start open")
    first = [stage for stage in found if stage.label.first == 1]
    text = "\n".join(stage.text for stage in first) if first else _text(document)
    legs = list(legs_in(text, goal))
    named = places_in(text, country)
    if place not in named:
        return verdict(name, False, f"{place.name('en')} is not in the first {goal.unit}")
    if legs and legs[0][1] != place and legs[0][2] != place:
        return verdict(name, False, f"it starts in {legs[0][1].name('en')}")
    if not first and named[0] != place:
        return verdict(name, False, f"it starts in {named[0].name('en')}")
    return verdict(name, True, f"it starts in {place.name('en')}")


def _ends(document: Document, goal: Goal, found: Sequence[Stage]) -> Verdict:
    name = "end place"
    place, country = goal.end_place, goal.country
    assert country is not None
    if place is None:
        return not_applicable(name, "the goal leaves the end open")
    last = [stage for stage in found if stage.label.last == goal.length]
    if found and not last:
        # The last day is missing, which another check says: the plan ends with its last stage.
        last = [max(found, key=lambda stage: stage.label.last)]
    # The last day may have several lines, "morning" and "evening"; the last one with a town counts.
    texts = [stage.text for stage in last if places_in(stage.text, country)]
    text = texts[-1] if texts else "" if last else _text(document)
    named = places_in(text, country)
    legs = [leg for leg in legs_in(text, goal) if not _returns(text, leg[0])]
    if legs and legs[-1][2] != place:
        return verdict(name, False, f"it ends in {legs[-1][2].name('en')}")
    if place not in named:
        return verdict(name, False, f"{place.name('en')} is not in the last {goal.unit}")
    if not last and named[-1] != place:
        return verdict(name, False, f"it ends in {named[-1].name('en')}")
    return verdict(name, True, f"it ends in {place.name('en')}")


def _returns(text: str, start: int) -> bool:
    """Return whether the line of a journey says that one comes back."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    return re.search(_AND_BACK, line) is not None


def _visits(document: Document, goal: Goal) -> Iterator[Verdict]:
    text = _text(document)
    for place in goal.visits:
        kept = pattern_of(place).search(text) is not None
        said = f"{place.name('en')} is {'in the plan' if kept else 'missing'}"
        yield verdict("visits", kept, said, about=place.name("en"))


def _number(document: Document, goal: Goal) -> Verdict:
    name = "number of places"
    if not goal.least_places or goal.country is None:
        return not_applicable(name, "the goal asks for no number of places")
    found = len(places_in(_text(document), goal.country))
    return verdict(name, found >= goal.least_places, f"{found} of {goal.least_places} towns")


def _legs(document: Document, goal: Goal, found: Sequence[Stage]) -> Verdict:
    """Check that each journey starts in a town where the plan is at that time.

    The plan is where the last journey went, or in any town that it names earlier on the same day or
    on the one before: day trips need not be told apart.
    """
    name = "legs"
    country = goal.country
    assert country is not None
    texts = [stage.text for stage in found] or [line.text for line in document.body]
    before: set[Place] = set()
    at: Place | None = None
    count = 0
    for text in texts:
        for start, a, b in legs_in(text, goal):
            count += 1
            near = {*before, *places_in(text[:start], country)}
            if at is not None or near:
                known = at == a or (a in near and (at is None or at in near or b == at))
                if not known and not (count == 1 and not near):
                    whence = at.name("en") if at else "elsewhere"
                    said = f"a leg from {a.name('en')} to {b.name('en')} while in {whence}"
                    return verdict(name, False, said)
            if not _returns(text, start):
                at = b
        here = places_in(text, country)
        if here and (at is None or at not in here):
            at = here[-1] if len(here) == 1 else None
        before = set(here) or before
    if not any(places_in(text, country) for text in texts):
        return verdict(name, False, "no town is named on any day")
    if not count and not _travels(document, goal):
        return verdict(name, False, "no journey to a town is described")
    return verdict(name, True, f"{count} legs start where one is")


def _travels(document: Document, goal: Goal) -> bool:
    """Return whether some line says that one travels to a town."""
    assert goal.country is not None
    travel = stems("|".join(merged(goal.language, "travel")))
    return any(
        travel.search(line.text) and places_in(line.text, goal.country) for line in document.body
    )


def _of_move(document: Document, goal: Goal) -> list[Verdict]:
    """Check a move: both towns are named, and nothing goes the wrong way only."""
    text = _text(document)
    found = []
    for name, place in (("start place", goal.start_place), ("end place", goal.end_place)):
        assert place is not None
        kept = pattern_of(place).search(text) is not None
        said = f"{place.name('en')} is {'in the plan' if kept else 'missing'}"
        found.append(verdict(name, kept, said))
    legs = [(a, b) for _, a, b in legs_in(text, goal)]
    if legs and (goal.start_place, goal.end_place) not in legs:
        a, b = legs[0]
        found[1] = verdict("end place", False, f"it goes from {a.name('en')} to {b.name('en')}")
    return [*found, not_applicable("visits", "a move"), not_applicable("legs", "a move")]
