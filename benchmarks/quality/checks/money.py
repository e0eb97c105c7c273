"""Money: the costs are listed, they add up to the stated total, and that is within the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.quality.checks.amounts import Amount, Priced, priced
from benchmarks.quality.checks.verdict import Verdict, not_applicable, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.reading import Document

LISTED = 3
"""Fewer items with an amount are no list of costs."""

ROUNDING = 0.005
"""Share by which a total may differ from the sum of rounded items."""


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check list, sum and budget."""
    names = ("costs listed", "adds up", "within budget")
    if goal.budget is None:
        return [not_applicable(name, "the goal names no budget") for name in names]
    found = priced(document, goal)
    items = [one for one in found if one.role == "item"]
    totals = [one for one in found if one.role in ("total", "grand total")]
    grand = _grand(totals)
    listed = verdict(names[0], len(items) >= LISTED, f"{len(items)} items with an amount")
    return [listed, _sums(names[1], found, totals, grand), _within(names[2], goal, items, grand)]


def _grand(totals: Sequence[Priced]) -> Priced | None:
    """Return the total of everything: the last one that is called so, else the greatest."""
    called = [one for one in totals if one.role == "grand total"]
    if called:
        return called[-1]
    return max(totals, key=lambda one: one.stated.high, default=None)


def _sums(
    name: str, found: Sequence[Priced], totals: Sequence[Priced], grand: Priced | None
) -> Verdict:
    if grand is None:
        return verdict(name, False, "no total is stated")
    stated = grand.stated
    sums = []
    for group in _groups(found, totals, grand):
        if len(group) < 2:
            continue
        for total in _sums_of(group):
            sums.append(total)
            if _agree(total, stated):
                return verdict(name, True, f"{len(group)} amounts are {stated.high:,.0f}")
    if not sums:
        return verdict(name, False, f"nothing is listed for the total {stated.high:,.0f}")
    return verdict(
        name, False, f"the items are {sums[0].high:,.0f}, the total says {stated.high:,.0f}"
    )


def _groups(
    found: Sequence[Priced], totals: Sequence[Priced], grand: Priced
) -> Iterator[list[Priced]]:
    """Return what the total may be the sum of.

    Either the items in its own table or list, or in its section, or all of them; or the other
    totals.
    """
    items = [one for one in found if one.role == "item"]
    block: list[Priced] = []
    above = grand.index
    for one in reversed([one for one in found if one.index < grand.index]):
        if above - one.index > 1 or one.line.kind != grand.line.kind:
            break
        above = one.index
        if one.role == "item":
            block.insert(0, one)
    if grand.line.kind == "row":
        yield [one for one in items if one.line.header and one.line.header == grand.line.header]
    yield block
    yield [one for one in items if one.line.section == grand.line.section]
    yield items
    yield [one for one in totals if one is not grand]
    yield [*items, *(one for one in totals if one is not grand)]


def _sums_of(group: Sequence[Priced]) -> Iterator[Amount]:
    """Return the sums of a group.

    A line may have several amounts: the price of one and of all. Its last one counts, or the
    greatest, or all of them.
    """
    last = [one.amounts[-1] for one in group]
    greatest = [max(one.amounts, key=lambda amount: amount.high) for one in group]
    every = [amount for one in group for amount in one.amounts]
    for chosen in (last, greatest, every):
        yield Amount(sum(one.low for one in chosen), sum(one.high for one in chosen))


def _agree(total: Amount, stated: Amount) -> bool:
    slack = max(1.0, ROUNDING * stated.high)
    return total.low <= stated.high + slack and stated.low <= total.high + slack


def _within(name: str, goal: Goal, items: Sequence[Priced], grand: Priced | None) -> Verdict:
    assert goal.budget is not None
    limit = goal.budget.amount
    if grand is not None:
        stated = grand.stated.high
        return verdict(name, stated <= limit, f"total {stated:,.0f} of {limit:,}")
    if len(items) < LISTED:
        return verdict(name, False, "no total, and too few costs to judge by")
    total = sum(one.amounts[-1].high for one in items)
    return verdict(name, total <= limit, f"items {total:,.0f} of {limit:,}, no total")
