"""The checks: does a plan keep what its goal demands, and is it in order as a text?

`check(text, goal)` returns a verdict for each demand. Those of kind `demand` are about what the
goal's text asks for; those of kind `form` about what every plan must have.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.quality.checks import (
    counts,
    demands,
    leaks,
    money,
    places,
    repetition,
    schedule,
    tongue,
    whole,
)
from benchmarks.quality.checks.verdict import Verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.reading import read

LEAST_CHARS = 120
"""Shorter texts are no plans and keep nothing, not even what they leave out."""

MODULES = (schedule, places, counts, money, demands, tongue, repetition, whole, leaks)
"""In the order of the table."""


def check(text: str, goal: Goal, headings: Sequence[str] = ()) -> list[Verdict]:
    """Return what each check says about a plan.

    Args:
        text: The plan as people see it.
        goal: What it is for.
        headings: Headings of sections that only report on the request; the product's are known.
    """
    document = read(text, goal, headings)
    verdicts = [verdict for module in MODULES for verdict in module.check(document, goal)]
    if sum(len(line.text) for line in document.lines) >= LEAST_CHARS:
        return verdicts
    return [
        Verdict(one.check, "broken", "there is no plan", one.kind, one.about)
        if one.outcome == "kept"
        else one
        for one in verdicts
    ]


def share(verdicts: Sequence[Verdict], kind: str = "") -> float:
    """Return the share of verdicts that are kept, of those that apply; of one kind or of all."""
    applied = [
        one
        for one in verdicts
        if one.outcome != "not applicable" and (not kind or one.kind == kind)
    ]
    return sum(one.kept for one in applied) / len(applied) if applied else 1.0


__all__ = ["Verdict", "check", "share"]
