"""How a text stands to each demand of a brief, as far as code can tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from swarm.brief.amounts import amounts_in, shown
from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.dates import MONTHS
from swarm.brief.mentions import (
    alternatives,
    content_words,
    named,
    numbers_in,
    numbers_near,
    share_mentioned,
    violations,
    where,
)
from swarm.brief.schedule import block_of, check_plan_steps, own_steps, unit_of
from swarm.brief.scripts import check_language, script_of
from swarm.brief.words import fold, folded, tokens
from swarm.core.brief import Brief, Cost, Demand

ENOUGH = 0.5
"""Share of a demand's content words that a text has to mention."""

LEAST_COSTS = 2
"""Amounts of money in a text from which it lists costs."""

PEOPLE = folded(
    "people person persons guest guests adult adults child children kids traveller travellers "
    "traveler travelers participant participants member members team attendee attendees friend "
    "friends family group player players staff employees volunteers students runner runners "
    "orang "
    "peserta tetamu tamu ahli keluarga dewasa anak kawan teman लोग लोगों व्यक्ति व्यक्तियों सदस्य सदस्यों "
    "मेहमान मेहमानों مہمان مہمانوں افراد لوگ لوگوں ارکان رکن জন জনের লোক অতিথি অতিথির সদস্য সদস্যের "
    "মানুষ"
)
"""Words for people, beside which their number stands."""

_REMINDER = re.compile(r"^\s*[-*+] \*\*[^*]+\*\*\s*$")
"""A list item that is bold as a whole: a demand for which the model wrote nothing."""

_TWO = folded("couple both two pair berdua दोनों دونوں দুজন দুই")


def check_demand(
    brief: Brief, index: int, text: str, *, whole: bool, costs: Sequence[Cost] = ()
) -> Check:
    """Return how a text stands to one demand.

    Args:
        brief: What the goal demands.
        index: Index of the demand.
        text: Markdown.
        whole: Whether it is the whole plan, not one part.
        costs: The items of cost, as data.
    """
    demand = brief.demands[index]
    if demand.kind == "duration":
        if whole:
            return check_plan_steps(brief, text, index)
        return not_checked("duration", "The days of a part are checked by themselves.", index)
    if demand.kind in ("budget", "costs"):
        money = _budget if demand.kind == "budget" else _costs
        return money(brief, demand, index, text, costs, whole)
    if demand.kind == "language":
        return check_language(demand.unit or "", text, index)
    if demand.kind in ("start_place", "end_place") and whole:
        return _edge_place(brief, demand, index, text)
    if demand.kind == "place" and len(brief.of("place")) == 1:
        return _region(demand, index, text)
    if demand.kind in ("must", "count", "people"):
        text = _without_reminders(text)
    check = _CHECKS.get(demand.kind)
    if check is None:
        return not_checked(demand.kind, "This version does not know how to check this.", index)
    return check(demand, index, text)


def _place(demand: Demand, index: int, text: str) -> Check:
    name = demand.name or ""
    if not name or _foreign(name, text):
        return not_checked(demand.kind, "Code cannot compare the place's name.", index)
    if named(name, text):
        return met(demand.kind, f"{name} is in the text.", index)
    return not_met(demand.kind, f"{name} is not in the text.", index)


def _region(demand: Demand, index: int, text: str) -> Check:
    """Check the only place of a goal: a country may go without saying where its towns are named."""
    found = _place(demand, index, text)
    if found.standing != "not met":
        return found
    return not_checked("place", f"{demand.name} is not named; its towns may be.", index)


def _edge_place(brief: Brief, demand: Demand, index: int, text: str) -> Check:
    """Check that a plan starts, or ends, at a place: in its first or last step if it has steps."""
    found = _place(demand, index, text)
    if found.standing != "met":
        return found
    unit = unit_of(brief)
    steps = own_steps(text, unit)
    if len(steps) < 2:
        return found
    name = demand.name or ""
    if demand.kind == "end_place":
        last = max(step.last for step in steps)
        # A flight home may follow the last stop, so the last two steps count.
        blocks = [block_of(text, unit, number) for number in (last, last - 1)]
        said = f"The plan does not end in {name}."
    else:
        first = min(steps, key=lambda step: step.first)
        blocks = [text[: first.start], block_of(text, unit, first.first)]
        said = f"The plan does not start in {name}."
    if not any(blocks) or any(named(name, block) for block in blocks):
        return found
    if _heading_names(name, text, demand.kind == "end_place"):
        return found
    return not_met(demand.kind, said, index)


def _heading_names(name: str, text: str, last: bool) -> bool:
    """Return whether the first or last heading with a step below names a place."""
    headings = [line for line in text.split("\n") if line.startswith("#")]
    return bool(headings) and named(name, headings[-1 if last else 0])


def _date(demand: Demand, index: int, text: str) -> Check:
    try:
        day = date.fromisoformat(demand.date or "")
    except ValueError:
        return not_checked(demand.kind, "The brief names no date.", index)
    if day.isoformat() in text or _mentions_date(day, text):
        return met(demand.kind, f"{day.isoformat()} is in the text.", index)
    return not_met(demand.kind, f"{day.isoformat()} is not in the text.", index)


def _mentions_date(day: date, text: str) -> bool:
    words = [token.word for token in tokens(text)]
    for index, word in enumerate(words):
        if MONTHS.get(word) == day.month:
            near = words[max(0, index - 3) : index + 4]
            if any(other.isdecimal() and int(other) == day.day for other in near):
                return True
    return False


def _without_reminders(text: str) -> str:
    """Return a text without lines that only repeat a demand, as code writes them."""
    return "\n".join(line for line in text.split("\n") if not _REMINDER.match(line))


def _people(demand: Demand, index: int, text: str) -> Check:
    value = demand.value or 0
    if value < 2:
        return not_checked("people", "One person is seldom mentioned.", index)
    near = numbers_near(tuple(PEOPLE), text)
    said = {token.word for token in tokens(text)}
    if value in near or value in numbers_in(text) or (value == 2 and said & _TWO):
        return met("people", f"The number of people, {value}, is in the text.", index)
    if any(one + other == value for one in near for other in near):
        return met("people", f"The numbers of people add up to {value}.", index)
    return not_met("people", f"The text does not say that it is for {value} people.", index)


def _count(demand: Demand, index: int, text: str) -> Check:
    value, name = demand.value, demand.name or ""
    wanted = content_words(name)
    if value is None or not wanted or _foreign(name, text):
        return not_checked("count", "Code cannot compare what is to be counted.", index)
    if not share_mentioned(wanted, text) >= ENOUGH:
        return not_met("count", f"“{name}” is not in the text.", index)
    if value in numbers_near(wanted, text) or value in numbers_in(text):
        return met("count", f"{value} {name} are in the text.", index)
    if len(where(wanted[-1], tokens(text))) >= value:
        return met("count", f"“{name}” is in the text {value} times.", index)
    return not_met("count", f"The text does not name {value} {name}.", index)


def _must(demand: Demand, index: int, text: str) -> Check:
    name = demand.name or demand.text
    wanted = content_words(name)
    if not wanted or _foreign(name, text):
        return not_checked("must", "Code cannot compare the words.", index)
    share = share_mentioned(wanted, text)
    if share >= ENOUGH:
        return met("must", f"“{name}” is in the text.", index)
    if share == 0:
        return not_met("must", f"“{name}” is not in the text.", index)
    return not_checked("must", f"Only some words of “{name}” are in the text.", index)


def _must_not(demand: Demand, index: int, text: str) -> Check:
    name = demand.name or ""
    if not alternatives(name) or _foreign(name, text):
        return not_checked("must_not", "Code cannot compare the words.", index)
    if found := violations(name, text):
        return not_met("must_not", f"“{name}” is in the text: “{found[0][:80]}”.", index)
    return met("must_not", f"“{name}” is not in the text, or only denied.", index)


def _budget(
    brief: Brief, demand: Demand, index: int, text: str, costs: Sequence[Cost], whole: bool
) -> Check:
    most = demand.value
    if most is None:
        return not_checked("budget", "The brief names no amount.", index)
    unit = demand.unit
    if any(cost.unit not in (None, unit) for cost in costs):
        return not_checked("budget", "The costs are in several currencies.", index)
    total = sum(cost.amount for cost in costs)
    if total > most:
        return not_met(
            "budget", f"The costs are {shown(total, unit)}, the budget {shown(most, unit)}.", index
        )
    stated = [amount.value for amount in amounts_in(text) if amount.total]
    if stated and max(stated) > most:
        worst = shown(int(max(stated)), unit)
        return not_met("budget", f"The text speaks of a total of {worst}, above the budget.", index)
    if not costs and stated:
        return met("budget", "The text's total is within the budget.", index)
    if not costs:
        return not_checked("budget", "No costs are given that code could add up.", index)
    if total == 0:
        return not_checked("budget", "The costs are given as nothing.", index)
    said = f"The costs are {shown(total, unit)}, within the budget of {shown(most, unit)}."
    if all(cost.limit for cost in costs):
        said = f"The limits add up to {shown(total, unit)}, within {shown(most, unit)}."
    return met("budget", said, index)


def _costs(
    brief: Brief, demand: Demand, index: int, text: str, costs: Sequence[Cost], whole: bool
) -> Check:
    if len(costs) >= 1 or len(amounts_in(text)) >= LEAST_COSTS:
        return met("costs", "Costs are listed.", index)
    if not whole:
        return not_checked("costs", "The costs of a part may be given as data.", index)
    return not_met("costs", "No costs are listed.", index)


def _foreign(name: str, text: str) -> bool:
    """Return whether a name is in another script than a text, so that they cannot be compared."""
    own, other = script_of(name), script_of(text)
    return bool(own and other and own != other) and fold(name) not in fold(text)


_CHECKS: dict[str, Callable[[Demand, int, str], Check]] = {
    "start_date": _date,
    "end_date": _date,
    "start_place": _place,
    "end_place": _place,
    "place": _place,
    "people": _people,
    "count": _count,
    "must": _must,
    "must_not": _must_not,
}
