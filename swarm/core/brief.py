"""The brief: what a goal demands, as data that proposals and results carry.

A person writes "two weeks in Japan, ending in Osaka, budget 6,000 euro". The brief lists these
demands one by one, so that every peer can state which part of a split keeps which demand, and code
can check it. `swarm.brief` reads a brief from a goal's text and checks splits and texts against it.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

MAX_DEMANDS = 32
"""Most demands of a brief: each costs words in every prompt."""

MAX_DEMAND_TEXT = 300
MAX_SUMMARY = 1_200
MAX_AMOUNT = 10**12
"""The largest amount of money or count, in whole units."""

DemandKind = Literal[
    "duration",
    "start_date",
    "end_date",
    "start_place",
    "end_place",
    "place",
    "people",
    "count",
    "budget",
    "costs",
    "must",
    "must_not",
    "language",
]
"""The kinds that this version knows.

`duration`: `value` and `unit` ("hour", "day", "week" or "month"). `start_date`, `end_date`: `date`.
`start_place`, `end_place`, `place`: the place's name in `name`; of a `place`, `value` says how many
days are spent there, if the goal does. `people`: how many take part in `value`. `count`: `value` of
the things that `name` says. `budget`: at most `value` of the currency `unit` (ISO 4217). `costs`:
costs are to be listed. `must`, `must_not`: `name` holds the words that matter. `language`: a BCP 47
tag in `unit`.
"""

DEMAND_KINDS = frozenset(get_args(DemandKind))


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Demand(_Fact):
    """One thing that a goal demands. Which fields are set depends on the kind."""

    kind: Annotated[str, Field(min_length=1, max_length=64)]
    """One of `DEMAND_KINDS`, or a later version's; an unknown kind is shown, not checked."""
    text: Annotated[str, Field(min_length=1, max_length=MAX_DEMAND_TEXT)]
    """The demand as the goal words it, human-readable, one line."""
    value: Annotated[int, Field(ge=0, le=MAX_AMOUNT)] | None = None
    unit: Annotated[str, Field(max_length=64)] | None = None
    name: Annotated[str, Field(max_length=200)] | None = None
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    """A day in ISO 8601."""


class Brief(_Fact):
    """All demands of a goal. A split's parts refer to them by their index."""

    demands: Annotated[list[Demand], Field(max_length=MAX_DEMANDS)] = []
    summary: Annotated[str, Field(max_length=MAX_SUMMARY)] = ""
    """The goal in short, if its text is too long for every prompt; empty: it is not."""
    language: Annotated[str, Field(max_length=35)] = ""
    """BCP 47 tag of the language to answer in; empty: not known."""

    def of(self, *kinds: DemandKind) -> list[Demand]:
        """Return the demands of some kinds, in order."""
        return [demand for demand in self.demands if demand.kind in kinds]

    def first(self, kind: DemandKind) -> Demand | None:
        """Return the first demand of a kind; None if there is none."""
        return next(iter(self.of(kind)), None)


class Cost(_Fact):
    """One item of what a plan costs."""

    what: Annotated[str, Field(min_length=1, max_length=200)]
    amount: Annotated[int, Field(ge=0, le=MAX_AMOUNT)]
    """In whole units of the currency of the brief's budget, else of `unit`."""
    unit: Annotated[str, Field(max_length=8)] | None = None
    """Currency (ISO 4217); None: that of the brief's budget."""
    limit: bool | None = None
    """Whether the amount is a limit that was set to fit the budget, not an estimate."""
