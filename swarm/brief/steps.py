"""Days, weeks and months with a number in texts: "Day 3", "Hari 3-4", "दिन ३", "দ্বিতীয় সপ্তাহ".

Plans and splits count their steps so, and the checks ask which steps a text names and which of its
lines are the headings of steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from swarm.brief.numbers import CARDINALS, ORDINALS, digits
from swarm.brief.part import Part
from swarm.brief.words import Token, fold, folded, tokens

StepUnit = Literal["hour", "day", "week", "month"]

MAX_STEP = 400
"""Highest number of a step; a year of days fits."""

_UNITS: dict[StepUnit, str] = {
    "hour": "hour hours hr hrs h jam घंटा घंटे घण्टे घंटों گھنٹہ گھنٹے گھنٹوں ঘণ্টা ঘন্টা ঘণ্টার ঘন্টার "
    "stunde stunden heure heures hora horas ghante ghanta",
    "day": "day days hari दिन दिनों दिवस दिवसीय دن دنوں روز روزہ দিন দিনের দিনে tag tage tagen "
    "jour "
    "jours día días dia dias giorno giorni din dino",
    "week": "week weeks wk wks minggu pekan सप्ताह सप्ताहों हफ्ता हफ्ते हफ्तों ہفتہ ہفتے ہفتوں "
    "সপ্তাহ সপ্তাহের সপ্তাহে woche wochen semaine semaines semana semanas settimana settimane hafte "
    "hafta haftay",
    "month": "month months bulan महीना महीने महीनों माह मास مہینہ مہینے مہینوں ماہ মাস মাসের মাসে "
    "monat monate monaten mois mes meses mês mese mesi mahine mahina",
}
UNIT_WORDS: dict[str, StepUnit] = {
    fold(word): unit for unit, words in _UNITS.items() for word in words.split()
}
"""Words for units of time, folded."""

_LABELS: dict[str, dict[str, str]] = {
    "en": {"hour": "Hour", "day": "Day", "week": "Week", "month": "Month"},
    "ms": {"hour": "Jam", "day": "Hari", "week": "Minggu", "month": "Bulan"},
    "id": {"hour": "Jam", "day": "Hari", "week": "Minggu", "month": "Bulan"},
    "hi": {"hour": "घंटा", "day": "दिन", "week": "सप्ताह", "month": "महीना"},
    "ur": {"hour": "گھنٹہ", "day": "دن", "week": "ہفتہ", "month": "مہینہ"},
    "bn": {"hour": "ঘণ্টা", "day": "দিন", "week": "সপ্তাহ", "month": "মাস"},
    "de": {"hour": "Stunde", "day": "Tag", "week": "Woche", "month": "Monat"},
    "fr": {"hour": "Heure", "day": "Jour", "week": "Semaine", "month": "Mois"},
    "es": {"hour": "Hora", "day": "Día", "week": "Semana", "month": "Mes"},
    "pt": {"hour": "Hora", "day": "Dia", "week": "Semana", "month": "Mês"},
    "it": {"hour": "Ora", "day": "Giorno", "week": "Settimana", "month": "Mese"},
}
_MANY = {"hour": "Hours", "day": "Days", "week": "Weeks", "month": "Months"}
"""Only English labels change before a range."""

_RANGE = folded(
    "- – — ~ / to and through until till & hingga sampai dan s se "
    "से तक और سے تا اور থেকে ও এবং bis und à a et y"
)
_BETWEEN = folded("ke no nombor # № :")
"""What may stand between a unit and its number: "Hari ke-3", "Day #3"."""

_RATES = folded(
    "per a an each every one hr har setiap tiap हर प्रति प्रतिदिन एक ہر فی ایک প্রতি "
    "এক pro jeden par chaque por cada"
)
"""Words before a unit with which a number after it counts something else: "every day 2 hours"."""

_MARKUP = frozenset("#*_>-•–|+~`( [:")
"""What may stand before a heading's words in its line, beside its number."""

_SUFFIXES = folded("st nd rd th रा री रे ला वां वें था य ম র্থ ষ্ঠ য় ই ا واں ویں er e")


@dataclass(frozen=True, slots=True)
class Step:
    """A step, or a range of them, that a text names.

    Attributes:
        first: Its first number, from 1.
        last: Its last number; equal to `first` for a single step.
        start: Index in the text where it begins.
        end: Index where it ends.
        heads: Whether it begins its line (after Markdown's marks): a heading or an item that tells
            what happens then, not a mention in a sentence.
        counted: Whether it is written as a numbered label ("Day 3"), not as an ordinal ("the third
            day").
    """

    first: int
    last: int
    start: int
    end: int
    heads: bool
    counted: bool = True

    @property
    def numbers(self) -> range:
        """All its numbers."""
        return range(self.first, self.last + 1)


def steps_in(text: str, unit: StepUnit | str = "day") -> tuple[Step, ...]:
    """Return the steps of a unit that a text names, in order, in any of our languages.

    Args:
        text: Any text, Markdown or plain.
        unit: "hour", "day", "week" or "month"; another unit has no steps.
    """
    words = tokens(text)
    found = []
    after = 0
    for at in [at for at, token in enumerate(words) if UNIT_WORDS.get(token.word) == unit]:
        if at < after:
            continue
        step = _label(words, at, unit) or _ordinal(words, at)
        if step is not None:
            found.append(step[0])
            after = step[1]
    return tuple(found)


def days_of(part: Part) -> tuple[int, int] | None:
    """Return the (first, last) day that a part's text names; its title takes precedence."""
    for text in (part.title, part.detail):
        days = next((step for step in steps_in(text) if step.counted), None)
        if days is not None:
            return days.first, days.last
    return None


def step_label(unit: StepUnit | str, language: str, first: int, last: int | None = None) -> str:
    """Return the label of a step, or of a range of steps: "Day 3", "Days 3-4", "दिन 3".

    Args:
        unit: "hour", "day", "week" or "month"; another is written as it is.
        language: BCP 47 tag; unknown and empty give English.
        first: Number of the (first) step.
        last: Number of the last step of a range.
    """
    tag = language.split("-")[0].lower()
    word = _LABELS.get(tag, _LABELS["en"]).get(unit, unit.capitalize())
    if last is None or last == first:
        return f"{word} {first}"
    if tag not in _LABELS or tag == "en":
        word = _MANY.get(unit, word)
    return f"{word} {first}-{last}"


def _label(words: Sequence[Token], at: int, unit: str) -> tuple[Step, int] | None:
    """Return the step whose unit is at a token and whose number follows, and where it ends."""
    if at and (words[at - 1].word in _RATES or _value(words[at - 1].word)):
        heads = _heads(words, at)
        # "1. Day 2: ..." is an item of a list; "3 days 2 nights" is not.
        if not heads:
            return None
    after = at + 1
    while after < len(words) and words[after].word in _BETWEEN | {"-"} and after - at < 4:
        after += 1
    if after >= len(words):
        return None
    first = _value(words[after].word) or ORDINALS.get(words[after].word)
    if not first or "\n" in (word.word for word in words[at:after]):
        return None
    end = _skip_suffix(words, after)
    last = first
    if end + 1 < len(words) and words[end].word in _RANGE:
        second = end + 1
        if words[second].word == "d" and second + 1 < len(words):
            second += 1  # "s/d"
        if UNIT_WORDS.get(words[second].word) == unit and second + 1 < len(words):
            second += 1
        while second + 1 < len(words) and words[second].word in _BETWEEN | {"-", "/"}:
            second += 1
        value = _value(words[second].word) or ORDINALS.get(words[second].word)
        if value and value > first and not _counts(words, second + 1):
            last, end = value, _skip_suffix(words, second)
    while end + 1 < len(words) and words[end].word in (",", "،"):  # "Days 1, 2 and 3"
        value = _value(words[end + 1].word)
        if value != last + 1 or _counts(words, end + 2):
            break
        last, end = value, end + 2
        if end + 1 < len(words) and words[end].word in _RANGE:
            value = _value(words[end + 1].word)
            if value == last + 1 and not _counts(words, end + 2):
                last, end = value, end + 2
    if last == first and _counts(words, end):
        return None
    return _step(words, at, end, first, last, counted=True), end


def _ordinal(words: Sequence[Token], at: int) -> tuple[Step, int] | None:
    """Return the step of an ordinal before a unit: "third day", "3rd day", "তৃতীয় দিন"."""
    before = at - 1
    if before >= 0 and (value := ORDINALS.get(words[before].word)):
        return _step(words, before, at + 1, value, value, counted=False), at + 1
    if (
        before >= 1
        and words[before].word in _SUFFIXES
        and words[before].start == words[before - 1].end
    ):
        value = _value(words[before - 1].word)
        if value and words[before - 1].word[0].isdecimal():
            return _step(words, before - 1, at + 1, value, value, counted=False), at + 1
    return None


def _step(
    words: Sequence[Token], at: int, end: int, first: int, last: int, *, counted: bool
) -> Step:
    return Step(first, last, words[at].start, words[end - 1].end, _heads(words, at), counted)


def _heads(words: Sequence[Token], at: int) -> bool:
    """Return whether only marks, and the number of a list's item, stand before a token's line."""
    before = at - 1
    while before >= 0 and words[before].word != "\n":
        word = words[before].word
        numbered = word.isdecimal() and words[before + 1].word in (".", ")")
        if word not in _MARKUP and word not in (".", ")") and not numbered and word.isalnum():
            return False
        before -= 1
    return True


def _skip_suffix(words: Sequence[Token], at: int) -> int:
    """Return the index after a number and its ordinal suffix."""
    after = at + 1
    if (
        after < len(words)
        and words[after].start == words[at].end
        and words[after].word in _SUFFIXES
    ):
        return after + 1
    return after


def _counts(words: Sequence[Token], at: int) -> bool:
    """Return whether the number before a token counts a time: "days 3 hours"."""
    if at < len(words) and words[at].word == "-":
        at += 1
    return at < len(words) and (words[at].word in UNIT_WORDS or words[at].word in _NIGHTS)


_NIGHTS = folded(
    "night nights malam रात रातें रातों رات راتیں راتوں রাত nacht nächte nuit nuits noche noches"
)


def _value(word: str) -> int | None:
    """Return the number of a step that a token is, or None."""
    if word[0].isdecimal():
        value = digits(word) if len(word) <= 3 else None
    else:
        value = CARDINALS.get(word)
    if value is None or value != int(value) or not 0 < value <= MAX_STEP:
        return None
    return int(value)
