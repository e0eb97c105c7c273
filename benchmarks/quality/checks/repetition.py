"""Nothing is said twice: between the parts of a plan, or over and over in one line."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from benchmarks.quality.checks.verdict import Verdict, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.labels import label_in
from benchmarks.quality.reading import Document, Line

LONG_CHARS = 35
"""Shorter lines may be repeated: "Rest day.", "Breakfast at the hotel."."""

EQUAL = 93
"""Similarity in percent from which two lines say the same."""

FEW = 2
"""So many repeated lines are allowed."""

SHARE = 0.12
"""More than this share of the long lines must not be repeated, even if they are few."""

ROUTINE = {"meals": 0.4, "training": 0.4}
"""The same for families whose plans repeat on purpose: a day's breakfast, a Tuesday's run."""

LOOPS = 4
"""A phrase so many times in a row is a loop."""

_LOOP = re.compile(rf"(\b[^\n]{{4,80}}?)(?:[\s,;:.|-]+\1){{{LOOPS - 1},}}")


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check for repeated lines and loops."""
    name = "repetition"
    text = "\n".join(line.text for line in document.lines)
    if (loop := _LOOP.search(text)) is not None:
        said = f"“{loop.group(1)[:40]}” over and over"
        return [verdict(name, False, said, kind="form")]
    long = [
        (line, said)
        for line in document.lines
        if line.kind != "heading" and len(said := _without_label(line, goal)) >= LONG_CHARS
    ]
    repeated = [
        line
        for index, (line, said) in enumerate(long)
        if any(fuzz.ratio(said, earlier) >= EQUAL for _, earlier in long[:index])
    ]
    most = min(FEW, max(1, SHARE * len(long)))
    if goal.family in ROUTINE:
        most = max(FEW, ROUTINE[goal.family] * len(long))
    broken = len(repeated) > most
    reason = f"{len(repeated)} of {len(long)} long lines are repeated"
    return [verdict(name, not broken, reason, kind="form")]


def _without_label(line: Line, goal: Goal) -> str:
    """Return what a line says, without its day or week."""
    label = label_in(line.text[:60], goal)
    return (line.text[label.end :] if label is not None else line.text).strip(" :|-–—")
