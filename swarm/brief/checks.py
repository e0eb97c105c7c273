"""What a text lacks of what its part, or the whole plan, has to keep.

The checks are in modules by what they look at: `wording` (repeats, cuts, remains), `scripts`
(language), `schedule` (days, weeks, dates), `legs` (journeys) and `demands` (the brief).
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.amounts import amounts_in
from swarm.brief.check import Check, Standing, met, not_checked, not_met
from swarm.brief.demands import check_demand
from swarm.brief.legs import check_legs
from swarm.brief.mentions import named
from swarm.brief.part import Part
from swarm.brief.schedule import check_dates, check_part_steps, check_plan_steps
from swarm.brief.scripts import check_language
from swarm.brief.wording import check_wording
from swarm.core.brief import Brief, Cost

__all__ = ["Check", "Standing", "check_part", "check_plan", "keeps_more", "share_kept"]


def check_part(brief: Brief, part: Part, text: str) -> tuple[Check, ...]:
    """Return how a part's text stands to what the part has to keep.

    Args:
        brief: What the goal demands.
        part: The part with its skeleton.
        text: Its Markdown.
    """
    keeps = [index for index in dict.fromkeys(part.keeps) if index < len(brief.demands)]
    return (
        check_part_steps(brief, part, text),
        check_dates(brief, text),
        _place(part, text),
        _share(brief, part, text),
        *(check_demand(brief, index, text, whole=False) for index in keeps),
        *_general(brief, text, keeps),
    )


def check_plan(brief: Brief, text: str, costs: Sequence[Cost] = ()) -> tuple[Check, ...]:
    """Return how a whole plan stands to every demand of its brief, and to the general points.

    Args:
        brief: What the goal demands.
        text: The plan's Markdown, without the report.
        costs: Its items of cost, as data.
    """
    indexes = range(len(brief.demands))
    found = [check_demand(brief, index, text, whole=True, costs=costs) for index in indexes]
    if brief.first("duration") is None:
        found.append(check_plan_steps(brief, text))
    return (*found, check_dates(brief, text), check_legs(text), *_general(brief, text, indexes))


def share_kept(checks: Sequence[Check]) -> float:
    """Return the share of the checked points that are met, in [0, 1]; 1 if none was checked."""
    counted = [check for check in checks if check.standing != "not checked"]
    return sum(check.standing == "met" for check in counted) / len(counted) if counted else 1.0


def keeps_more(one: Sequence[Check], other: Sequence[Check]) -> bool:
    """Return whether a text meets more points than another.

    Points count, not shares of what was checked: no text gains by saying nothing that code could
    check.
    """
    return _points_met(one) > _points_met(other)


def _points_met(checks: Sequence[Check]) -> int:
    return len({(check.point, check.demand) for check in checks if check.standing == "met"})


def _general(brief: Brief, text: str, keeps: Sequence[int]) -> tuple[Check, ...]:
    """Return the checks that no demand asks for; the language only if no kept demand does."""
    asked = any(brief.demands[index].kind == "language" for index in keeps)
    language = () if asked else (check_language(brief.language, text),)
    return (*check_wording(text), *language)


def _place(part: Part, text: str) -> Check:
    if not part.place:
        return not_checked("place", "The part has no place.")
    if named(part.place, text):
        return met("place", f"{part.place} is in the text.")
    return not_checked("place", f"{part.place} is not in the text; the heading may say it.")


def _share(brief: Brief, part: Part, text: str) -> Check:
    if part.share is None:
        return not_checked("share", "The part has no share of a budget.")
    amounts = [amount.value for amount in amounts_in(text)]
    if not amounts:
        return not_checked("share", "The text names no amount of money.")
    if max(amounts) > part.share:
        budget = brief.first("budget")
        if budget is not None and budget.value in amounts:
            return not_checked("share", "The text repeats the whole budget.")
        return not_met("share", f"An amount is above the part's share of {part.share:,}.")
    return met("share", f"No amount is above the part's share of {part.share:,}.")
