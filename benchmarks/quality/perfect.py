"""A plan that keeps everything, written by code from the truth of a goal.

It proves that each goal can be kept and that the checks see it. `Draft` keeps the pieces apart, so
that a test can damage one of them.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from benchmarks.quality.gazetteer import Place
from benchmarks.quality.goals import Goal, Money, date_text, money_text, number_text, written


@dataclass(slots=True)
class Draft:
    """The pieces of a plan.

    Attributes:
        intro: A sentence before it.
        stages: For each day or week its heading and its lines.
        costs: Items with their amounts.
        total: What the total says.
        rest: Sections after the stages: heading and lines.
    """

    intro: str
    stages: list[tuple[str, list[str]]] = field(default_factory=list)
    costs: list[tuple[str, Money]] = field(default_factory=list)
    total: Money | None = None
    rest: list[tuple[str, list[str]]] = field(default_factory=list)

    def text(self, goal: Goal) -> str:
        """Return the plan as Markdown."""
        blocks = [self.intro] if self.intro else []
        for heading, lines in [*self.stages, *self.rest]:
            blocks.append(f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines))
        if self.costs:
            frame, wording = goal.wording.frame, goal.wording
            rows = [f"| {frame.item} | {frame.amount} |", "| --- | --- |"]
            rows += [f"| {name} | {money_text(money, wording)} |" for name, money in self.costs]
            if self.total is not None:
                rows.append(f"| {frame.total} | {money_text(self.total, wording)} |")
            blocks.append(f"## {frame.costs}\n\n" + "\n".join(rows))
        return "\n\n".join(blocks)


def write(goal: Goal) -> str:
    """Return a perfect plan."""
    return draft(goal).text(goal)


def draft(goal: Goal) -> Draft:
    """Return a perfect plan in pieces."""
    made = Draft(intro=goal.wording.frame.intro)
    towns = _itinerary(goal)
    for number in range(1, goal.length + 1):
        made.stages.append((_heading(goal, number), _lines(goal, number, towns)))
    _spread(goal, made)
    if goal.budget is not None:
        made.costs = _costs(goal, goal.budget)
        made.total = Money(sum(money.amount for _, money in made.costs), goal.budget.currency)
    return made


def _heading(goal: Goal, number: int) -> str:
    frame = goal.wording.frame
    label = frame.day if goal.unit == "day" else frame.week
    text = label.format(n=written(number, goal.language))
    if goal.start is None:
        return text
    size = 1 if goal.unit == "day" else 7
    date = goal.start + datetime.timedelta(days=size * (number - 1))
    return f"{text} ({date_text(date, goal.wording)})"


def _itinerary(goal: Goal) -> list[Place]:
    """Return the town of each day of a trip, the start first and the end last."""
    if not goal.is_trip or goal.country is None:
        return []
    towns = [goal.start_place, *goal.visits, goal.end_place]
    route = list(dict.fromkeys(town for town in towns if town is not None))
    others = [town for town in goal.country.towns if town not in route]
    while len(route) < max(goal.least_places, 3):
        route.insert(1, others.pop(0))
    return [
        route[min(len(route) - 1, day * len(route) // goal.length)] for day in range(goal.length)
    ]


def _lines(goal: Goal, number: int, towns: list[Place]) -> list[str]:
    """Return what is done on a day or in a week."""
    frame = goal.wording.frame
    stop = "।" if goal.language in ("hi", "bn") else "۔" if goal.language == "ur" else "."
    if not towns:
        first = frame.first[number % len(frame.first)]
        second = frame.second[number % len(frame.second)]
        return [f"{first}, {second}{stop}"]
    here = towns[number - 1]
    name = here.name(goal.language)
    before = towns[number - 2] if number > 1 else here
    lines = []
    where = frame.stay.format(place=name)
    if before != here:
        where = frame.leg.format(a=before.name(goal.language), b=name)
    sight = frame.sights[number % len(frame.sights)]
    evening = frame.evenings[number % len(frame.evenings)]
    lines.append(f"{where} {sight}, {evening}{stop}")
    if number == goal.length:
        lines.append(frame.ends.format(place=name))
    return lines


def _spread(goal: Goal, made: Draft) -> None:
    """Put what the goal demands into the days or weeks, one after the other."""
    wording = goal.wording
    extra = [
        counted.count.done.format(n=number_text(counted.number, wording, word=True))
        for counted in goal.counts
    ]
    extra += [demand.done for demand in goal.demands]
    if goal.family == "move" and goal.start_place and goal.end_place:
        a, b = goal.start_place.name(goal.language), goal.end_place.name(goal.language)
        extra.append(wording.frame.route.format(a=a, b=b))
    for index, line in enumerate(extra):
        made.stages[index % len(made.stages)][1].append(line)


def _costs(goal: Goal, budget: Money) -> list[tuple[str, Money]]:
    """Return items that add up to nine tenths of the budget or less."""
    names = goal.wording.frame.items
    parts = (30, 22, 15, 10, 8, 5)
    return [
        (name, Money(max(1, budget.amount * part // 100), budget.currency))
        for name, part in zip(names, parts, strict=True)
    ]
