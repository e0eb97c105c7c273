"""Lenses: ways to split a goal, so that decomposers compete instead of repeating each other.

A lens has a stable slug, which is part of proposals, a line for the prompt, and one worked example,
without which a small model ignores the lens (measured). Slugs must not change; texts may improve.
The examples come from domains that people hardly ask about: a small model copies an example that is
near its goal, and a copy is refused (`swarm.brief.gate`).
"""

from __future__ import annotations

from dataclasses import dataclass

from swarm.brief.goal_kind import goal_kind
from swarm.brief.part import Part
from swarm.brief.passage import Passage
from swarm.brief.skeleton import steps_of
from swarm.core.brief import Brief

WHOLE = "whole"
"""Slug of the lens that does not split: the plan is written in one go and competes as a draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """One way to split a goal.

    Attributes:
        slug: Stable name.
        ask: How the prompt requests it, after "Split it".
        names: What the titles of its parts name, as small models are asked: "stages, in order".
        goal: The goal of the worked example.
        parts: A good split of that goal by this lens.
        ordered: Whether its parts follow each other in time, so that code gives them their days.
    """

    slug: str
    ask: str
    names: str
    goal: str
    parts: tuple[Part, ...]
    ordered: bool = False


def _parts(*pairs: tuple[str, str]) -> tuple[Part, ...]:
    return tuple(Part(title=title, detail=detail) for title, detail in pairs)


_TOUR = "Plan a nine day tour of a puppet theatre through Iceland"
_BOAT = "Restore an old rowing boat"
_BAGPIPES = "Learn to play the bagpipes"

LENSES: dict[str, Lens] = {
    lens.slug: lens
    for lens in (
        Lens(
            slug="place",
            ask="by place: each part is one city or area",
            names="cities or areas, in order",
            goal=_TOUR,
            parts=_parts(
                ("Reykjavík", "Unload the van, two evening shows in the harbour theatre."),
                ("Vík", "Drive along the coast, a show for schools, repairs of the stage."),
                ("Höfn", "One show in the fish hall, a rest day by the glacier lagoon."),
                ("Akureyri", "Long drive north, the last show and the return of the van."),
            ),
            ordered=True,
        ),
        Lens(
            slug="activity",
            ask="by activity: each part is one kind of thing to do or prepare",
            names="kinds of things to do or to prepare",
            goal=_TOUR,
            parts=_parts(
                ("Van and driving", "Hire a van with room for the stage, plan the long legs."),
                ("Halls", "Reserve four halls, ask each for light, chairs and a key."),
                ("Shows", "Choose two plays, one for schools, and pack their puppets."),
                ("Tickets", "Set prices, print tickets, agree who sits at the door."),
            ),
        ),
        Lens(
            slug="day",
            ask="in order of time",
            names="stages, in order",
            goal=_TOUR,
            parts=_parts(
                ("Arrival and first shows", "Unload in Reykjavík, two evenings in the theatre."),
                ("Along the south coast", "A show for schools in Vík, repairs of the stage."),
                ("Rest and the east", "A free day at the lagoon, one show in Höfn."),
                ("North and home", "Drive to Akureyri, the last show, give the van back."),
            ),
            ordered=True,
        ),
        Lens(
            slug="phase",
            ask="by phase: each part is one step in time, first to last",
            names="pieces of work, in order",
            goal=_BOAT,
            parts=_parts(
                ("Look it over", "Lift it on trestles, mark rot, list missing fittings."),
                ("Mend the hull", "Cut out bad planks, glue and rivet new ones, caulk."),
                ("Paint and oil", "Sand it, two coats outside, linseed oil inside."),
                ("Launch", "Fit the oars, soak the hull two days, row a first mile."),
            ),
            ordered=True,
        ),
        Lens(
            slug="progress",
            ask="by progress: each part is harder than the one before",
            names="stages of progress, each harder than the one before",
            goal=_BAGPIPES,
            parts=_parts(
                ("Breath and posture", "Fill the bag and hold one note, ten minutes a day."),
                ("First scales", "Nine notes on the chanter, slowly and with a metronome."),
                ("Simple marches", "Two marches with all drones, a lesson every Tuesday."),
                ("A tune in company", "Play by heart with a drummer, then for the neighbours."),
            ),
            ordered=True,
        ),
        Lens(
            slug="component",
            ask="by component: each part is one thing that has to exist in the end",
            names="things that have to exist in the end",
            goal=_BOAT,
            parts=_parts(
                ("Hull", "Sound planks, tight seams and a dry keel."),
                ("Seats and oars", "Three thwarts, four oars of ash and their rowlocks."),
                ("Paint", "A grey outside, an oiled inside and the name at the stern."),
                ("Trailer", "Two sound tyres, a winch and straps that fit the boat."),
            ),
        ),
        Lens(
            slug="stakeholder",
            ask="by stakeholder: each part is what one group of people needs",
            names="groups of people who have a task in it",
            goal=_BOAT,
            parts=_parts(
                ("Owner", "What to keep as it was, what to spend, where it will lie."),
                ("Boatbuilder", "Drawings, oak and larch, a dry shed until spring."),
                ("Helpers", "Saturdays, gloves and masks, and who shows them how."),
                ("Harbour master", "A mooring, the licence and a day for the launch."),
            ),
        ),
    )
}
"""Every lens that splits, by its slug."""

EXAMPLES = tuple(part for lens in LENSES.values() for part in lens.parts)
"""The parts of all worked examples; an answer that comes back with them is a copy."""

TRAVEL_LENSES = ("place", "day", "activity")
"""Lenses for goals that are journeys, best first."""

GENERAL_LENSES = ("phase", "component", "stakeholder")
"""Lenses for all other goals, best first."""

DATED_LENSES = ("phase", "day")
"""Lenses for plans of several days or weeks that are no journeys, best first."""

LEARNING_LENSES = ("progress", "phase")
"""Lenses for training and studies, best first."""

MEAL_LENSES = ("day",)
"""The lens for meal plans of several days: each day has its meals, whatever the split."""


def lenses_for(goal: str, brief: Brief) -> tuple[str, ...]:
    """Return the slugs of the lenses that suit a goal, best first.

    A plan of several days or weeks is split in order of time only: otherwise no part has its days.

    Args:
        goal: Its text.
        brief: What it demands.
    """
    dated = steps_of(brief)[1] > 0
    kind = goal_kind(Passage.of(goal, brief.language))
    if kind == "trip":
        return tuple(slug for slug in TRAVEL_LENSES if LENSES[slug].ordered or not dated)
    if kind == "learning":
        return LEARNING_LENSES
    if not dated:
        return GENERAL_LENSES
    return MEAL_LENSES if kind == "meals" else DATED_LENSES


def lens_named(slug: str) -> Lens:
    """Return the lens with a slug; `phase` for an unknown slug of a newer peer or a policy."""
    return LENSES.get(slug, LENSES["phase"])
