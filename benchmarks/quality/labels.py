"""Labels of days and weeks ("Days 3-5", "तीसरा दिन"), dates, and the stages that they begin."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from benchmarks.quality.goals import Goal, Unit
from benchmarks.quality.lexicon import lexicons, merged
from benchmarks.quality.matching import END, START, either, normal, stems
from benchmarks.quality.reading import Document, Line, leads

FIRST_CHARS = 28
"""A label begins within so many characters of a line that is no heading."""

_DASH = r"\s*(?:-|–|—|~|/|&)\s*"
_ORDINAL_ENDING = r"(?:st|nd|rd|th|वां|वा|वें|वीं|ला|ली|रा|री|था|واں|ویں|ا|ই|শে|লা|রা|ঠা|ম|য়|র্থ|ষ্ঠ|তম|hb)"


@dataclass(frozen=True, slots=True)
class Label:
    """The days or weeks that a line is about, first to last, and where the label ends in it.

    `by_date` tells that only a date says so.
    """

    first: int
    last: int
    end: int
    by_date: bool = False


@dataclass(frozen=True, slots=True)
class Dated:
    """A date or range of dates in a text, and where it stands."""

    first: datetime.date
    last: datetime.date
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a plan says about some days or weeks: a labelled line and those until the next label."""

    label: Label
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Its lines, one below the other."""
        return "\n".join(line.text for line in self.lines)


@cache
def _numbers(language: str) -> dict[str, int]:
    return {
        word: value for lexicon in lexicons(language) for word, value in lexicon.numbers.items()
    }


@cache
def _ordinals(language: str) -> dict[str, int]:
    return {
        word: value for lexicon in lexicons(language) for word, value in lexicon.ordinals.items()
    }


def number_of(word: str, language: str) -> int | None:
    """Return the number that digits or a cardinal word say; None for other words."""
    word = normal(word)
    if word.isdigit():
        return int(word)
    return _numbers(language).get(word)


@cache
def number_pattern(language: str) -> str:
    """Return a pattern of a number up to 999 in digits, or of a cardinal word."""
    words = sorted(map(re.escape, _numbers(language)), key=len, reverse=True)
    return rf"(?:(?<![\d.,])\d{{1,3}}(?![\d]|[.,:]\d)|{START}(?:{'|'.join(words)}){END})"


@cache
def _label_patterns(language: str, unit: Unit) -> tuple[re.Pattern[str], ...]:
    word = either(*merged(language, unit)).pattern
    to = either(*merged(language, "to")).pattern
    month = either(*_months(language)).pattern
    # "On that day four friends help" has no label: a word is one only if nothing follows it.
    alone = r"(?=\s*(?:$|[\n:.,;()|–—-]))"
    cardinal = either(*_numbers(language)).pattern
    number = rf"(?:\d{{1,2}}|{cardinal}{alone})"
    ordinal = either(*_ordinals(language)).pattern
    through = rf"(?:{_DASH}|\s+{to}\s+)"
    no_date = (
        rf"(?!\d|\s*(?:{month})|\s*[:.–-]\s*\d|\s*(?:am|pm|km|%|€|\$)|{_ORDINAL_ENDING}?\s*{month})"
    )
    mark = r"\s*(?:#|no\.?\s|ke-?|नंबर\s|نمبر\s|नं\.?\s)?\s*"
    return (
        re.compile(
            rf"(?<!\bthe ){word}{mark}(?P<a>{number})"
            rf"(?:{through}(?:{word}\s*)?(?P<b>\d{{1,2}}){no_date})?(?![\d,]\d)"
        ),
        re.compile(rf"^(?:on\s+)?{word}\s+(?P<a>{cardinal})", re.MULTILINE),
        re.compile(rf"(?P<a>{ordinal})\s+(?:{to}\s+(?P<b>{ordinal})\s+)?{word}"),
        re.compile(rf"{word}\s+(?P<a>{ordinal})(?:\s+{to}\s+(?P<b>{ordinal}))?"),
        re.compile(rf"(?P<a>\d{{1,2}}){_ORDINAL_ENDING}\s+{word}"),
    )


@cache
def _months(language: str) -> tuple[str, ...]:
    return tuple(
        name
        for lexicon in lexicons(language)
        for names in lexicon.months
        for name in names.split("|")
    )


@cache
def _month_numbers(language: str) -> dict[str, int]:
    return {
        normal(name): number
        for lexicon in lexicons(language)
        for number, names in enumerate(lexicon.months, start=1)
        for name in names.split("|")
    }


def label_in(text: str, goal: Goal) -> Label | None:
    """Return the first label of the goal's unit in a normal text; None if there is none."""
    found = [
        match
        for pattern in _label_patterns(goal.language, goal.unit)
        if (match := pattern.search(text)) is not None
    ]
    if not found:
        return None
    match = min(found, key=lambda one: (one.start(), -one.end()))
    first = _value(match.group("a"), goal.language)
    second = match.groupdict().get("b")
    last = _value(second, goal.language) if second else first
    if first is None or last is None or first < 1 or last < first:
        return Label(first, first, match.end()) if first else None
    return Label(first, last, match.end())


def _value(word: str, language: str) -> int | None:
    word = normal(word)
    return number_of(word, language) or _ordinals(language).get(word)


def label_of(line: Line, goal: Goal) -> Label | None:
    """Return the label with which a line begins, or that its heading or first cell has.

    Where a goal names the first day, a date is a label too.
    """
    if line.kind == "row":
        return _label_of_row(line, goal)
    text = leads(line)
    found = label_in(text, goal)
    if found is not None and (line.kind == "heading" or _begins(text, found, goal)):
        return found
    down = _countdown(text, goal)
    if down is not None:
        return down
    return _label_by_date(text, goal) if found is None else None


def _begins(text: str, found: Label, goal: Goal) -> bool:
    """Return whether a label stands at the beginning, with at most two words before it."""
    starts = [
        match.start()
        for pattern in _label_patterns(goal.language, goal.unit)
        if (match := pattern.search(text)) is not None
    ]
    before = text[: min(starts)]
    return (
        len(before) <= FIRST_CHARS and len(before.split()) <= 2 and not re.search(r"[.;]", before)
    )


def _label_of_row(line: Line, goal: Goal) -> Label | None:
    if line.is_table_head or not line.cells:
        return None
    for cell in line.cells[:2]:
        if (found := label_in(cell, goal)) is not None:
            return found
    head = line.header[0] if line.header else ""
    if stems("|".join(merged(goal.language, goal.unit))).search(head):
        match = re.fullmatch(r"\D{0,3}(\d{1,2})(?:" + _DASH + r"(\d{1,2}))?\D{0,3}", line.cells[0])
        if match is not None:
            first = int(match.group(1))
            return Label(first, int(match.group(2) or first), match.end())
    return _label_by_date(line.cells[0], goal)


def _countdown(text: str, goal: Goal) -> Label | None:
    """Return the label of "3 weeks before" in a plan that counts its weeks down."""
    if goal.unit != "week":
        return None
    word = either(*merged(goal.language, "week")).pattern
    before = either(*merged(goal.language, "before")).pattern
    number = either(*_numbers(goal.language)).pattern
    match = re.match(rf"\W*(\d{{1,2}}|{number})\s+{word}\s+{before}", text)
    value = number_of(match.group(1), goal.language) if match is not None else None
    if match is None or value is None or not 1 <= value <= goal.length:
        return None
    week = goal.length + 1 - value
    return Label(week, week, match.end())


def _label_by_date(text: str, goal: Goal) -> Label | None:
    if goal.start is None:
        return None
    dated = next(iter(dates_in(text, goal)), None)
    if dated is None or dated.start > FIRST_CHARS:
        return None
    first, last = ((date - goal.start).days for date in (dated.first, dated.last))
    if goal.unit == "week":
        first, last = first // 7, last // 7
    if not 0 <= first <= last < goal.length:
        return None
    return Label(first + 1, last + 1, dated.end, by_date=True)


@cache
def _date_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    month = either(*_months(language)).pattern
    to = either(*merged(language, "to")).pattern
    day = rf"(?<![\d.,])(?P<{{0}}>\d{{{{1,2}}}})(?:{_ORDINAL_ENDING})?"
    first, last = day.format("a"), day.format("b")
    through = rf"(?:{_DASH}|\s+{to}\s+)"
    year = r"(?:,?\s*(?P<y>20\d\d))?"
    return (
        re.compile(
            rf"{first}\s*(?:of\s+)?(?P<m>{month})?{through}{last}\s*(?:of\s+)?(?P<n>{month}){year}"
        ),
        re.compile(rf"{first}\s*(?:of\s+|,\s*)?(?P<m>{month}){year}"),
        re.compile(rf"(?P<m>{month})\.?\s+{first}(?![\d:]){through}(?P<b>\d{{1,2}})(?!\d)"),
        re.compile(rf"(?P<m>{month})\.?\s+{first}(?![\d:]|[.,]\d){year}"),
        re.compile(r"(?<!\d)(?P<y>20\d\d)-(?P<k>\d\d)-(?P<a>\d\d)(?!\d)"),
        re.compile(r"(?<!\d)(?P<a>\d{1,2})[/.](?P<k>\d{1,2})[/.](?P<y>20\d\d)(?!\d)"),
    )


def dates_in(text: str, goal: Goal) -> list[Dated]:
    """Return the dates in a normal text, in the goal's year unless they name another."""
    months = _month_numbers(goal.language)
    default = goal.start.year if goal.start else 2027
    found: list[Dated] = []
    for pattern in _date_patterns(goal.language):
        for match in pattern.finditer(text):
            if any(match.start() < one.end and one.start < match.end() for one in found):
                continue
            groups = match.groupdict()
            # A plan may put the goal's dates into another year: only day and month are compared.
            month = int(groups["k"]) if groups.get("k") else 0
            late = months.get(groups.get("n") or "", 0) or months.get(groups.get("m") or "", month)
            early = months.get(groups.get("m") or "", 0) or late or month
            first = _date(default, early, int(groups["a"]))
            last = _date(default, late or month, int(groups["b"])) if groups.get("b") else first
            if first is not None and last is not None:
                if last < first:
                    last = first
                found.append(Dated(first, last, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def is_aside(document: Document, line: Line, goal: Goal) -> bool:
    """Return whether a line is in a section beside the plan itself: costs, notes, packing."""
    above = document.heading(line)
    if not above or label_in(above, goal) is not None:
        return False
    return any(stems(lexicon.aside).search(above) for lexicon in lexicons(goal.language))


def labelled(document: Document, goal: Goal) -> list[tuple[Line, Label]]:
    """Return the labelled lines of the plan itself, in order.

    A heading over a range whose days are labelled below it is left out. Sections beside the plan,
    such as costs by day, count only if nothing else is labelled, and so do dates: "Date: 3 May"
    below "Day 3" is no label.
    """
    every = [
        (line, label) for line in document.lines if (label := label_of(line, goal)) is not None
    ]
    every = [(line, label) for line, label in every if not label.by_date] or every
    main = [(line, label) for line, label in every if not is_aside(document, line, goal)]
    chosen = main or every
    return [
        (line, label)
        for index, (line, label) in enumerate(chosen)
        if not _is_container(line, label, chosen[index + 1 :])
    ] or chosen


def _is_container(line: Line, label: Label, after: Sequence[tuple[Line, Label]]) -> bool:
    """Return whether the days of a range are all labelled one by one below it."""
    if label.first == label.last:
        return False
    inside: set[int] = set()
    for _, below in after:
        narrower = below.last - below.first < label.last - label.first
        if not (label.first <= below.first and below.last <= label.last and narrower):
            break
        inside |= set(range(below.first, below.last + 1))
    return inside >= set(range(label.first, label.last + 1))


def labels_in_prose(document: Document, goal: Goal) -> list[Label]:
    """Return every label in the text, for plans that are written as prose."""
    found: list[tuple[int, Label]] = []
    text = "\n".join(line.text for line in document.lines)
    for pattern in _label_patterns(goal.language, goal.unit):
        for match in pattern.finditer(text):
            label = label_in(match.group(), goal)
            if label is not None:
                found.append((match.start(), label))
    return [label for _, label in sorted(found, key=lambda one: one[0])]


def stages(document: Document, goal: Goal) -> list[Stage]:
    """Return the stages of a plan: each labelled line with those that follow it.

    A stage ends with the next label, and with a heading at or above the level of its own.
    """
    marks = {id(line): label for line, label in labelled(document, goal)}
    return list(_staged(document, marks, goal))


def _staged(document: Document, marks: dict[int, Label], goal: Goal) -> Iterator[Stage]:
    label: Label | None = None
    lines: list[Line] = []
    level = 0
    pending: list[Line] = []
    for line in document.lines:
        found = marks.get(id(line))
        if found is not None:
            if label is not None:
                yield Stage(label=label, lines=tuple(lines))
            # The heading of the part belongs to its first day: "## Kyoto", "- Day 4: ...".
            label, lines = found, [*pending, line]
            level = line.level or 8
            pending = []
        elif line.kind == "heading" and line.level <= level:
            if label is not None:
                yield Stage(label=label, lines=tuple(lines))
            label, lines, pending = None, [], [line]
        elif label is not None and not is_aside(document, line, goal):
            lines.append(line)
        elif line.kind == "heading":
            pending = [line]
    if label is not None:
        yield Stage(label=label, lines=tuple(lines))
