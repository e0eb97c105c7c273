"""The end of a plan: how it meets the request, point by point, and who checked it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from swarm.brief.check import Check, Standing
from swarm.brief.phrases import ENGLISH, Phrases, phrases, primary
from swarm.core.brief import Brief

REPORT_HEADING = f"## {ENGLISH.report}"
"""Heading of the report in English; see `heading` for other languages."""

MARKS: dict[Standing, str] = {"met": "✅", "not met": "❌", "not checked": "❔"}
"""Signs of the standings, before the words that say the same."""

MENTIONED = frozenset(("must", "count", "people", "place"))
"""Points for which code sees that the plan deals with them, and not how well."""

STEPS_SHOWN = 10
"""Most days or weeks that a line names."""


def heading(language: str) -> str:
    """Return the heading of the report in a language."""
    return f"## {phrases(language).report}"


def report(
    brief: Brief,
    checks: Sequence[Check],
    *,
    language: str = "",
    reviewed: Collection[int] = (),
    denied: Collection[int] = (),
) -> str:
    """Return the section that says how the plan meets each demand; empty if there are none.

    Args:
        brief: What the goal demands.
        checks: What code found, by `swarm.brief.checks.check_plan`.
        language: BCP 47 tag of the plan's language; empty: the brief's.
        reviewed: Indexes of the demands that reviewers found met; they count where code cannot
            tell.
        denied: Indexes of the demands that reviewers found not met.
    """
    tag = language or brief.language
    word = phrases(tag)
    lines = [
        _line(word, tag, demand.text, *_standing(index, checks, reviewed, denied))
        for index, demand in enumerate(brief.demands)
    ]
    for check in checks:
        if check.demand is None and check.standing == "not met":
            point = word.points.get(check.point, check.point)
            lines.append(_line(word, tag, point, check.standing, word.by_code, check))
    if not lines:
        return ""
    return f"{heading(tag)}\n\n" + "\n".join(lines)


def without_report(text: str, language: str) -> str:
    """Return a plan's text without its report, which repeats every demand.

    Args:
        text: The plan's Markdown.
        language: BCP 47 tag of the language that the report was written in.
    """
    before, mark, _ = f"\n{text}".partition(f"\n{heading(language)}\n")
    return before.strip() if mark else text


def _standing(
    index: int, checks: Sequence[Check], reviewed: Collection[int], denied: Collection[int]
) -> tuple[Standing, str | None, Check | None]:
    """Return how a demand stands, who says so ("code", "reviewers"), and the check that says why.

    Code that is certain comes first, and reviewers where it is not: a small model says "met" to
    anything.
    """
    found = [check for check in checks if check.demand == index]
    for check in found:
        if check.standing == "not met":
            return "not met", "code", check
    if index in denied:
        return "not met", "reviewers", None
    if index in reviewed:
        return "met", "reviewers", None
    for check in found:
        if check.standing == "met":
            return "met", "code", check
    return "not checked", None, None


def _line(
    word: Phrases,
    language: str,
    demand: str,
    standing: Standing,
    who: str | None,
    check: Check | None,
) -> str:
    said = {"met": word.met, "not met": word.not_met, "not checked": word.not_checked}[standing]
    if standing == "met" and who == "code" and check is not None and check.point in MENTIONED:
        said = word.in_plan
    by = {"code": word.by_code, "reviewers": word.by_reviewers}.get(who or "", who)
    verdict = f"{said} ({by})" if by else said
    why = ""
    if check is not None and standing != "met":
        # The sentences of checks are English; numbers are understood in every language.
        if primary(language) in ("", "en"):
            why = f": {check.text}"
        elif check.steps:
            why = f": {', '.join(map(str, check.steps[:STEPS_SHOWN]))}"
    return f"- {MARKS[standing]} {' '.join(demand.split())} — {verdict}{why}"
