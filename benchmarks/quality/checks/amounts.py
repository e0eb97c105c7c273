"""Amounts of money in a plan: what is listed, what is a total, what is a budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import merged
from benchmarks.quality.matching import either, normal, words
from benchmarks.quality.reading import Document, Line

Role = Literal["item", "total", "grand total", "budget", "left"]

CURRENCIES = {
    "EUR": (r"€|eur(?:os?)?", r"€|eur(?:os?)?|यूरो|یورو|ইউরো"),
    "USD": (r"us\$|usd|\$", r"\$|usd|us dollars?|dollars?|डॉलर|ڈالر|ডলার"),
    "MYR": (r"rm|myr", r"ringgit|rm|myr"),
    "INR": (r"₹|rs\.?|inr|रु\.?", r"₹|rs\.?|inr|rupees?|रुपये|रुपए|रूपये|रुपया|रु\.?|روپے"),
    "PKR": (r"rs\.?|pkr|₨|روپے", r"روپے|روپیہ|روپئے|rs\.?|pkr|rupees?"),
    "BDT": (r"৳|tk\.?|bdt", r"টাকা|টাকায়|টাকার|৳|tk\.?|taka|bdt"),
}
"""How each currency is written before and after an amount, as patterns of normal texts."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount, or a range of amounts, and where it stands in its line or cell."""

    low: float
    high: float
    start: int = 0


@dataclass(frozen=True, slots=True)
class Priced:
    """A line with amounts.

    Attributes:
        index: Number of the line in the document.
        line: The line.
        amounts: Its amounts, in order.
        role: What they are.
        stated: The amount of a total: the one after its word, or after the last "=".
    """

    index: int
    line: Line
    amounts: tuple[Amount, ...]
    role: Role
    stated: Amount


_NUMBER = r"\d{1,3}(?:[,.' ]\d{2,3})+(?:\.\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"


@cache
def _amount_pattern(language: str, currency: str) -> re.Pattern[str]:
    before, after = map(normal, CURRENCIES[currency])
    scale = "|".join(
        either(*merged(language, field)).pattern for field in ("thousand", "hundred_thousand")
    )
    number = rf"(?:{_NUMBER})(?:\s*(?:{scale}))?"
    through = rf"\s*(?:-|–|—|to|से|سے|থেকে|hingga)\s*(?:{before})?\s*"
    first = rf"({number})(?:{through}({number}))?"
    return re.compile(
        rf"(?<![^\W\d_])(?:{before})\s*{first}|(?<![\d.,]){first}\s*(?:{after})(?![^\W\d_])"
    )


def value_of(text: str, language: str) -> float:
    """Return the value of a number as written: `1,20,000`, `1.200`, `60 thousand`, `12.50`."""
    factor = 1.0
    for field, size in (("hundred_thousand", 100_000), ("thousand", 1_000)):
        pattern = either(*merged(language, field))
        if pattern.search(text):
            factor, text = size, pattern.sub("", text)
            break
    digits = re.sub(r"[\s']", "", text)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        digits = digits.replace(".", "")
    elif re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    return float(digits.replace(",", "")) * factor


def amounts_in(text: str, language: str, currency: str) -> list[Amount]:
    """Return the amounts of a currency in a normal text."""
    found = []
    for match in _amount_pattern(language, currency).finditer(text):
        parts = [part for part in match.groups() if part]
        try:
            values = [value_of(part, language) for part in parts]
        except ValueError:
            continue
        found.append(Amount(min(values), max(values), match.start()))
    return found


def priced(document: Document, goal: Goal) -> list[Priced]:
    """Return the lines with amounts of the budget's currency, with their roles."""
    assert goal.budget is not None
    found = []
    for index, line in enumerate(document.lines):
        amounts = tuple(_of_line(line, goal))
        if amounts:
            role, stated = _role(line, amounts, goal)
            found.append(Priced(index, line, amounts, role, stated))
    return found


def _of_line(line: Line, goal: Goal) -> Iterator[Amount]:
    assert goal.budget is not None
    currency = goal.budget.currency
    plain = amounts_in(line.text, goal.language, currency)
    if line.kind != "row" or line.is_table_head:
        yield from plain
        return
    column = _money_column(line, goal)
    if column is not None and column < len(line.cells):
        cell = line.cells[column]
        found = amounts_in(cell, goal.language, currency)
        bare = re.fullmatch(rf"[^\w]*({_NUMBER})[^\w]*", cell)
        if not found and bare is not None:
            value = value_of(bare.group(1), goal.language)
            found = [Amount(value, value)]
        if found:
            yield from found
            return
    yield from plain


def _money_column(line: Line, goal: Goal) -> int | None:
    """Return the last column whose heading speaks of money; None if there is none."""
    assert goal.budget is not None
    cost = words("|".join(merged(goal.language, "cost")))
    before, after = map(normal, CURRENCIES[goal.budget.currency])
    currency = re.compile(rf"(?<![^\W\d_])(?:{before}|{after})(?![^\W\d_])")
    total = words("|".join(merged(goal.language, "total")))
    columns = [
        index
        for index, cell in enumerate(line.header)
        if index > 0 and (cost.search(cell) or currency.search(cell) or total.search(cell))
    ]
    return columns[-1] if columns else None


def _role(line: Line, amounts: Sequence[Amount], goal: Goal) -> tuple[Role, Amount]:
    """Return what the amounts of a line are, and the one that counts if they are a total.

    "Total: €2,120, which leaves €280 of the €2,400" is a total; "left: €280" is none.
    """
    assert goal.budget is not None

    def place(field: str) -> int:
        """Return where a word of a field stands; beyond the end if none does."""
        match = words("|".join(merged(goal.language, field))).search(label)
        return match.start() if match is not None else len(label) + 1

    label = line.text
    if line.kind == "row":
        label = next((cell for cell in line.cells if cell), "")
    total = min(place("total"), place("grand"))
    is_total = total <= len(label)
    is_budget_itself = all(one.high == goal.budget.amount for one in amounts)
    stated = next((one for one in amounts if one.start > total), amounts[-1])
    if "=" in label or line.kind == "row":
        stated = amounts[-1]
    if place("left") < total:
        return "left", stated
    if place("budget") <= len(label) and (not is_total or is_budget_itself):
        return "budget", stated
    if is_total:
        return "grand total" if place("grand") <= len(label) else "total", stated
    return "item", stated
