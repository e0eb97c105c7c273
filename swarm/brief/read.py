"""Read a brief from a goal's text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from swarm.brief.clauses import whole_clauses, whole_costs
from swarm.brief.dates import dates
from swarm.brief.durations import MAX_DAYS, main_span
from swarm.brief.money import budgets, costs
from swarm.brief.passage import Found, Passage
from swarm.brief.people import child, counts, people, teams
from swarm.brief.places import places
from swarm.brief.requests import requests
from swarm.brief.trip import is_trip
from swarm.brief.wishes import rest_days, wishes
from swarm.core.brief import MAX_DEMANDS, MAX_SUMMARY, Brief

MAX_READ = 12_000
"""Characters of a goal that are looked at; goals are shorter."""

LONG_SENTENCE = 300
"""Characters of a sentence above which a summary has only its demands."""


def read_brief(goal: str, language: str = "", today: str = "") -> Brief:
    """Return what a goal demands, as far as code can read it.

    The same on every machine: neither its locale nor its clock counts. What is not surely read is
    left out.

    Args:
        goal: The text, as the person typed it.
        language: BCP 47 tag of the language to answer in; empty: the goal's own, which is detected.
        today: The day on which the goal was asked (ISO 8601), for dates without a year and
            "tomorrow"; empty: those stay without a date.
    """
    goal = goal[:MAX_READ]
    passage = Passage.of(goal)
    found = _demands(passage, today)
    return Brief(
        demands=[one.demand for one in found],
        summary=_summary(passage, found),
        language=language or passage.language,
    )


def _demands(passage: Passage, today: str) -> list[Found]:
    trip = is_trip(passage)
    found: list[Found] = []
    span = main_span(passage, trip=trip)
    if span is not None:
        found.append(passage.found("duration", span.at, span.end, value=span.value, unit=span.unit))
    when = dates(passage, today)
    if span is None and (between := _between(passage, when)) is not None:
        found.append(between)
    found += when
    found += places(passage, trip=trip)
    persons = people(passage)
    if persons is not None:
        found.append(persons)
    found += budgets(passage)
    wanted = costs(passage)
    if wanted is not None:
        found.append(wanted)
    wished = [one for one in wishes(passage) if not _held(one, found)]
    wished = whole_clauses(passage, wished, found)
    young = child(passage)
    if young is not None and not any(one.at < young.end and young.at < one.end for one in wished):
        wished.append(young)
    taken = {index for one in (*found, *wished) for index in range(one.at, one.end)}
    groups = teams(passage, taken)
    found += groups
    taken |= {index for one in groups for index in range(one.at, one.end)}
    found += counts(passage, taken)
    found += wished
    held = frozenset(index for one in found for index in range(one.at, one.end))
    found += requests(passage, held)
    found += rest_days(passage, found)
    if wanted is not None:
        others = [one for one in found if one is not wanted]
        whole = whole_costs(passage, wanted, others)
        found = [whole if one is wanted else one for one in found]
    return found[:MAX_DEMANDS]


def _between(passage: Passage, when: Sequence[Found]) -> Found | None:
    """Return the days from a start to an end that stand beside each other: "5 to 19 March"."""
    if [one.demand.kind for one in when] != ["start_date", "end_date"]:
        return None
    first, last = when
    if first.demand.date is None or last.demand.date is None or last.at - first.end > 3:
        return None
    days = (date.fromisoformat(last.demand.date) - date.fromisoformat(first.demand.date)).days + 1
    if not 1 <= days <= MAX_DAYS:
        return None
    return passage.found("duration", first.at, last.end, value=days, unit="day")


def _held(wish: Found, found: list[Found]) -> bool:
    """Return whether another demand says already what a wish says."""
    name = (wish.demand.name or "").casefold()
    placed = [one for one in found if one.demand.name and "place" in one.demand.kind]
    if any(name == (one.demand.name or "").casefold() for one in placed):
        return True
    return any(
        one.at < wish.end
        and wish.at < one.end
        and (one.demand.kind == "budget" or (one.demand.name or "").casefold() == name)
        for one in found
    )


def _summary(passage: Passage, found: list[Found]) -> str:
    """Return a long goal in short: its first sentence and those that hold demands, in order."""
    line = " ".join(passage.text.split())
    if len(line) <= MAX_SUMMARY or not passage.sentences:
        return line[:MAX_SUMMARY] if len(line) > MAX_SUMMARY else ""
    wanted = dict.fromkeys([passage.sentences[0], *(passage.sentence(one.at) for one in found)])
    left = MAX_SUMMARY
    kept: dict[int, str] = {}
    for first, last in wanted:
        text = passage.raw(first, last)
        if len(text) > LONG_SENTENCE:
            text = _in_short(text, [one for one in found if first <= one.at < last], first == 0)
        if text and len(text) + 2 <= left:
            kept[first] = text
            left -= len(text) + 2
    return ". ".join(kept[first] for first in sorted(kept))


def _in_short(text: str, found: Sequence[Found], opens: bool) -> str:
    """Return a sentence without stops by its demands, after its beginning if it opens the goal."""
    texts = dict.fromkeys(one.demand.text for one in found)
    return "; ".join([*([text[: LONG_SENTENCE // 2]] if opens else []), *texts])[
        : LONG_SENTENCE * 2
    ]
