"""No sentence is cut off at the end of a section."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.quality.checks.verdict import Verdict, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import merged
from benchmarks.quality.matching import either
from benchmarks.quality.reading import BOLD_LEVEL, Document, Line

SENTENCE_WORDS = 5
"""Shorter lines are no sentences and need no full stop."""

USUAL = 0.8
"""Where so many of the other lines end with a full stop, the last one has to."""

_ENDS = re.compile(r"[.!?।۔॥…:)\]”\"'»]\W*$")
_CUT = re.compile(r"(?:…|\.\.\.|,|;|\(|[-–—/&+])\s*$")


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check the last line of each section."""
    name = "whole"
    sections = [section for section in document.sections if section]
    prose = [line for line in document.lines if _is_sentence(line)]
    usual = _ending_share(prose)
    for section in sections:
        last = section[-1]
        said = _trouble(last, section, usual, goal)
        if said:
            return [verdict(name, False, f"{said}: “{last.text[-50:]}”", kind="form")]
    end = document.lines[-1] if document.lines else None
    if end is not None and end.kind == "heading" and end.level < BOLD_LEVEL:
        return [verdict(name, False, f"it ends with a heading: “{end.text[-50:]}”", kind="form")]
    return [verdict(name, True, "every section ends with a whole line", kind="form")]


def _is_sentence(line: Line) -> bool:
    return line.kind in ("item", "text") and len(line.text.split()) >= SENTENCE_WORDS


def _ending_share(lines: Sequence[Line]) -> float:
    return sum(_ENDS.search(line.text) is not None for line in lines) / max(1, len(lines))


def _trouble(last: Line, section: Sequence[Line], usual: float, goal: Goal) -> str:
    """Return what is wrong with the last line of a section; empty if nothing is."""
    if last.kind in ("row", "heading"):
        return ""
    if _CUT.search(last.text):
        return "it ends within a sentence"
    open_ended = either(*merged(goal.language, "open_ended"))
    words = last.text.split()
    if len(words) >= SENTENCE_WORDS and open_ended.fullmatch(words[-1]):
        return "its last word is not the end of a sentence"
    if last.raw.count("**") % 2:
        return "bold type is not closed"
    if last.text.count("(") > last.text.count(")"):
        return "a bracket is not closed"
    others = [line for line in section[:-1] if _is_sentence(line)]
    style = _ending_share(others) if len(others) >= 2 else usual
    if _is_sentence(last) and style >= USUAL and usual >= USUAL and not _ENDS.search(last.text):
        return "other lines end with a full stop"
    return ""
