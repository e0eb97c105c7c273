"""Lenses: ways to split a goal, so that decomposers compete instead of repeating each other.

A lens has a stable slug, which is part of proposals, a line for the prompt, and one worked example,
without which a small model ignores the lens (measured). Slugs must not change; texts may improve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from swarm.brief.part import Part
from swarm.brief.passage import Passage
from swarm.brief.trip import is_trip


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One way to split a goal.

    Attributes:
        slug: Stable name.
        ask: How the prompt requests it, after "Split it".
        goal: The goal of the worked example.
        parts: A good split of that goal by this lens.
        days_in: Which field of each part begins with its range of days, computed by code because
            small models cannot count them ("Days 36 to 42" of two weeks); empty: none.
    """

    slug: str
    ask: str
    goal: str
    parts: tuple[Part, ...]
    days_in: Literal["", "titles", "details"] = ""


def _parts(*pairs: tuple[str, str]) -> tuple[Part, ...]:
    return tuple(Part(title=title, detail=detail) for title, detail in pairs)


_TRIP = "Plan a one week trip to Portugal"
_FAIR = "Organise a science fair at a school"

LENSES: dict[str, Lens] = {
    lens.slug: lens
    for lens in (
        Lens(
            slug="place",
            ask="by place: each part is one city or area",
            goal=_TRIP,
            parts=_parts(
                ("Lisbon", "Days 1-2: Alfama on foot, tram to Belém, an evening of fado."),
                ("Sintra", "Days 3-4: Pena palace, the Moorish castle, cliffs at Cabo da Roca."),
                ("Coimbra", "Days 5-6: the old university library, a walk along the river."),
                ("Porto", "Day 7: Ribeira, port cellars and the flight home."),
            ),
            days_in="details",
        ),
        Lens(
            slug="activity",
            ask="by activity: each part is one kind of thing to do or prepare",
            goal=_TRIP,
            parts=_parts(
                ("Getting around", "Fly into Lisbon and out of Porto, trains by way of Coimbra."),
                ("Places to stay", "Three nights in Alfama, one in Coimbra, three in Ribeira."),
                ("Sights", "Belém tower, Pena palace, Coimbra's library, a boat on the Douro."),
                ("Food", "Custard tarts, grilled sardines, bacalhau and a tasting of port."),
            ),
        ),
        Lens(
            slug="day",
            ask="by day",
            goal=_TRIP,
            parts=_parts(
                ("Days 1-2: Lisbon", "Arrival, Alfama and Baixa on foot, tram to Belém."),
                ("Days 3-4: Sintra", "Palaces and castle on one day, beach at Cascais the next."),
                ("Days 5-6: Coimbra", "Train north, university library, river walk."),
                ("Day 7: Porto", "Ribeira, port cellars, flight home in the evening."),
            ),
            days_in="titles",
        ),
        Lens(
            slug="phase",
            ask="by phase: each part is one step in time, first to last",
            goal=_FAIR,
            parts=_parts(
                ("Set the frame", "Fix the date, the hall, the budget and who decides."),
                ("Call for projects", "Write the rules, invite the classes, collect sign-ups."),
                ("Prepare the day", "Order tables and power, find judges, make the floor plan."),
                ("Run and close", "Schedule of the day, prizes, clean-up, thanks to helpers."),
            ),
        ),
        Lens(
            slug="component",
            ask="by component: each part is one thing that has to exist in the end",
            goal=_FAIR,
            parts=_parts(
                ("Hall and equipment", "Room, tables, power, screens and the floor plan."),
                ("Projects", "Rules, sign-up form and a list of projects by age group."),
                ("Judging", "Criteria, score sheets, five judges and the prizes."),
                ("Publicity", "Poster, letter to parents and a page on the school's site."),
            ),
        ),
        Lens(
            slug="stakeholder",
            ask="by stakeholder: each part is what one group of people needs",
            goal=_FAIR,
            parts=_parts(
                ("Pupils", "Rules, help with choosing a project, a place to build it."),
                ("Teachers and judges", "Criteria, timetable and training for scoring."),
                ("Parents and visitors", "Invitation, opening hours, food and a guide."),
                ("School management", "Budget, safety, insurance and use of the hall."),
            ),
        ),
    )
}
"""Every lens, by its slug."""

TRAVEL_LENSES = ("place", "activity", "day")
"""Lenses for goals that are journeys, best first."""

GENERAL_LENSES = ("phase", "component", "stakeholder")
"""Lenses for all other goals, best first."""


def lenses_for(goal: str) -> tuple[str, ...]:
    """Return the slugs of the lenses that suit a goal, best first."""
    return TRAVEL_LENSES if is_trip(Passage.of(goal)) else GENERAL_LENSES


def lens_named(slug: str) -> Lens:
    """Return the lens with a slug; `phase` for an unknown slug of a newer peer or a policy."""
    return LENSES.get(slug, LENSES["phase"])
