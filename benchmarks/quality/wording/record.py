"""How one language words its goals, and how a plan that keeps them would be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Something that a plan must have.

    Attributes:
        ask: The sentence in the goal.
        words: What a plan that has it says: groups joined by `&`, all of them within one passage;
            each group is alternatives for `matching.stems`.
        done: A sentence of a plan that has it.
    """

    ask: str
    words: str
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """Something that a plan must not have.

    Attributes:
        ask: The sentence in the goal.
        words: What must not be planned: alternatives for `matching.words`.
        broken: A sentence of a plan that has it all the same.
    """

    ask: str
    words: str
    broken: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A number of something.

    Attributes:
        ask: The sentence in the goal, with {n}.
        nouns: What is counted: alternatives for `matching.stems`.
        done: A sentence of a plan that keeps it, with {n}.
        low: Least number asked for.
        high: Greatest number asked for.
        each: Whether a plan may show them one by one instead of saying how many: two days with a
            museum are two museum visits.
    """

    ask: str
    nouns: str
    done: str
    low: int
    high: int
    each: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of goal in one language.

    Attributes:
        openings: First sentences, with {subject} and {length} ("ten days") or {lengthy}
            ("ten-day").
        subjects: What it may be about; for trips and moves the gazetteer has them.
        starts: How the start date is said, with {date}.
        counts: Numbers that may be asked for.
        musts: Demands.
        bans: What may be ruled out.
        always: Demands that every opening makes; their `ask` is empty.
    """

    openings: tuple[str, ...]
    subjects: tuple[str, ...]
    starts: tuple[str, ...]
    counts: tuple[Count, ...]
    musts: tuple[Demand, ...]
    bans: tuple[Ban, ...]
    always: tuple[Demand, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The words of a written plan, for `benchmarks.quality.perfect`.

    Attributes:
        day: Label of a day, with {n}.
        week: Label of a week, with {n}.
        date: A date, with {day} and {month}.
        months: Names of the months.
        leg: A journey, with {a} and {b}.
        stay: A day in a place, with {place}.
        ends: The end of a trip, with {place}.
        route: A move, with {a} and {b}.
        first: The first halves of a day's or week's work, which combine with the second.
        second: The second halves.
        sights: The first halves of a day in a place.
        evenings: The second halves of a day in a place.
        costs: Heading of the costs.
        item: Heading of the column of items.
        amount: Heading of the column of amounts.
        items: What costs something.
        total: Label of the total.
        intro: A sentence before the plan.
        numbers: The words from one to twelve.
    """

    day: str
    week: str
    date: str
    months: tuple[str, ...]
    leg: str
    stay: str
    ends: str
    route: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    sights: tuple[str, ...]
    evenings: tuple[str, ...]
    costs: str
    item: str
    amount: str
    items: tuple[str, ...]
    total: str
    intro: str
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Everything of one language.

    Attributes:
        code: ISO 639-1 code.
        name: Its English name, for "Answer in ...".
        families: The eight kinds of goals.
        days: Lengths in days, with {n}.
        weeks: Lengths in weeks, with {n}.
        lengthy_days: The same before a noun.
        lengthy_weeks: The same before a noun.
        each_day: Asks for every day.
        each_week: Asks for every week.
        from_to: Asks for both ends of a trip, with {start} and {end}.
        visits: Asks for places, with {places}.
        least: Asks for a number of places, with {n}.
        budget: Names the budget, with {money}.
        costs: Asks for the costs and their total.
        answer: Asks for the language.
        joined: What stands before the last of several places.
        money: How money is written, by currency, with {amount}.
        currencies: Currencies of its goals.
        frame: The words of a plan.
    """

    code: str
    name: str
    families: Mapping[str, Family]
    days: str
    weeks: str
    lengthy_days: str
    lengthy_weeks: str
    each_day: tuple[str, ...]
    each_week: tuple[str, ...]
    from_to: tuple[str, ...]
    visits: tuple[str, ...]
    least: tuple[str, ...]
    budget: tuple[str, ...]
    costs: tuple[str, ...]
    answer: tuple[str, ...]
    joined: str
    money: Mapping[str, tuple[str, ...]]
    currencies: tuple[str, ...]
    frame: Frame
