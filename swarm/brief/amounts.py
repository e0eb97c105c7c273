"""Amounts of money in a text, as far as their currency makes them certain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from swarm.brief.money import CURRENCIES
from swarm.brief.numbers import number_at
from swarm.brief.words import Token, folded, tokens

_UNITS = frozenset(CURRENCIES) | folded("rs rupee rupees rupiah ₨")
_TOTAL = folded(
    "total sum overall altogether jumlah keseluruhan कुल योग کل مجموعی মোট সর্বমোট gesamt summe"
)


class Amount(NamedTuple):
    """An amount of money in a text.

    Attributes:
        value: In units of its currency.
        line: The number, from 0, of its line.
        total: Whether its line speaks of a total.
    """

    value: float
    line: int
    total: bool


def amounts_in(text: str) -> tuple[Amount, ...]:
    """Return the amounts of a text that stand beside a currency, in order."""
    found: list[Amount] = []
    for number, line in enumerate(text.split("\n")):
        words = tokens(line)
        total = any(token.word in _TOTAL for token in words)
        found += (Amount(value, number, total) for value in _of_line(words))
    return tuple(found)


def shown(amount: int, unit: str | None) -> str:
    """Return an amount as a plan shows it: "1,200 EUR"."""
    return re.sub(r" $", "", f"{amount:,} {unit or ''}")


def _of_line(words: Sequence[Token]) -> Iterator[float]:
    at = 0
    while at < len(words):
        number = number_at(words, at) if words[at].word[0].isdecimal() else None
        if number is None:
            at += 1
            continue
        before = words[at - 1].word if at else ""
        after = words[number.next].word if number.next < len(words) else ""
        if before == "." and at > 1:  # "Rs. 500"
            before = words[at - 2].word
        if before in _UNITS or after in _UNITS:
            yield number.value
        at = max(number.next, at + 1)
