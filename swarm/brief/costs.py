"""Costs as data: what each part costs, kept within its share, and the table that adds it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from swarm.brief.amounts import shown
from swarm.brief.part import Part
from swarm.brief.phrases import phrases
from swarm.core.brief import MAX_AMOUNT, Brief, Cost
from swarm.core.records import MAX_COSTS, MAX_TITLE

CELL_CHARS = 80
"""Longest text of a cell in characters, so that a table stays readable on a phone."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a plan costs in all.

    Attributes:
        total: The sum of all items in one currency; None: there are several.
        unit: That currency; empty: none is named.
        units: All currencies.
        limits: The sum of the items that are limits.
    """

    total: int | None
    unit: str
    units: tuple[str, ...]
    limits: int


def fit_costs(brief: Brief, part: Part, items: Sequence[Cost]) -> tuple[Cost, ...]:
    """Return the items of a part, such that they never exceed the part's share.

    Estimates that exceed it are scaled down to whole units and marked as limits: amounts set to fit
    the budget, not prices. A part without items gets its share as one limit. Idempotent.

    Args:
        brief: What the goal demands.
        part: The part with its share.
        items: As the model estimated them, in the budget's currency.
    """
    budget = brief.first("budget")
    unit = budget.unit if budget is not None else None
    kept = [
        item.model_copy(update={"unit": None if item.unit == unit else item.unit})
        for item in items[:MAX_COSTS]
        if item.what.strip()
    ]
    if part.share is None:
        return tuple(kept)
    own = [item for item in kept if item.unit is None]
    if not kept or (part.share and not any(item.amount for item in kept)):
        return (Cost(what=part.title[:MAX_TITLE] or "-", amount=part.share, limit=True),)
    total = sum(item.amount for item in own)
    if total <= part.share:
        return tuple(kept)
    amounts = _scaled([item.amount for item in own], part.share)
    scaled = iter(
        item.model_copy(update={"amount": amount, "limit": True})
        for item, amount in zip(own, amounts, strict=True)
    )
    return tuple(next(scaled) if item.unit is None else item for item in kept)


def sums(brief: Brief, costs: Sequence[Cost]) -> Sums:
    """Return what some items cost together."""
    budget = brief.first("budget")
    own = (budget.unit if budget is not None else None) or ""
    units = tuple(dict.fromkeys((item.unit or own) for item in costs))
    total = sum(item.amount for item in costs) if len(units) <= 1 else None
    limits = sum(item.amount for item in costs if item.limit)
    return Sums(total, units[0] if len(units) == 1 else own, units, limits)


def cost_table(
    brief: Brief, costs_by_part: Sequence[tuple[str, Sequence[Cost]]], language: str
) -> str:
    """Return a section with the parts, their items, the sum, the budget and what is left.

    Args:
        brief: What the goal demands.
        costs_by_part: The title and items of each part, in order.
        language: BCP 47 tag of the plan's language.

    Returns:
        Markdown with its heading; empty if nothing costs anything.
    """
    word = phrases(language)
    rows = [(title, item) for title, items in costs_by_part for item in items]
    if not rows:
        return ""
    found = sums(brief, [item for _, item in rows])
    budget = brief.first("budget")
    most = budget.value if budget is not None else None
    own = budget.unit if budget is not None else None
    lines = [f"| {word.part} | {word.item} | {word.amount} | {word.kind} |", "|---|---|---:|---|"]
    before = ""
    for title, item in rows:
        kind = word.limit if item.limit else word.estimate
        cell = _cell(title) if title != before else ""
        before = title
        what = "" if item.what == title else _cell(item.what)
        lines.append(f"| {cell} | {what} | {shown(item.amount, item.unit or own)} | {kind} |")
    notes = []
    if found.total is not None:
        lines.append(f"| **{word.total}** | | **{shown(found.total, found.unit)}** | |")
        if most is not None and found.unit == (own or ""):
            lines.append(f"| {word.budget} | | {shown(most, own)} | |")
            left = most - found.total
            name = word.left if left >= 0 else word.over
            lines.append(f"| {name} | | {shown(abs(left), own)} | |")
            if left < 0:
                notes.append(f"**{word.over_note.format(over=shown(-left, own))}**")
    else:
        notes.append(word.mixed_note.format(units=", ".join(filter(None, found.units))))
    if any(item.limit for _, item in rows):
        notes.append(word.limits_note)
    if any(not item.limit for _, item in rows):
        notes.append(word.estimates_note)
    return "\n\n".join([f"## {word.costs}", "\n".join(lines), " ".join(notes)])


def _scaled(amounts: Sequence[int], most: int) -> list[int]:
    """Return amounts in the same proportions, in whole units, that add up to `most`.

    The units that rounding down leaves over go to the amounts with the largest fractions.
    """
    total = sum(amounts)
    whole = [amount * most // total for amount in amounts]
    rest = [amount * most % total for amount in amounts]
    order = sorted(range(len(amounts)), key=lambda index: (-rest[index], index))
    for index in order[: most - sum(whole)]:
        whole[index] += 1
    return [min(amount, MAX_AMOUNT) for amount in whole]


def _cell(text: str) -> str:
    line = " ".join(text.replace("|", "/").split())
    return line if len(line) <= CELL_CHARS else line[: CELL_CHARS - 1].rstrip() + "…"
