"""A plan's text as the checks read it: lines with their kinds, in sections, and only the plan.

What only repeats the request earns nothing, whoever wrote it. So `read` leaves out the title, the
preface and the report that the product's code adds, sections that restate the request, and copies
of the goal's own sentences; and what is said before and after the plan is not its body. It does the
same for every arm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from rapidfuzz import fuzz

from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import LEXICONS, lexicons, merged
from benchmarks.quality.matching import normal, stems
from swarm.brief.report import heading

Kind = Literal["heading", "item", "row", "text"]

COPIED = 85
"""Similarity in percent from which a line is a copy of the goal or of one of its sentences."""

RESTATED = 3
"""So many copies of the goal's sentences in a row are a list of the request."""

HEADING_WORDS = 7
"""A heading of more words is a sentence about something else than the request."""

BOLD_LEVEL = 7
"""Level of a line that is bold as a whole, below all headings."""

_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)([^*_]{2,90})(?:\*\*|__)\s*:?\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•▪●]|\d{1,2}[.)]|[०-९০-৯۰-۹]{1,2}[.)])\s+(.*)$")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-{2,}[\s:|-]*\|?\s*$")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a plan.

    Attributes:
        raw: As it was written.
        text: Its normal form, without marks of Markdown.
        kind: What it is.
        level: Of a heading, 1 to 7; 0 for others.
        cells: Normal cells of a row of a table; empty for others.
        header: The cells of the table's first row; empty for others and for that row itself.
        section: Number of its section: the heading and what follows it.
        is_table_head: Whether it is the first row of a table.
    """

    raw: str
    text: str
    kind: Kind
    level: int = 0
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    section: int = 0
    is_table_head: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A plan as the checks read it.

    Attributes:
        lines: Everything that is left, empty lines excluded.
        body: The lines without an introduction and a closing remark: what counts as planned.
        raw: The text that is left, as it was written.
        copies: Lines that were left out because they copy the goal.
    """

    lines: tuple[Line, ...]
    body: tuple[Line, ...]
    raw: str
    copies: tuple[Line, ...] = ()
    _headings: dict[int, Line] = field(default_factory=dict)

    def heading(self, line: Line) -> str:
        """Return the normal text of the heading above a line; empty if there is none."""
        found = self._headings.get(line.section)
        return found.text if found else ""

    @property
    def sections(self) -> tuple[tuple[Line, ...], ...]:
        """The lines of each section, its heading first."""
        found: dict[int, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line.section, []).append(line)
        return tuple(map(tuple, found.values()))


def read(text: str, goal: Goal, headings: Sequence[str] = ()) -> Document:
    """Return a plan without its title, report, preface and copies of the request.

    Args:
        text: The plan as people see it.
        goal: What it is for.
        headings: Headings of sections to leave out besides those of `product_headings`.
    """
    lines = list(_parsed(text))
    lines = _without_sections(lines, goal, (*product_headings(), *headings))
    before = lines
    lines = _without_copies(lines, goal)
    remaining = set(map(id, lines))
    copies = tuple(line for line in before if id(line) not in remaining)
    lines = list(_numbered(lines))
    above = {line.section: line for line in lines if line.kind == "heading"}
    return Document(
        lines=tuple(lines),
        body=tuple(_body(lines, goal.language)),
        raw="\n".join(line.raw for line in lines),
        copies=copies,
        _headings=above,
    )


@cache
def product_headings() -> tuple[str, ...]:
    """Return the headings of the sections that the product's code adds about the request.

    Only these texts are shared with the product, so that what it says of itself is left out.
    """
    return tuple(heading(code) for code in LEXICONS)


def plain(text: str) -> str:
    """Return a normal text without marks of Markdown and with single spaces."""
    return " ".join(_EMPHASIS.sub("", normal(text)).split())


def _parsed(text: str) -> Iterator[Line]:
    header: tuple[str, ...] = ()
    for raw in text.splitlines():
        if not raw.strip() or raw.strip().startswith("```"):
            header = ()
            continue
        if _RULE.match(raw):
            continue
        if raw.strip().startswith("|") or raw.count("|") >= 2:
            cells = tuple(plain(cell) for cell in raw.strip().strip("|").split("|"))
            row = Line(raw=raw, text=" | ".join(cells), kind="row", cells=cells, header=header)
            yield replace(row, is_table_head=not header)
            header = header or cells
            continue
        header = ()
        if (match := _HEADING.match(raw)) is not None:
            level = len(match.group(1))
            yield Line(raw=raw, text=plain(match.group(2)), kind="heading", level=level)
        elif (match := _BOLD.match(raw)) is not None:
            yield Line(raw=raw, text=plain(match.group(1)), kind="heading", level=BOLD_LEVEL)
        elif (match := _ITEM.match(raw)) is not None:
            yield Line(raw=raw, text=plain(match.group(1)), kind="item")
        else:
            yield Line(raw=raw, text=plain(raw), kind="text")


def _without_sections(lines: Sequence[Line], goal: Goal, headings: Sequence[str]) -> list[Line]:
    """Leave out the sections under the given headings, and those that restate the request."""
    named = [plain(heading.lstrip("# ")) for heading in headings if heading.strip("# ")]
    restating = [stems(lexicon.request) for lexicon in lexicons(goal.language)]
    kept: list[Line] = []
    leaving = 0
    for line in lines:
        if line.kind == "heading":
            if leaving and line.level <= leaving:
                leaving = 0
            if not leaving and (
                any(line.text.rstrip(":") == name.rstrip(":") for name in named)
                or (
                    len(line.text.split()) <= HEADING_WORDS
                    and any(pattern.search(line.text) for pattern in restating)
                )
            ):
                leaving = line.level
        if not leaving:
            kept.append(line)
    return kept


def _without_copies(lines: Sequence[Line], goal: Goal) -> list[Line]:
    """Leave out copies of the goal, and lists of its sentences."""
    whole = plain(goal.text)
    sentences = [part for part in re.split(r"(?<=[.!?।۔])\s+", whole) if len(part) > 8]
    kept: list[Line] = []
    run: list[Line] = []

    def close() -> None:
        if len(run) < RESTATED:
            kept.extend(run)
        run.clear()

    for line in lines:
        if fuzz.ratio(line.text, whole) >= COPIED or (
            line.kind != "item" and whole in line.text and len(line.text) < 2 * len(whole)
        ):
            continue
        if any(fuzz.ratio(line.text, sentence) >= COPIED for sentence in sentences):
            run.append(line)
            continue
        close()
        kept.append(line)
    close()
    return kept


def _numbered(lines: Sequence[Line]) -> Iterator[Line]:
    section = 0
    for line in lines:
        if line.kind == "heading":
            section += 1
        yield replace(line, section=section)


def _body(lines: Sequence[Line], language: str) -> Sequence[Line]:
    """Return the lines from the first heading, item or row on; all if there is none of these.

    Remarks about the plan after the last of them are no plan either: "This plan has a rest day."
    """
    frame = [
        index
        for index, line in enumerate(lines)
        if line.kind != "text" and not (index == 0 and line.level == 1)
    ]
    if not frame:
        return lines
    itself = stems("|".join(merged(language, "itself")))
    return [
        line
        for index, line in enumerate(lines)
        if index >= frame[0] and not (index > frame[-1] and itself.search(line.text))
    ]


def leads(line: Line) -> str:
    """Return the beginning of a line, where labels such as "Day 3" stand."""
    if line.kind == "heading":
        return line.text
    if line.kind == "row":
        return " ".join(line.cells[:2])[:60]
    return line.text[:60]
