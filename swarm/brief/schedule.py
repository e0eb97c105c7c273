"""Whether the days or weeks of a text are there once and in order, and agree with its dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.part import Part
from swarm.brief.phrases import LANGUAGES, phrases
from swarm.brief.steps import Step, StepUnit, steps_in
from swarm.core.brief import Brief

MOST_PLANNED = {"hour": 0, "day": 100, "week": 60, "month": 0}
"""Longest duration, in its unit, of which each step is expected in a plan."""

DAYS_A_WEEK = 7

SHARED_STEPS = 1
"""Steps that two ranges may share: a travel day belongs to both."""

_HEADING = re.compile(r"^\s*(#{1,6})\s+(.*)$", re.MULTILINE)
_COST_WORDS = re.compile(
    r"^\W*(?:(?:estimated|total|expected|trip)\s+)?(?:costs?|budget|expenses|prices|cost table)\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


@dataclass(frozen=True, slots=True)
class Count:
    """How the steps of a text compare with those expected.

    Attributes:
        named: The single steps that begin lines, in the order of the text.
        missing: Steps expected but not there.
        doubled: Steps that are there twice.
        outside: Steps that no one expects.
        ordered: Whether they rise.
        found: Whether any step begins a line.
    """

    named: tuple[int, ...]
    missing: tuple[int, ...]
    doubled: tuple[int, ...]
    outside: tuple[int, ...]
    ordered: bool
    found: bool

    @property
    def right(self) -> bool:
        """Whether every step is there once and in order."""
        return self.found and self.ordered and not (self.missing or self.doubled or self.outside)


def unit_of(brief: Brief) -> StepUnit:
    """Return the unit in which the parts of a plan count: weeks if the brief does, else days."""
    duration = brief.first("duration")
    if duration is not None and duration.unit in ("week", "month", "hour"):
        unit: StepUnit = "week" if duration.unit == "week" else "day"
        if duration.unit == "month":
            unit = "month"
        return unit
    return "day"


@lru_cache(maxsize=32)
def own_steps(text: str, unit: StepUnit) -> tuple[Step, ...]:
    """Return the steps of a unit that begin lines of a text, without those of its cost tables.

    The checks of one text ask for the same steps several times, so the latest texts' are kept.
    """
    outside = _cost_sections(text)
    return tuple(
        step
        for step in steps_in(text, unit)
        if step.heads and not any(start <= step.start < end for start, end in outside)
    )


def count(text: str, unit: StepUnit, first: int, last: int) -> Count:
    """Return how the steps that begin a text's lines compare with those from `first` to `last`."""
    return _count(text, own_steps(text, unit), first, last)


def _count(text: str, steps: Sequence[Step], first: int, last: int) -> Count:
    steps = _without_echoes(text, steps)
    named = [step.first for step in steps if step.first == step.last]
    named = _without_overview(named)
    ranges = [step for step in steps if step.first != step.last]
    expected = set(range(first, last + 1))
    covered = set(named).union(*(step.numbers for step in ranges))
    doubled = {number for number in named if named.count(number) > 1}
    whole = [step for step in ranges if not set(step.numbers) >= expected]
    for index, step in enumerate(whole):
        for other in whole[index + 1 :]:
            shared = set(step.numbers) & set(other.numbers)
            nested = shared in (set(step.numbers), set(other.numbers))
            if len(shared) > SHARED_STEPS and (not nested or step.numbers == other.numbers):
                doubled |= shared
    firsts = [step.first for step in ranges]
    return Count(
        tuple(named),
        tuple(sorted(expected - covered)),
        tuple(sorted(doubled)),
        tuple(sorted(covered - expected)),
        named == sorted(named) and firsts == sorted(firsts),
        bool(steps),
    )


def check_part_steps(brief: Brief, part: Part, text: str) -> Check:
    """Return whether each step of a part is in its text once and in order, and no other."""
    if part.first is None:
        return not_checked("days", "The part has no days.")
    last = part.last if part.last is not None else part.first
    unit = unit_of(brief)
    return _verdict(count(text, unit, part.first, last), unit, part.first, last)


def check_plan_steps(brief: Brief, text: str, demand: int | None = None) -> Check:
    """Return whether each step of the goal's duration is in a plan once and in order.

    Args:
        brief: What the goal demands.
        text: The plan.
        demand: Index of the demand for a duration.
    """
    duration = brief.demands[demand] if demand is not None else brief.first("duration")
    if duration is None or not duration.value:
        return not_checked("days", "The goal names no duration.", demand)
    unit, last = unit_of(brief), duration.value
    if not 1 < last <= MOST_PLANNED.get(duration.unit or "", 0):
        return not_checked("days", "Code does not count such a duration in a plan.", demand)
    steps, unit, last = _in_one_unit(text, unit, last)
    if not steps:
        if unit == "week":
            return not_checked("days", "No line begins with a day or a week.", demand)
        return not_met("days", "No line begins with a day.", demand, tuple(range(1, last + 1)))
    return _verdict(_count(text, steps, 1, last), unit, 1, last, demand)


def check_dates(brief: Brief, text: str) -> Check:
    """Return whether the dates beside the days of a text are those that the start date gives."""
    start = start_of(brief)
    if start is None:
        return not_checked("dates", "The goal names no start date.")
    wrong = []
    dated = 0
    for line, step in _step_lines(text, unit_of(brief)):
        if (found := date_in(line)) is None or step.first != step.last:
            continue
        dated += 1
        if found != date_of(start, step.first, unit_of(brief)):
            wrong.append(step.first)
    if wrong:
        return not_met("dates", "Dates do not agree with the days.", steps=tuple(wrong))
    if not dated:
        return not_checked("dates", "No day has a date that code can read.")
    return met("dates", "Dates agree with the days.")


def start_of(brief: Brief) -> date | None:
    """Return the day on which a plan starts; None if the brief does not say."""
    demand = brief.first("start_date")
    if demand is None or demand.date is None:
        return None
    try:
        return date.fromisoformat(demand.date)
    except ValueError:
        return None


def date_of(start: date, step: int, unit: StepUnit) -> date | None:
    """Return the date of a step's first day; None if the calendar has no such day."""
    days = DAYS_A_WEEK if unit == "week" else 1
    try:
        return start + timedelta(days=(step - 1) * days)
    except OverflowError:
        return None


def date_in(line: str) -> date | None:
    """Return the first date in ISO 8601 in a line; None if there is none."""
    for match in _ISO.finditer(line):
        try:
            return date(*map(int, match.groups()))
        except ValueError:
            continue
    return None


def block_of(text: str, unit: StepUnit, number: int) -> str:
    """Return the lines of a step: from its own to the next step's; empty if it is not there."""
    steps = own_steps(text, unit)
    for index, step in enumerate(steps):
        if number in step.numbers and step.last == number:
            later = [other.start for other in steps[index + 1 :] if other.first > number]
            end = later[0] if later else len(text)
            return text[text.rfind("\n", 0, step.start) + 1 : end]
    return ""


def _verdict(
    counted: Count, unit: StepUnit, first: int, last: int, demand: int | None = None
) -> Check:
    if not counted.found:
        if first == last:
            return not_checked("days", f"No line begins with the {unit}.", demand)
        return not_met(
            "days", f"No line begins with a {unit}.", demand, tuple(range(first, last + 1))
        )
    said = []
    if counted.missing:
        said.append(f"{_names(unit, counted.missing)} missing")
    if counted.outside:
        said.append(f"{_names(unit, counted.outside)} outside {first} to {last}")
    if counted.doubled:
        said.append(f"{_names(unit, counted.doubled)} there twice")
    if not counted.ordered:
        said.append(f"the {unit}s are not in order")
    if not said:
        return met(
            "days", f"Every {unit} from {first} to {last} is there once and in order.", demand
        )
    concerned = sorted({*counted.missing, *counted.outside, *counted.doubled})
    text = "; ".join(said)
    return not_met("days", f"{text[0].upper()}{text[1:]}.", demand, tuple(concerned))


def _names(unit: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    return f"{unit} {shown}" if len(numbers) == 1 else f"{unit}s {shown}"


def _without_echoes(text: str, steps: Sequence[Step]) -> list[Step]:
    """Drop the heading of a step if the step's own line follows it: "## Day 4", then "Day 4: …"."""
    headings = {match.start(2): match for match in _HEADING.finditer(text)}
    kept = []
    for step, after in zip(steps, [*steps[1:], None], strict=False):
        line = text[text.rfind("\n", 0, step.start) + 1 : step.start]
        headed = "#" in line or any(
            start <= step.start <= match.end() for start, match in headings.items()
        )
        if headed and after is not None and (step.first, step.last) == (after.first, after.last):
            continue
        kept.append(step)
    return kept


def _without_overview(named: list[int]) -> list[int]:
    """Drop an overview of all steps that comes before the steps themselves."""
    half = len(named) // 2
    if half > 1 and named[:half] == named[half:] == sorted(set(named)):
        return named[half:]
    return named


def _in_one_unit(text: str, unit: StepUnit, last: int) -> tuple[Sequence[Step], StepUnit, int]:
    """Return a plan's steps in the unit that the plan itself counts in, and the last of them.

    A plan of 14 days may count weeks, one of two weeks days, and one with headings of weeks may
    begin each week with day 1 again.
    """
    days, weeks = own_steps(text, "day"), own_steps(text, "week")
    if unit == "week":
        if weeks or not days:
            return weeks, "week", last
        return days, "day", last * DAYS_A_WEEK
    if unit == "day" and weeks and last % DAYS_A_WEEK == 0:
        if not days:
            return weeks, "week", last // DAYS_A_WEEK
        if last > DAYS_A_WEEK and max(day.last for day in days) <= DAYS_A_WEEK:
            return _counted_on(days, weeks), "day", last
    return own_steps(text, unit), unit, last


def _counted_on(days: Sequence[Step], weeks: Sequence[Step]) -> list[Step]:
    """Return days that are numbered from 1 in each week with their numbers in the whole plan."""
    counted = []
    for day in days:
        before = [week for week in weeks if week.start < day.start]
        shift = (before[-1].first - 1) * DAYS_A_WEEK if before else 0
        counted.append(
            Step(day.first + shift, day.last + shift, day.start, day.end, day.heads, day.counted)
        )
    return counted


def _step_lines(text: str, unit: StepUnit) -> list[tuple[str, Step]]:
    found = []
    for step in own_steps(text, unit):
        end = text.find("\n", step.end)
        found.append((text[step.start : end if end >= 0 else len(text)], step))
    return found


def _cost_sections(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each section whose heading announces costs."""
    titles = {phrases(language).costs.casefold() for language in LANGUAGES}
    matches = list(_HEADING.finditer(text))
    found = []
    for index, match in enumerate(matches):
        title = match.group(2).strip("*_: ")
        if title.casefold() not in titles and not _COST_WORDS.match(title):
            continue
        level = len(match.group(1))
        after = [other.start() for other in matches[index + 1 :] if len(other.group(1)) <= level]
        found.append((match.start(), after[0] if after else len(text)))
    return found
