"""What code mends in a text without a model: its days, its end, its repeats, remains of prompts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from swarm.brief.part import Part
from swarm.brief.schedule import date_in, date_of, own_steps, start_of, unit_of
from swarm.brief.steps import StepUnit, step_label
from swarm.brief.wording import (
    cut_at_end,
    remains_lines,
    repeated_lines,
    said,
    talk_lines,
    without_tokens,
)
from swarm.core.brief import Brief

MOST_ROUNDS = 6
"""How often the repairs are repeated: one may make room for another."""

KEPT_SHARE = 0.5
"""Share of a text's characters that the repair of its days has to keep; else they stay as they are:
a text that is mostly about other days is for a review, not for repair."""

_LABEL_LINE = re.compile(
    r"^(?P<lead>\s*(?:>\s*)*(?:[-*+•]\s+|\d{1,2}[.)]\s+)?)(?P<hashes>#{1,6}\s+)?(?P<open>[*_]{0,3})\s*$"
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s")
_AFTER = re.compile(
    r"^\s*(?P<early>[*_]{0,3})\s*(?P<mark>[:.)–—-]|\s[–—-])?\s*(?P<late>[*_]{0,3})\s*"
)
_DATE_BESIDE = re.compile(r"^\s*\((?P<date>\d{4}-\d{2}-\d{2})\)")


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one step: from the line that names it to the next one."""

    first: int
    last: int
    lines: tuple[str, ...]

    @property
    def words(self) -> int:
        """How much it says."""
        return sum(len(said(line)) for line in self.lines)


def mend_text(brief: Brief, part: Part, text: str) -> str:
    """Return a part's text with everything repaired that code can repair; idempotent.

    Special tokens, lines of prompts, empty talk, repeated lines and a cut last line go. The part's
    days get their labels in the goal's language, their dates if the start is known, and their
    order; days outside the part and days that are there twice go. Nothing is invented. A text
    of whose days less than half would be left keeps them.

    Args:
        brief: What the goal demands.
        part: The part with its skeleton.
        text: Its Markdown.
    """
    cleaned = _until_settled(_mend_wording, text)
    if not cleaned:
        return text
    mended = _until_settled(lambda one: _mend_days(brief, part, _mend_wording(one)), cleaned)
    return cleaned if len(mended) < KEPT_SHARE * len(cleaned) else mended


def mend_plan(brief: Brief, text: str) -> str:
    """Return a whole plan, written in one go, with everything repaired that code can repair."""
    duration = brief.first("duration")
    last = duration.value if duration is not None and duration.unit == unit_of(brief) else None
    whole = Part(title="-", detail="", first=1 if last else None, last=last)
    return mend_text(brief, whole, text)


def _until_settled(repair: Callable[[str], str], text: str) -> str:
    for _ in range(MOST_ROUNDS):
        before, text = text, repair(text)
        if text == before:
            break
    return text


def _mend_wording(text: str) -> str:
    text = without_tokens(text).strip()
    for find in (remains_lines, talk_lines, repeated_lines):
        text = _without(text, find(text))
    return _without_cut(_without_empty_end(text))


def _without(text: str, numbers: Sequence[int]) -> str:
    """Return a text without some lines; two blank lines that would be left together become one."""
    if not numbers:
        return text
    gone = set(numbers)
    kept: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if number in gone or (number - 1 in gone and not line.strip() and _blank(kept)):
            continue
        kept.append(line)
    return "\n".join(kept).strip()


def _blank(lines: Sequence[str]) -> bool:
    return not lines or not lines[-1].strip()


def _without_cut(text: str) -> str:
    """Drop what stops in the middle at the end: the last sentence, or the last line if it has one.

    An open code block is closed, as its content may be whole.
    """
    if not cut_at_end(text):
        return text
    if sum(line.lstrip().startswith("```") for line in text.split("\n")) % 2:
        return f"{text}\n```"
    above, _, last = text.rpartition("\n")
    ends = [match.end() for match in re.finditer(r"[.!?।۔؟](?=[\s*_)\"”’]|$)", last)]
    while ends:
        shorter = f"{above}\n{last[: ends.pop()]}".strip()
        if len(said(shorter.rpartition("\n")[2])) > 12 and not cut_at_end(shorter):
            return shorter
    return above.rstrip() or text


def _without_empty_end(text: str) -> str:
    """Drop headings, rules and bare list marks at the end."""
    lines = text.split("\n")
    while len(lines) > 1 and (not said(lines[-1]) or lines[-1].startswith("#")):
        if lines[-1].lstrip().startswith("```") or "|" in lines[-1]:
            break
        lines.pop()
    return "\n".join(lines).rstrip()


def _mend_days(brief: Brief, part: Part, text: str) -> str:
    """Return a text with the lines of its days labelled alike, in order, once each."""
    if part.first is None or "```" in text:
        return text  # What is in a code block stays as it is.
    unit, first, last = unit_of(brief), part.first, part.last or part.first
    head, blocks = _blocks(text, unit)
    if not blocks or (not _steps_alone(blocks)):
        return text
    blocks = _renumbered(blocks, first, last)
    kept = _once(blocks, first, last)
    if not kept:
        return text
    if [block.first for block in kept] != sorted(block.first for block in kept):
        if any(line.startswith("#") for block in kept for line in block.lines[1:]):
            return text  # A section between the days would move with one of them.
        kept = sorted(kept, key=lambda block: block.first)
    listed = _listed(kept)
    lines = list(head)
    for block in kept:
        first_line = _labelled(block, brief, unit, listed=listed)
        if not listed or first_line.startswith("#"):
            lines.append("")  # Markdown would join the lines of two days.
        lines += [first_line, *block.lines[1:]]
    return _spaced(lines)


def _blocks(text: str, unit: StepUnit) -> tuple[tuple[str, ...], list[_Block]]:
    """Return the lines before the first step, and the block of each single step."""
    lines = text.split("\n")
    starts: list[tuple[int, int, int]] = []
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    steps = own_steps(text, unit)
    while len(steps) > 1 and steps[0].first != steps[0].last:
        steps = steps[1:]  # The range of the whole part, in its heading.
    for step in steps:
        number = sum(1 for offset in offsets[1:] if offset <= step.start)
        lead = lines[number][: step.start - offsets[number]]
        if not step.counted or _LABEL_LINE.match(lead) is None or "|" in lead:
            return tuple(lines), []  # Tables and ordinals stay as they are.
        starts.append((number, step.first, step.last))
    if not starts:
        return tuple(lines), []
    ends = [number for number, _, _ in starts[1:]] + [len(lines)]
    blocks = [
        _Block(first, last, tuple(lines[number:end]))
        for (number, first, last), end in zip(starts, ends, strict=True)
    ]
    return tuple(lines[: starts[0][0]]), blocks


def _steps_alone(blocks: Sequence[_Block]) -> bool:
    """Return whether every line names one step, and no heading opens another section after it.

    Ranges contain lines of their own, so that neither their order nor their doubles are plain.
    """
    return all(block.first == block.last for block in blocks)


def _renumbered(blocks: list[_Block], first: int, last: int) -> list[_Block]:
    """Return days that a model counted from 1 with their numbers in the plan."""
    named = [block.first for block in blocks]
    if (
        first > 1
        and named == list(range(1, last - first + 2))
        and not set(named) & {*range(first, last + 1)}
    ):
        return [
            replace(block, first=block.first + first - 1, last=block.last + first - 1)
            for block in blocks
        ]
    return blocks


def _once(blocks: Sequence[_Block], first: int, last: int) -> list[_Block]:
    """Return the blocks within a range, of two of one day only the one that says more."""
    best: dict[int, _Block] = {}
    for block in blocks:
        if first <= block.first <= last and (
            block.first not in best or block.words > best[block.first].words
        ):
            best[block.first] = block
    return [block for block in blocks if best.get(block.first) is block]


def _listed(blocks: Sequence[_Block]) -> bool:
    """Return whether the days are shown as a list: some are already, or each is one line."""
    alone = all(not any(line.strip() for line in block.lines[1:]) for block in blocks)
    return alone or any(_ITEM.match(block.lines[0]) for block in blocks)


def _labelled(block: _Block, brief: Brief, unit: StepUnit, *, listed: bool) -> str:
    """Return a block's first line with the label of its day, and its date if that is known."""
    line = block.lines[0]
    step = own_steps(line, unit)[0]
    match = _LABEL_LINE.match(line[: step.start])
    assert match is not None  # `_blocks` keeps no others
    rest = line[step.end :]
    date = ""
    if (beside := _DATE_BESIDE.match(rest)) is not None:
        date, rest = beside["date"], rest[beside.end() :]
    after = _AFTER.match(rest)
    assert after is not None  # every part of it may be empty
    said_after = rest[after.end() :]
    label = step_label(unit, brief.language, block.first)
    start = start_of(brief)
    if start is not None and (day := date_of(start, block.first, unit)) is not None:
        date = day.isoformat()
        if date_in(said_after) == day:
            date = ""
    label = f"{label} ({date})" if date else label
    indent = line[: len(line) - len(line.lstrip())]
    hashes = match["hashes"] or ""
    lead = f"{indent}- " if listed else indent
    opened = match["open"]
    if hashes:
        return f"{indent}{hashes}{label}" + (f": {said_after}" if said_after else "")
    if opened and not (after["early"] or after["late"]):
        # The emphasis goes on after the label: "**Day 4: Kyoto** ...".
        return f"{lead}**{label}:** {opened}{said_after}".rstrip()
    return f"{lead}**{label}:** {said_after}".rstrip()


def _spaced(lines: Sequence[str]) -> str:
    """Return lines as a text, with no more than one blank line in a row."""
    kept: list[str] = []
    fenced = False
    for line in lines:
        fenced ^= line.lstrip().startswith("```")
        if line.strip() or fenced or not _blank(kept):
            kept.append(line)
    return "\n".join(kept).strip()
