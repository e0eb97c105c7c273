"""A goal's text, cut once into words, numbers and sentences, for all readers of demands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from swarm.brief.language import detect
from swarm.brief.numbers import Number, number_at
from swarm.brief.words import STOPS, Token, tokens
from swarm.core.brief import MAX_AMOUNT, MAX_DEMAND_TEXT, Demand, DemandKind


@dataclass(frozen=True, slots=True)
class Found:
    """A demand, and the words that hold it.

    Attributes:
        demand: What is demanded.
        at: Index of its first word.
        end: Index after its last word.
    """

    demand: Demand
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that demands are read from.

    Attributes:
        text: As the person typed it.
        words: Its tokens.
        numbers: Its numbers, by the index of their first token; none within another.
        number_ends: Indexes of the last tokens of the numbers.
        where: The indexes of each folded word.
        sentences: The (first, after last) token of each sentence, without its stop.
        language: BCP 47 tag of its language; empty: not known.
    """

    text: str
    words: Sequence[Token]
    numbers: Mapping[int, Number]
    number_ends: frozenset[int]
    where: Mapping[str, Sequence[int]]
    sentences: Sequence[tuple[int, int]]
    language: str = ""

    @classmethod
    def of(cls, text: str, language: str = "") -> Passage:
        """Cut a text; its language is detected if none is given."""
        words = tokens(text)
        numbers: dict[int, Number] = {}
        where: dict[str, list[int]] = {}
        after = 0
        for at, token in enumerate(words):
            where.setdefault(token.word, []).append(at)
            if at >= after and (number := number_at(words, at)) is not None:
                numbers[at] = number
                after = number.next
        ends = frozenset(number.next - 1 for number in numbers.values())
        return cls(
            text, words, numbers, ends, where, _sentences(words), language or detect(text, words)
        )

    def word(self, at: int) -> str:
        """Return the folded word at an index, "" before the first and after the last."""
        return self.words[at].word if 0 <= at < len(self.words) else ""

    def having(self, words: Set[str]) -> list[int]:
        """Return the indexes of all tokens that are one of some folded words, in order."""
        return sorted(at for word in self.where.keys() & words for at in self.where[word])

    def raw(self, at: int, end: int) -> str:
        """Return the text from one token to before another, in one line."""
        if not 0 <= at < end <= len(self.words):
            return ""
        return " ".join(self.text[self.words[at].start : self.words[end - 1].end].split())

    def sentence(self, at: int) -> tuple[int, int]:
        """Return the sentence that a token is in."""
        low, high = 0, len(self.sentences)
        while low < high:
            middle = (low + high) // 2
            if self.sentences[middle][1] <= at:
                low = middle + 1
            else:
                high = middle
        return self.sentences[low] if low < len(self.sentences) else (at, at + 1)

    def touches(self, at: int) -> bool:
        """Return whether a token follows the one before it without a blank."""
        return 0 < at < len(self.words) and self.words[at].start == self.words[at - 1].end

    def found(
        self,
        kind: DemandKind,
        at: int,
        end: int,
        *,
        value: float | None = None,
        unit: str | None = None,
        name: str | None = None,
        date: str | None = None,
    ) -> Found:
        """Return a demand that stands in the words from `at` to before `end`."""
        text = self.raw(at, end)
        demand = Demand(
            kind=kind,
            text=text[:MAX_DEMAND_TEXT].strip() or kind,
            value=None if value is None else min(round(value), MAX_AMOUNT),
            unit=unit,
            name=None if name is None else name[:200],
            date=date,
        )
        return Found(demand, at, end)


def _sentences(words: Sequence[Token]) -> list[tuple[int, int]]:
    found = []
    first = 0
    for at, token in enumerate(words):
        if token.word in STOPS and not _abbreviates(words, at):
            if at > first:
                found.append((first, at))
            first = at + 1
    if len(words) > first:
        found.append((first, len(words)))
    return found


_SHORT = frozenset(
    {"st", "mt", "dr", "mr", "mrs", "rs", "ft", "approx", "max", "min", "no", "e", "g", "i", "tk"}
)


def _abbreviates(words: Sequence[Token], at: int) -> bool:
    """Return whether a full stop belongs to an abbreviation: "St. Ives", "Rs. 500"."""
    return (
        words[at].word == "."
        and at > 0
        and words[at - 1].word in _SHORT
        and words[at - 1].end == words[at].start
        and at + 1 < len(words)
        and words[at + 1].word not in STOPS
    )
