"""Days or weeks: each covered once, in order, and their dates."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence

from benchmarks.quality.checks.verdict import Verdict, not_applicable, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.labels import Label, dates_in, labelled, labels_in_prose
from benchmarks.quality.reading import Document, Line

DATED_CHARS = 80
"""A date within so many characters after a label is the date of that day or week."""


DATE_CHARS = 30
"""A line of so many characters below a label may be its date: "Date: 6 February"."""


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check coverage, order and dates."""
    found = [label for _, label in labelled(document, goal)]
    prose = False
    if len({number for label in found for number in _numbers(label)}) < goal.length / 2:
        written = labels_in_prose(document, goal)
        prose = len(written) > len(found)
        found = written if prose else found
    runs = _runs(found)
    return [_covered(runs, goal, prose=prose), _ordered(runs, goal), _dated(document, goal)]


def _numbers(label: Label) -> range:
    return range(label.first, label.last + 1)


def _runs(labels: Sequence[Label]) -> list[Label]:
    """Return the labels without repetitions of one day in a row, and without those in a range."""
    runs: list[Label] = []
    container: Label | None = None
    for label in labels:
        if container and container.first <= label.first and label.last <= container.last:
            continue
        if runs and (runs[-1].first, runs[-1].last) == (label.first, label.last):
            continue
        runs.append(label)
        container = label if label.last > label.first else None
    return runs


def _covered(runs: Sequence[Label], goal: Goal, *, prose: bool) -> Verdict:
    name = "covered once"
    times: dict[int, int] = {}
    for run in runs:
        for number in _numbers(run):
            times[number] = times.get(number, 0) + 1
    missing = [number for number in range(1, goal.length + 1) if number not in times]
    beyond = sorted(number for number in times if number > goal.length)
    # Prose may name a day again; what is labelled twice is planned twice.
    double = [] if prose else sorted(n for n, count in times.items() if count > 1)
    if not times:
        return verdict(name, False, f"no {goal.unit} is labelled")
    if missing:
        return verdict(name, False, f"no {goal.unit} {_list(missing)}")
    if beyond:
        return verdict(name, False, f"{goal.unit} {_list(beyond)} of {goal.length}")
    if double:
        return verdict(name, False, f"{goal.unit} {_list(double)} more than once")
    return verdict(name, True, f"{goal.unit}s 1 to {goal.length}")


def _list(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:6]))
    return shown + (", ..." if len(numbers) > 6 else "")


def _ordered(runs: Sequence[Label], goal: Goal) -> Verdict:
    """Check the order of first mentions: that one is planned twice is another check's finding."""
    name = "in order"
    seen: list[int] = []
    for run in runs:
        seen += [number for number in _numbers(run) if number not in seen]
    if len(seen) < goal.length / 2:
        return verdict(name, False, f"too few {goal.unit}s are labelled to be in order")
    for before, after in itertools.pairwise(seen):
        if after < before:
            return verdict(name, False, f"{goal.unit} {after} comes after {goal.unit} {before}")
    return verdict(name, True, f"{goal.unit}s rise")


def _dated(document: Document, goal: Goal) -> Verdict:
    name = "dates"
    if goal.start is None:
        return not_applicable(name, "the goal names no date")
    right = 0
    for line, label in labelled(document, goal):
        dates = dates_in(line.text, goal)
        near = [one for one in dates if one.start < label.end + DATED_CHARS]
        # "Day 3 - 5 May": the number of the day is no date.
        near = [
            one
            for one in (dates_in(line.text[label.end :], goal) or near)
            if one.start < DATED_CHARS
        ]
        if not near and (below := _line_below(document, line)) is not None:
            near = dates_in(below.text, goal)
        if not near:
            continue
        first, last = _span(goal, label)
        one = near[0]
        fits = first <= one.first <= last and first <= one.last <= last + datetime.timedelta(days=1)
        if goal.unit == "day" and label.first <= goal.length:
            fits = one.first == first and (one.last in (first, last) or len(near) > 1)
        if not fits:
            said = f"{goal.unit} {label.first} is said to be {one.first:%d %B}"
            return verdict(name, False, f"{said}, but it is {first:%d %B}")
        right += 1
    if not right:
        return verdict(name, False, f"no {goal.unit} has its date")
    if not _has_start(document, goal):
        return verdict(name, False, f"the start {goal.start:%d %B} is not in the plan")
    return verdict(name, True, f"{right} dates agree with their {goal.unit}s")


def _line_below(document: Document, line: Line) -> Line | None:
    """Return the line below another if it is so short that it may be its date; else None."""
    index = next(number for number, one in enumerate(document.lines) if one is line)
    below = document.lines[index + 1 : index + 2]
    return below[0] if below and len(below[0].text) <= DATE_CHARS else None


def _span(goal: Goal, label: Label) -> tuple[datetime.date, datetime.date]:
    """Return the first and last date of a label."""
    assert goal.start is not None
    size = 1 if goal.unit == "day" else 7
    first = goal.start + datetime.timedelta(days=size * (label.first - 1))
    last = goal.start + datetime.timedelta(days=size * label.last - 1)
    return first, last


def _has_start(document: Document, goal: Goal) -> bool:
    # Without its label, a line such as "Week 1 - 28 August" has another date.
    texts = [line.text for line in document.lines]
    texts += [line.text[label.end :] for line, label in labelled(document, goal)]
    return any(one.first == goal.start for text in texts for one in dates_in(text, goal))
