"""The skeleton of a split: which part has which days, place, share of the budget and demands.

Models write titles and details. Code divides the days and the money, connects the places and gives
every demand to a part, so that a split that is proposed leaves no demand out. `frame` makes the
skeleton before a model is asked, `fit` joins it with what the model (or another peer) answered.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import fuzz

from swarm.brief.countries import is_country
from swarm.brief.part import Part
from swarm.brief.steps import step_label, steps_in
from swarm.core.brief import Brief, Demand

MOST_STEPS = 400
"""Plans of more days or weeks than this are not divided by them."""

STEPS_A_PART = {"day": 3, "week": 2}
"""How many days or weeks one part covers if nothing else decides: what one text can describe."""

SAME_NAME = 85.0
"""fuzz.ratio from which two names are the same place, despite spelling."""

EVERY_PART = frozenset(("duration", "budget", "costs", "must_not", "language"))
"""Kinds of demands that every part has to keep."""

FIRST_PART = frozenset(("start_place", "start_date"))
LAST_PART = frozenset(("end_place", "end_date"))

LEAST_SHARED = 3
"""Letters from which a word counts when a demand is matched with a part."""


def steps_of(brief: Brief) -> tuple[str, int]:
    """Return the unit ("day" or "week") and number of the steps that a plan covers; 0: none."""
    found = brief.first("duration")
    if found is None or found.value is None or found.unit not in STEPS_A_PART:
        return "", 0
    if not 1 < found.value <= MOST_STEPS:
        return "", 0
    return found.unit, found.value


def range_of(brief: Brief, whole: Part | None) -> tuple[int, int] | None:
    """Return the first and last step that a node's parts divide; None: the plan has no steps."""
    _, total = steps_of(brief)
    if not total:
        return None
    if whole is None:
        return 1, total
    if whole.first is None or whole.last is None:
        return None
    return whole.first, min(whole.last, total)


def route_of(brief: Brief) -> list[Demand]:
    """Return the places that a plan visits, in order, each once; the start and the end included.

    The aim of the whole journey ("a trip to Japan, starting in Tokyo") is no stop of it: that is a
    place which is named before the start, or the only one, or the only country.
    """
    stops = brief.of("place")
    starts = brief.of("start_place")[:1]
    countries = [
        stop for stop in stops if not stop.value and is_country(stop.name or "", brief.language)
    ]
    if len(countries) == 1 and len(stops) > 1:
        stops = [stop for stop in stops if stop is not countries[0]]
    if starts:
        at = brief.demands.index(starts[0])
        stops = [stop for stop in stops if brief.demands.index(stop) > at or stop.value]
    elif len(brief.of("place")) == 1 and not stops[0].value:
        stops = []
    route: list[Demand] = []
    ends = brief.of("end_place")[:1]
    for demand in [*starts, *stops, *ends]:
        name = demand.name or ""
        if not name:
            continue
        known = next((at for at, other in enumerate(route) if _same(other.name or "", name)), None)
        if known is None:
            route.append(demand)
        elif demand.kind == "end_place" and known > 0:
            route.append(route.pop(known))
        elif demand.kind == "end_place":
            route.append(demand)  # A round trip.
    return route


def count_for(brief: Brief, most: int, *, whole: Part | None = None) -> int:
    """Return how many parts suit a goal: by its places, else its days, else its demands.

    Args:
        brief: What the goal demands.
        most: No more than this; at least 2.
        whole: The node that is split; None: the root.
    """
    steps = range_of(brief, whole)
    if steps is None:
        wishes = len(brief.of("must", "count", "people"))
        return max(2, min(most, 3 + wishes // 2))
    length = steps[1] - steps[0] + 1
    unit, _ = steps_of(brief)
    route = route_of(brief) if whole is None else []
    wanted = max(len(route), math.ceil(length / STEPS_A_PART[unit]))
    return max(2, min(most, wanted, length))


def frame(brief: Brief, count: int, *, whole: Part | None = None) -> tuple[Part, ...]:
    """Return the skeleton of `count` parts as far as code knows it; titles are places or empty.

    Args:
        brief: What the goal demands.
        count: How many parts, at least 1.
        whole: The node that is split; None: the root.
    """
    route = route_of(brief) if whole is None else []
    places = _spread([demand.name or "" for demand in route], count)
    ranges = _ranges(brief, count, whole, route)
    shares = _shares(brief, ranges, count, whole)
    return tuple(
        Part(
            title=places[index],
            detail="",
            place=places[index][:64],
            first=None if ranges is None else ranges[index][0],
            last=None if ranges is None else ranges[index][1],
            share=None if shares is None else shares[index],
        )
        for index in range(count)
    )


def fit(
    brief: Brief,
    parts: Sequence[Part],
    *,
    whole: Part | None = None,
    dated: bool = True,
    by_place: bool = False,
) -> tuple[Part, ...]:
    """Return the parts of a split with their skeleton repaired and completed; idempotent.

    Args:
        brief: What the goal demands.
        parts: As a model or another peer proposed them.
        whole: The skeleton of the node that is split, whose days, share and demands its parts
            divide; None: the node is the root, and they divide the whole brief.
        dated: Whether the parts follow each other in time; else they get no days.
        by_place: Whether each part's title is the place where it happens.
    """
    if not parts:
        return ()
    parts = [_titled(part) for part in parts]
    steps = range_of(brief, whole) if dated else None
    if by_place:
        parts = [
            part if part.place else replace(part, place=without_label(part.title)[:64])
            for part in parts
        ]
    parts = _merge(parts, steps)
    if steps is not None and len(parts) > steps[1] - steps[0] + 1:
        steps = None
    if steps is not None and not _covers(parts, steps):
        parts = _in_route(brief, parts) if whole is None else parts
        ranges = _ranges(brief, len(parts), whole, route_of(brief) if whole is None else [])
        assert ranges is not None
        parts = [
            replace(part, first=first, last=last)
            for part, (first, last) in zip(parts, ranges, strict=True)
        ]
    elif steps is None:
        parts = [replace(part, first=None, last=None) for part in parts]
    if steps is not None and whole is None:
        parts = _connected(brief, parts, by_place=by_place)
    unit, _ = steps_of(brief)
    if steps is not None:
        parts = [_labelled(part, unit, brief.language) for part in parts]
    ranges = _dates(parts)
    shares = _shares(brief, ranges, len(parts), whole)
    if shares is None:
        parts = [replace(part, share=None) for part in parts]
    elif not _within(parts, sum(shares)):
        parts = [replace(part, share=share) for part, share in zip(parts, shares, strict=True)]
    return tuple(_give_demands(brief, parts, whole))


def left_out(brief: Brief, parts: Sequence[Part], *, whole: Part | None = None) -> list[Demand]:
    """Return the demands that no part of a split is to keep."""
    kept = {index for part in parts for index in part.keeps}
    return [brief.demands[index] for index in _to_keep(brief, whole) if index not in kept]


def _to_keep(brief: Brief, whole: Part | None) -> list[int]:
    everything = range(len(brief.demands))
    if whole is None:
        return list(everything)
    return [index for index in everything if index in whole.keeps]


def _same(one: str, other: str) -> bool:
    return bool(one and other) and fuzz.ratio(one.casefold(), other.casefold()) >= SAME_NAME


def _names(part: Part, name: str) -> bool:
    """Return whether a part names a place in its place or title."""
    if _same(part.place, name) or _same(without_label(part.title), name):
        return True
    return (
        re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", part.title.casefold()) is not None
    )


def _spread(names: Sequence[str], count: int) -> list[str]:
    """Return one name for each of `count` parts: the first first, the last last, others between."""
    if not names:
        return [""] * count
    if len(names) == 1:
        return [names[0], *[""] * (count - 1)] if count > 1 else [names[0]]
    if len(names) >= count:
        step = (len(names) - 1) / max(1, count - 1)
        return [names[round(index * step)] for index in range(count)]
    places = [""] * count
    for at, name in enumerate(names):
        places[round(at * (count - 1) / (len(names) - 1))] = name
    return places


def _ranges(
    brief: Brief, count: int, whole: Part | None, route: Sequence[Demand]
) -> list[tuple[int, int]] | None:
    """Return the steps of each of `count` parts; None: the plan has none, or too few."""
    steps = range_of(brief, whole)
    if steps is None or steps[1] - steps[0] + 1 < count:
        return None
    first, last = steps
    lengths = [demand.value or 0 for demand in route if demand.kind == "place"]
    if len(lengths) == count and all(lengths) and sum(lengths) == last - first + 1:
        sizes = lengths
    else:
        size, longer = divmod(last - first + 1, count)
        sizes = [size + (index < longer) for index in range(count)]
    ranges = []
    for length in sizes:
        ranges.append((first, first + length - 1))
        first += length
    return ranges


def _dates(parts: Sequence[Part]) -> list[tuple[int, int]] | None:
    ranges = [
        (part.first, part.last)
        for part in parts
        if part.first is not None and part.last is not None
    ]
    return ranges if len(ranges) == len(parts) else None


def _covers(parts: Sequence[Part], steps: tuple[int, int]) -> bool:
    """Return whether parts cover all steps once and in order."""
    ranges = _dates(parts)
    if ranges is None or ranges[0][0] != steps[0] or ranges[-1][1] != steps[1]:
        return False
    following = all(one[1] + 1 == other[0] for one, other in pairwise(ranges))
    return following and all(first <= last for first, last in ranges)


def _within(parts: Sequence[Part], budget: int) -> bool:
    """Return whether parts have shares that are exactly the budget together."""
    shares = [part.share for part in parts if part.share is not None]
    return len(shares) == len(parts) and sum(shares) == budget


def _shares(
    brief: Brief, ranges: Sequence[tuple[int, int]] | None, count: int, whole: Part | None
) -> list[int] | None:
    """Return each part's share of the budget, by its number of steps; None: there is no budget."""
    demand = brief.first("budget")
    budget = demand.value if demand is not None and whole is None else None
    if whole is not None:
        budget = whole.share
    if budget is None:
        return None
    weights = [1] * count if ranges is None else [last - first + 1 for first, last in ranges]
    total, shares, before = sum(weights), [], 0
    for at in range(count):
        up_to = budget * sum(weights[: at + 1]) // total
        shares.append(up_to - before)
        before = up_to
    return shares


def _titled(part: Part) -> Part:
    """Return a part that has a title: its detail's beginning, if a model left the title empty."""
    if part.title.strip():
        return part
    return replace(part, title=" ".join(part.detail.split())[:60].strip() or "-")


def _merge(parts: Sequence[Part], steps: tuple[int, int] | None) -> list[Part]:
    """Join the last parts where there are more parts than steps."""
    kept = list(parts)
    most = max(2, steps[1] - steps[0] + 1) if steps is not None else len(kept)
    while len(kept) > most:
        one, other = kept[-2], kept[-1]
        kept[-2:] = [
            replace(
                one,
                title=", ".join(filter(None, (one.title.strip(), other.title.strip())))[:80],
                detail=f"{one.detail} {other.detail}".strip()[:400],
                place=other.place or one.place,
                keeps=tuple(sorted({*one.keeps, *other.keeps})),
                after=tuple(index for index in one.after if index < len(kept) - 2),
            )
        ]
    return kept


def _in_route(brief: Brief, parts: Sequence[Part]) -> list[Part]:
    """Put parts in the order of the route that the goal names."""
    order: list[Part] = list(parts)
    names = [demand.name or "" for demand in route_of(brief)]
    if len(names) > 1 and _same(names[0], names[-1]):
        names = names[:-1]  # A round trip: the part of the start stays where it is.
    places = [at for at, part in enumerate(order) if any(_names(part, name) for name in names)]
    named = sorted(
        (order[at] for at in places),
        key=lambda part: next(i for i, name in enumerate(names) if _names(part, name)),
    )
    for at, part in zip(places, named, strict=True):
        order[at] = part
    end = brief.first("end_place")
    if end is not None and end.name and not _same(names[0], end.name):
        for part in order[:-1]:
            if _names(part, end.name):
                order.remove(part)
                order.append(part)
                break
    return [replace(part, after=()) for part in order] if order != list(parts) else order


def _connected(brief: Brief, parts: Sequence[Part], *, by_place: bool) -> list[Part]:
    """Make the first part begin and the last part end where the goal says so.

    A part that is a place becomes a leg ("Nara → Osaka"), a piece of work gets its place behind it
    ("Pack the boxes (Osaka)").
    """

    def joined_to(title: str, name: str, *, last: bool) -> str:
        if not by_place:
            return f"{without_label(title)[: 76 - len(name)]} ({name})"
        return _joined(title, name) if last else _joined(name, title)

    joined = list(parts)
    start, end = brief.first("start_place"), brief.first("end_place")
    if start is not None and start.name and not _mentions(joined[0], start.name):
        title = joined_to(joined[0].title, start.name, last=False)
        joined[0] = replace(joined[0], title=title)
    if end is not None and end.name:
        last = joined[-1]
        if not _mentions(last, end.name):
            last = replace(last, title=joined_to(last.title, end.name, last=True))
        joined[-1] = replace(last, place=end.name[:64])
    return joined


def _mentions(part: Part, name: str) -> bool:
    return name.casefold() in f"{part.title} {part.place}".casefold()


def _joined(one: str, other: str) -> str:
    """Return a title for a leg from one place to the other."""
    return f"{without_label(one)} → {without_label(other)}"[:80]


def _labelled(part: Part, unit: str, language: str) -> Part:
    """Return the part with its days or weeks before its title, and not again in its detail."""
    assert part.first is not None
    assert part.last is not None
    label = step_label(unit, language, part.first, part.last)
    name = without_label(part.title)
    title = f"{label}: {name}" if name else label
    return replace(part, title=title[:120], detail=without_label(part.detail) or part.detail)


@lru_cache(maxsize=512)
def without_label(text: str) -> str:
    """Return a title or detail without the days or weeks that it begins with."""
    for unit in STEPS_A_PART:
        for step in steps_in(text[:80], unit):
            if step.heads and not text[: step.start].strip(" *#([-"):
                return text[step.end :].lstrip(" *#)]:.,–—-").strip()
    return text.strip()


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w']+", text.casefold()) if len(word) >= LEAST_SHARED}


def _give_demands(brief: Brief, parts: Sequence[Part], whole: Part | None) -> list[Part]:
    """Give every demand that no part keeps yet to the part that suits it best."""
    keeps = [{index for index in part.keeps if index < len(brief.demands)} for part in parts]
    texts = [_words(f"{part.title} {part.detail} {part.place}") for part in parts]
    for index in _to_keep(brief, whole):
        demand = brief.demands[index]
        if demand.kind in EVERY_PART:
            for mine in keeps:
                mine.add(index)
        elif any(index in mine for mine in keeps):
            continue
        elif demand.kind in FIRST_PART:
            keeps[0].add(index)
        elif demand.kind in LAST_PART:
            keeps[-1].add(index)
        else:
            at = _suits(brief, demand, parts, texts, keeps)
            keeps[at].add(index)
    return [
        replace(part, keeps=tuple(sorted(mine))) for part, mine in zip(parts, keeps, strict=True)
    ]


def _suits(
    brief: Brief,
    demand: Demand,
    parts: Sequence[Part],
    texts: Sequence[set[str]],
    keeps: Sequence[set[int]],
) -> int:
    """Return the index of the part that speaks of a demand, else of the one with the fewest."""
    if demand.kind == "place" and demand.name:
        for at, part in enumerate(parts):
            if _names(part, demand.name) or _mentions(part, demand.name):
                return at
    wanted = _words(demand.name or demand.text)
    load = [sum(brief.demands[index].kind not in EVERY_PART for index in mine) for mine in keeps]
    return min(range(len(parts)), key=lambda at: (-len(wanted & texts[at]), load[at], at))
