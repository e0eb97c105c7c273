"""A seeded generator of goals whose demands can be checked by code.

A goal is its text and the truth about it: everything that the text demands, in a form that the
checks understand. The same seed and language give the same goal. Eight families take turns, and so
do the languages, in such a way that forty seeds in a row have each pair once.

Seeds come in two ranges that share none. Prompts and code are tuned on the goals of `TUNE`. The
goals of `REPORT`, their plans and their figures must not be looked at before the end: a figure of
goals that somebody tuned on says nothing.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from benchmarks.quality.gazetteer import COUNTRIES, Country, Place
from benchmarks.quality.wording import WORDINGS
from benchmarks.quality.wording.record import Ban, Count, Demand, Family, Wording

FAMILIES = ("trip", "event", "move", "training", "study", "launch", "meals", "renovation")
"""The kinds of goals, in the order in which seeds take them."""

LANGUAGES = tuple(WORDINGS)
"""The languages, in the order in which seeds take them."""

TUNE = range(1_000, 5_000)
"""Seeds of the goals to tune on."""

REPORT = range(5_000, 9_000)
"""Seeds of the goals to report on; not to be looked at before the end."""

YEAR = 2027
"""Year of the start dates; goals name only day and month."""

T = TypeVar("T")

Unit = Literal["day", "week"]

LENGTHS: dict[str, tuple[tuple[Unit, int, int], ...]] = {
    "trip": (("day", 5, 14),),
    "event": (("week", 3, 8),),
    "move": (("week", 3, 6), ("day", 6, 12)),
    "training": (("week", 4, 10),),
    "study": (("week", 3, 8), ("day", 7, 14)),
    "launch": (("week", 4, 10),),
    "meals": (("day", 5, 10),),
    "renovation": (("week", 3, 8), ("day", 6, 12)),
}
"""In what and how long each family is planned."""

EUROS = {
    "trip": (2_500, 8_000),
    "event": (500, 3_000),
    "move": (900, 4_000),
    "training": (80, 400),
    "study": (60, 300),
    "launch": (1_500, 9_000),
    "meals": (70, 250),
    "renovation": (1_500, 9_000),
}
"""Budgets of each family, in euros."""

RATES = {"EUR": 1, "USD": 1.1, "MYR": 5, "INR": 90, "PKR": 300, "BDT": 125}
"""Roughly how much one euro is."""

BENGALI_DIGITS = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in whole units of a currency, named by its ISO 4217 code."""

    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A number that the goal demands, and what it counts."""

    number: int
    count: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One goal and the truth about it.

    Attributes:
        seed: What made it.
        family: Its kind.
        language: Code of the language of its text and of its plan.
        text: What a person would type.
        unit: Whether it is planned by days or by weeks.
        length: How many of them.
        start: Date of the first day; None if the goal names none.
        country: Where a trip goes or a move takes place; None otherwise.
        start_place: Where a trip or move begins; None if it is left open.
        end_place: Where it ends; None if it is left open.
        visits: Places that a trip must include.
        least_places: How many towns a trip must have; 0 if the goal does not say.
        counts: Numbers that must be kept.
        budget: The most that it may cost; None if the goal names none.
        costs: Whether the costs must be listed and added up.
        demands: What the plan must have.
        bans: What it must not have.
    """

    seed: int
    family: str
    language: str
    text: str
    unit: Unit
    length: int
    start: datetime.date | None
    country: Country | None
    start_place: Place | None
    end_place: Place | None
    visits: tuple[Place, ...]
    least_places: int
    counts: tuple[Counted, ...]
    budget: Money | None
    costs: bool
    demands: tuple[Demand, ...]
    bans: tuple[Ban, ...]

    @property
    def wording(self) -> Wording:
        """The words of its language."""
        return WORDINGS[self.language]

    @property
    def is_trip(self) -> bool:
        """Whether it goes from place to place."""
        return self.family == "trip"


def language_of(seed: int, languages: Sequence[str] = LANGUAGES) -> str:
    """Return the language that a seed takes of those in use."""
    return languages[(seed // len(FAMILIES) + seed) % len(languages)]


def generate(seed: int, language: str = "") -> Goal:
    """Return the goal of a seed.

    Args:
        seed: Any number; see `TUNE` and `REPORT`.
        language: A code of `LANGUAGES`; empty: the one that the seed takes of all.
    """
    language = language or language_of(seed)
    wording = WORDINGS[language]
    family = FAMILIES[seed % len(FAMILIES)]
    draw = random.Random(f"{seed} {language}")
    unit, low, high = draw.choice(LENGTHS[family])
    length = draw.randint(low, high)
    start = datetime.date(YEAR, draw.randint(2, 9), draw.randint(1, 28)) if _often(draw) else None
    country, route = _route(draw, family, length)
    budget = _budget(draw, wording, family) if _often(draw) else None
    kind = wording.families[family]
    counts = tuple(
        Counted(draw.randint(count.low, count.high), count)
        for count in _some(draw, kind.counts, 1, len(kind.counts))
    )
    ends = family == "move" or (family == "trip" and _often(draw))
    goal = Goal(
        seed=seed,
        family=family,
        language=language,
        text="",
        unit=unit,
        length=length,
        start=start,
        country=country,
        start_place=route[0] if ends else None,
        end_place=route[-1] if ends else None,
        visits=tuple(route[1:-1]) if family == "trip" else (),
        least_places=len(route) if family == "trip" and draw.random() < 0.5 else 0,
        counts=counts,
        budget=budget,
        costs=budget is not None,
        demands=(*kind.always, *_some(draw, kind.musts, 2, 3)),
        bans=tuple(_some(draw, kind.bans, 1, 2)),
    )
    return _with_text(goal, draw)


def _often(draw: random.Random) -> bool:
    return draw.random() < 0.75


def _some(draw: random.Random, values: Sequence[T], least: int, most: int) -> list[T]:
    """Return some of the values, in their order."""
    count = min(len(values), draw.randint(least, max(least, most)))
    chosen = sorted(draw.sample(range(len(values)), count))
    return [values[index] for index in chosen]


def _route(draw: random.Random, family: str, length: int) -> tuple[Country | None, list[Place]]:
    """Return a country and the towns of a journey through it, in order."""
    if family not in ("trip", "move"):
        return None, []
    country = draw.choice(COUNTRIES)
    count = 2 if family == "move" else min(5, max(3, length // 3 + 1))
    # The first ones are the best known.
    return country, draw.sample(country.towns[:10], count)


def _budget(draw: random.Random, wording: Wording, family: str) -> Money:
    low, high = EUROS[family]
    currency = draw.choice(wording.currencies)
    amount = draw.uniform(low, high) * RATES[currency]
    step = 10 ** max(1, len(str(int(amount))) - 2)
    return Money(round(amount / step) * step, currency)


def written(number: int, language: str) -> str:
    """Return a number with separators, in the digits that goals in the language use."""
    text = f"{number:,}"
    return text.translate(BENGALI_DIGITS) if language == "bn" else text


def money_text(money: Money, wording: Wording, form: int = 0) -> str:
    """Return an amount as people write it in a language."""
    forms = wording.money[money.currency]
    return forms[form % len(forms)].format(amount=written(money.amount, wording.code))


def date_text(date: datetime.date, wording: Wording) -> str:
    """Return day and month."""
    frame = wording.frame
    day = written(date.day, wording.code)
    return frame.date.format(day=day, month=frame.months[date.month - 1])


def number_text(number: int, wording: Wording, *, word: bool) -> str:
    """Return a number as a word, where there is one and it is wanted, or in digits."""
    numbers = wording.frame.numbers
    return numbers[number - 1] if word and number <= len(numbers) else written(number, wording.code)


def _with_text(goal: Goal, draw: random.Random) -> Goal:
    """Return the goal with its text: the opening first, then the demands in a drawn order."""
    wording = goal.wording
    kind = wording.families[goal.family]
    opening = _opening(goal, kind, draw)
    rest = _facts(goal, draw) + [
        counted.count.ask.format(n=number_text(counted.number, wording, word=draw.random() < 0.6))
        for counted in goal.counts
    ]
    rest += [demand.ask for demand in goal.demands if demand.ask]
    rest += [ban.ask for ban in goal.bans]
    draw.shuffle(rest)
    sentences = [opening, *rest, draw.choice(wording.answer)]
    text = " ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences)
    fields = {name: getattr(goal, name) for name in Goal.__slots__}
    return Goal(**{**fields, "text": text})


def _opening(goal: Goal, kind: Family, draw: random.Random) -> str:
    wording = goal.wording
    word = draw.random() < 0.5
    n = number_text(goal.length, wording, word=word)
    days = goal.unit == "day"
    subject = goal.country.names[goal.language] if goal.is_trip and goal.country else ""
    places = {}
    if goal.start_place is not None and goal.end_place is not None:
        places = {
            "start": goal.start_place.name(goal.language),
            "end": goal.end_place.name(goal.language),
        }
    text = draw.choice(kind.openings).format(
        subject=subject or (draw.choice(kind.subjects) if kind.subjects else ""),
        length=(wording.days if days else wording.weeks).format(n=n),
        lengthy=(wording.lengthy_days if days else wording.lengthy_weeks).format(n=n),
        **places,
    )
    return re.sub(r"\b([Aa])(?= (?:8|11|eight|eleven)-)", r"\1n", text)


def _facts(goal: Goal, draw: random.Random) -> list[str]:
    """Return the sentences about time, places and money."""
    wording = goal.wording
    found = [draw.choice(wording.each_day if goal.unit == "day" else wording.each_week)]
    if goal.start is not None:
        starts = wording.families[goal.family].starts
        found.append(draw.choice(starts).format(date=date_text(goal.start, wording)))
    if goal.is_trip and goal.start_place is not None and goal.end_place is not None:
        found.append(
            draw.choice(wording.from_to).format(
                start=goal.start_place.name(goal.language), end=goal.end_place.name(goal.language)
            )
        )
    if goal.visits:
        names = [place.name(goal.language) for place in goal.visits]
        joined = wording.joined.join(filter(None, [", ".join(names[:-1]), names[-1]]))
        found.append(draw.choice(wording.visits).format(places=joined))
    if goal.least_places:
        n = number_text(goal.least_places, wording, word=draw.random() < 0.5)
        found.append(draw.choice(wording.least).format(n=n))
    if goal.budget is not None:
        money = money_text(goal.budget, wording, draw.randrange(6))
        found.append(draw.choice(wording.budget).format(money=money))
    if goal.costs:
        found.append(draw.choice(wording.costs))
    return found
