"""Amounts of money as people write them, and what they are."""

import dataclasses

import pytest

from benchmarks.quality.checks import money
from benchmarks.quality.checks.amounts import amounts_in, priced
from benchmarks.quality.goals import Goal, Money, generate
from benchmarks.quality.reading import plain, read

GOAL = dataclasses.replace(generate(30_000, "en"), budget=Money(2_400, "EUR"), costs=True)


@pytest.mark.parametrize(
    ("language", "currency", "text", "value"),
    [
        ("en", "EUR", "€1,200", 1200),
        ("en", "EUR", "1.200 euros", 1200),
        ("en", "EUR", "EUR 12.50", 12.5),
        ("en", "EUR", "12,50 €", 12.5),
        ("en", "USD", "$1,200.50", 1200.5),
        ("ms", "MYR", "RM1,200", 1200),
        ("ms", "MYR", "3 ribu ringgit", 3000),
        ("hi", "INR", "₹1,20,000", 120_000),
        ("hi", "INR", "१,२०,००० रुपये", 120_000),
        ("hi", "INR", "2 लाख रुपये", 200_000),
        ("ur", "PKR", "۲۵ ہزار روپے", 25_000),
        ("bn", "BDT", "৳৮৭০,০০০", 870_000),
        ("bn", "BDT", "৮ লাখ টাকা", 800_000),
    ],
)
def test_amounts_are_read(language: str, currency: str, text: str, value: float) -> None:
    """Separators, native digits and words for large numbers are understood."""
    (found,) = amounts_in(plain(text), language, currency)
    assert (found.low, found.high) == (value, value)


def test_a_range_is_kept_as_one() -> None:
    """A range such as "€20-30" is one amount with two ends."""
    (found,) = amounts_in(plain("€20–30"), "en", "EUR")
    assert (found.low, found.high) == (20, 30)


@pytest.mark.parametrize(
    ("line", "role", "stated"),
    [
        ("- Hotel: 3 nights × €80 = €240", "item", 240),
        ("- Total: €2,120, which leaves €280 of the €2,400", "total", 2_120),
        ("- Total: €2,120 of our budget of €2,400", "total", 2_120),
        ("- Altogether 3 × €700 = €2,100", "total", 2_100),
        ("- Total budget: €2,400", "budget", 2_400),
        ("- Our budget is €2,400.", "budget", 2_400),
        ("- Remaining: €280", "left", 280),
        ("- Grand total: €2,120", "grand total", 2_120),
    ],
)
def test_lines_have_roles(line: str, role: str, stated: float) -> None:
    """A total is none of the items, and a budget is no total."""
    (found,) = priced(read(line, GOAL), GOAL)
    assert (found.role, found.stated.high) == (role, stated)


def _outcomes(text: str, goal: Goal = GOAL) -> list[str]:
    return [one.outcome for one in money.check(read(text, goal), goal)]


def test_a_table_may_have_its_currency_in_its_head() -> None:
    """Plain numbers below "Cost (€)" are amounts."""
    text = "| What | Cost (€) |\n|---|---|\n| A | 100 |\n| B | 250 |\n| C | 50 |\n| Total | 400 |"
    assert _outcomes(text) == ["kept", "kept", "kept"]


def test_subtotals_may_make_the_total() -> None:
    """The sum of the sections' totals is as good as the sum of all items."""
    text = (
        "## Trains\n- A: €100\n- B: €50\n- Total: €150\n\n## Beds\n- C: €300\n- D: €200\n"
        "- Total: €500\n\n## All\n- Grand total: €650"
    )
    assert _outcomes(text) == ["kept", "kept", "kept"]


def test_prices_in_the_text_do_not_disturb_the_table() -> None:
    """What a museum costs may be said on its day and again in the table."""
    text = (
        "## Day 1\n- Museum, €12 each\n\n## Costs\n\n| Item | Amount |\n|---|---|\n"
        "| Museum | €36 |\n| Bed | €64 |\n| Food | €100 |\n| Total | €200 |"
    )
    assert _outcomes(text) == ["kept", "kept", "kept"]


def test_saying_the_budget_lists_no_costs() -> None:
    """A plan that only repeats its budget keeps nothing about money."""
    assert _outcomes("- Total budget: €2,400\n- Keep to the budget of €2,400") == ["broken"] * 3


def test_without_a_total_the_items_are_judged() -> None:
    """Costs that stay within the budget do so even if nobody added them up."""
    assert _outcomes("- A: €100\n- B: €250\n- C: €50") == ["kept", "broken", "kept"]
