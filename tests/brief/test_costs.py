"""Costs: a part stays within its share, and the table adds up what is there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.costs import cost_table, fit_costs, sums
from swarm.brief.part import Part
from swarm.brief.phrases import LANGUAGES, phrases
from swarm.core.brief import MAX_AMOUNT, Brief, Cost, Demand

BRIEF = Brief(demands=[Demand(kind="budget", text="600 euro", value=600, unit="EUR")])

items = st.lists(
    st.builds(
        Cost,
        what=st.sampled_from(["Hotel", "Food", "Train"]),
        amount=st.integers(0, MAX_AMOUNT),
        unit=st.sampled_from([None, "EUR"]),
        limit=st.sampled_from([None, True]),
    ),
    max_size=8,
)


@given(items, st.integers(0, MAX_AMOUNT))
def test_items_never_exceed_the_share(costs: list[Cost], share: int) -> None:
    """Whatever a model estimates, the sum is within the share; again, nothing changes."""
    part = Part(title="Kyoto", detail="", share=share)
    fitted = fit_costs(BRIEF, part, costs)
    assert fitted
    assert sum(cost.amount for cost in fitted) <= share
    assert fit_costs(BRIEF, part, fitted) == fitted
    total = sum(cost.amount for cost in costs)
    if total > share:
        assert sum(cost.amount for cost in fitted) == share
        assert all(cost.limit for cost in fitted)
    elif total:
        assert [cost.amount for cost in fitted] == [cost.amount for cost in costs]


def test_a_part_without_items_gets_its_share_as_a_limit() -> None:
    """There is always a number to keep to where a budget was divided, and none where not."""
    part = Part(title="Kyoto", detail="", share=200)
    assert fit_costs(BRIEF, part, []) == (Cost(what="Kyoto", amount=200, limit=True),)
    assert fit_costs(BRIEF, Part(title="Kyoto", detail=""), []) == ()


@given(st.lists(st.tuples(st.sampled_from(["A|B", "C"]), items), max_size=4))
def test_the_table_adds_up(parts: list[tuple[str, list[Cost]]]) -> None:
    """The total is the sum of the rows, and what is left or too much is what the budget says."""
    table = cost_table(BRIEF, parts, "en")
    every = [cost for _, costs in parts for cost in costs]
    if not every:
        assert table == ""
        return
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert all(row.count("|") == 5 for row in rows)
    amounts = [int(row.split("|")[3].strip(" *").split(" ")[0].replace(",", "")) for row in rows]
    total = sum(cost.amount for cost in every)
    assert sum(amounts[: len(every)]) == total
    assert amounts[len(every) :] == [total, 600, abs(600 - total)]
    assert ("above the budget" in table) == (total > 600)
    assert ("not a price" in table) == any(cost.limit for cost in every)


def test_several_currencies_are_not_added() -> None:
    """Amounts in two currencies have no sum, and the table says so."""
    costs = [Cost(what="Hotel", amount=5), Cost(what="Rickshaw", amount=90, unit="INR")]
    assert sums(BRIEF, costs).total is None
    assert "several currencies (EUR, INR)" in cost_table(BRIEF, [("Trip", costs)], "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_table(language: str) -> None:
    """Headings and notes are in the goal's language, with the same rows."""
    table = cost_table(BRIEF, [("X", [Cost(what="Y", amount=700)])], f"{language}-XX")
    word = phrases(language)
    assert table.startswith(f"## {word.costs}\n\n| {word.part} |")
    assert re.search(r"\b100 EUR", table)
    assert word.estimates_note in table
