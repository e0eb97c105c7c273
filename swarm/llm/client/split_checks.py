"""Checks of a split that need no model: faults that code can find for certain.

Small models approve almost anything, so ratings blend their yes-probability with these findings
(`swarm.llm.client.brain`). Pure functions. Each finding names the part, so that its text can serve
as criticism for the decomposer that polishes the split. A check that does not understand a text
finds nothing: false alarms cost good splits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from rapidfuzz import fuzz

from swarm.brief.durations import duration_days
from swarm.brief.part import Part
from swarm.brief.steps import days_of, steps_in
from swarm.llm.client.fences import tells_how_to_rate

Aspect = Literal["concrete", "distinct", "complete"]
ASPECTS: tuple[Aspect, ...] = ("concrete", "distinct", "complete")

NOTE = 0.7
"""Weight against a split with a note to the scorers. The model does not see the note, and a split
that needs one loses to any honest split."""

SAME_TITLE = 88.0
"""token_sort_ratio of two titles, 0 to 100, from which they count as the same. The set ratio would
treat "Food" and "Food at home" as the same."""

SAME_TEXT = 90.0
"""token_set_ratio of two whole parts from which they count as the same; misses paraphrases."""

SAME_AS_PARENT = 92.0
"""token_sort_ratio of a part's title and its parent's from which it only repeats the parent."""

MIN_DETAIL_CHARS = 12
"""Characters below which a detail adds nothing to its title."""

MAX_UNCOVERED_DAYS = 1
"""Days that parts with day ranges may leave out: a travel day often belongs to no part."""

UNDATED = 0.2
"""Weight against a split of several days in which no part names its days. A fair split by activity
loses a tenth of one rating by it, and loses to an equal split with days."""

_VAGUE = re.compile(
    r"^(?:the\s+)?(?:part|step|task|subgoal|phase|item|section|place|city|area|activity|day|title|"
    r"component|stakeholder|misc(?:ellaneous)?|other(?:s)?|etc|and so on|more|things?|stuff|"
    r"various|general|todo|tbd|n/?a|none)s?\s*[\dA-Z]{0,2}\.?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong with a split.

    Attributes:
        aspect: The rating that it lowers.
        weight: How bad, in (0, 1]: the share of that rating's mechanical half it takes away.
        text: One sentence, human-readable.
    """

    aspect: Aspect
    weight: float
    text: str


def findings(*, goal: str, title: str, parts: Sequence[Part]) -> tuple[Finding, ...]:
    """Return all faults that the checks find in a split, worst first.

    Args:
        goal: The text of the whole goal; durations are read from it.
        title: The title of the node that is split.
        parts: The proposed parts.
    """
    found = [
        *_titles(parts),
        *_notes(parts),
        *_repeats_of_parent(goal, title, parts),
        *_overlaps(parts),
        *_days(goal, parts),
    ]
    return tuple(sorted(found, key=lambda finding: -finding.weight))


def soundness(found: Sequence[Finding], aspect: Aspect) -> float:
    """Return what the findings leave of the part of a rating that code checks, in [0, 1]."""
    left = 1.0
    for finding in found:
        if finding.aspect == aspect:
            left *= 1.0 - finding.weight
    return left


def day_ranges(days: int, parts: int) -> list[tuple[int, int]]:
    """Split days 1 to `days` into at most `parts` runs of nearly equal length, longer first."""
    parts = max(1, min(parts, days))
    size, longer = divmod(days, parts)
    ranges = []
    first = 1
    for index in range(parts):
        last = first + size + (index < longer) - 1
        ranges.append((first, last))
        first = last + 1
    return ranges


def _titles(parts: Sequence[Part]) -> list[Finding]:
    found = []
    for number, part in enumerate(parts, start=1):
        if not part.title.strip():
            found.append(
                Finding(aspect="concrete", weight=0.8, text=f"Part {number} has no title.")
            )
        elif _VAGUE.match(part.title.strip()):
            text = f"“{part.title}” does not say what it is about."
            found.append(Finding(aspect="concrete", weight=0.5, text=text))
        elif len(part.detail.strip()) < MIN_DETAIL_CHARS and len(part.title.split()) < 3:
            text = f"“{part.title}” does not say what will be done."
            found.append(Finding(aspect="concrete", weight=0.3, text=text))
    return found


def _notes(parts: Sequence[Part]) -> list[Finding]:
    """Find parts that tell scorers how to rate: they are no part of a plan."""
    found = []
    for part in parts:
        if tells_how_to_rate(f"{part.title}\n{part.detail}"):
            text = f"“{part.title}” tells its reader how to rate the split."
            found += [Finding(aspect=aspect, weight=NOTE, text=text) for aspect in ASPECTS]
    return found


def _repeats_of_parent(goal: str, title: str, parts: Sequence[Part]) -> list[Finding]:
    found = []
    for part in parts:
        for parent in {goal, title}:
            ratio = fuzz.token_sort_ratio(part.title.casefold(), parent.casefold())
            if ratio >= SAME_AS_PARENT:
                text = f"“{part.title}” only repeats what is being split."
                found.append(Finding(aspect="concrete", weight=0.6, text=text))
                break
    return found


def _overlaps(parts: Sequence[Part]) -> list[Finding]:
    found = []
    dated = [(part, days_of(part)) for part in parts]
    for (one, days), (other, other_days) in combinations(dated, 2):
        titles = fuzz.token_sort_ratio(_words(one.title), _words(other.title))
        whole = fuzz.token_set_ratio(
            _words(f"{one.title} {one.detail}"), _words(f"{other.title} {other.detail}")
        )
        details = fuzz.ratio(_words(one.detail), _words(other.detail))
        long_enough = min(len(one.detail), len(other.detail)) >= MIN_DETAIL_CHARS
        numbered = days is not None and days != other_days
        # Meals on other days have the same title, and no more is said about them.
        bare = numbered and not (one.detail.strip() or other.detail.strip())
        if (
            (whole >= SAME_TEXT and not bare)
            or (long_enough and details >= SAME_TEXT)
            or (titles >= SAME_TITLE and not numbered)
        ):
            text = f"“{one.title}” and “{other.title}” seem to be the same."
            found.append(Finding(aspect="distinct", weight=0.6, text=text))
    return found


def _days(goal: str, parts: Sequence[Part]) -> list[Finding]:
    total = duration_days(goal)
    if total is None:
        return []
    found = []
    for part in parts:
        for text in (part.title, part.detail):
            latest = _latest_day(text)
            if latest > total:
                said = f"“{part.title}” speaks of day {latest}, but there are only {total}."
                found.append(Finding(aspect="concrete", weight=0.5, text=said))
                found.append(Finding(aspect="complete", weight=0.3, text=said))
                break
    ranges = [days for part in parts if (days := days_of(part)) is not None]
    if parts and not ranges and total > 1:
        said = f"No part says on which of the {total} days it happens."
        found.append(Finding(aspect="complete", weight=UNDATED, text=said))
    if len(ranges) == len(parts) and max((last for _, last in ranges), default=0) <= total:
        found += _day_gaps(total, ranges)
    found += _day_overlaps(parts)
    return found


def _latest_day(text: str) -> int:
    """Return the highest day number that a text names, 0 if none."""
    days = [step.last for step in steps_in(text, "day")]
    weeks = [(step.last - 1) * 7 + 1 for step in steps_in(text, "week")]
    return max([*days, *weeks], default=0)


def _day_gaps(total: int, ranges: Sequence[tuple[int, int]]) -> list[Finding]:
    covered = {day for first, last in ranges for day in range(first, last + 1)}
    missing = [day for day in range(1, total + 1) if day not in covered]
    if len(missing) <= MAX_UNCOVERED_DAYS:
        return []
    names = ", ".join(map(str, missing[:8])) + (", …" if len(missing) > 8 else "")
    share = len(missing) / total
    text = f"No part covers the days {names} of {total}."
    return [Finding(aspect="complete", weight=min(0.9, 0.2 + share), text=text)]


def _day_overlaps(parts: Sequence[Part]) -> list[Finding]:
    found = []
    dated = [(part, days_of(part)) for part in parts]
    for (one, first), (other, second) in combinations(dated, 2):
        if first is None or second is None:
            continue
        shared = min(first[1], second[1]) - max(first[0], second[0]) + 1
        # Itineraries often count a travel day in both parts.
        if shared > 1 or (shared == 1 and first == second):
            text = f"“{one.title}” and “{other.title}” plan the same days."
            found.append(Finding(aspect="distinct", weight=0.5, text=text))
    return found


def _words(text: str) -> str:
    """Return casefolded words without punctuation, for comparing."""
    return " ".join(re.findall(r"\w+", text.casefold()))
