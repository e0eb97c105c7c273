"""How long a goal's plan is: "two weeks", "weekend", "14 hari", "2 days in Rome, 3 in Florence".

The one reader of durations: the checks of splits and the prompts use it too. Most amounts of time
in a goal are no duration of the plan ("in 3 weeks", "2 hours a day", "the 6 weeks before"); those
are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from swarm.brief.passage import Passage
from swarm.brief.steps import UNIT_WORDS, StepUnit
from swarm.brief.words import folded, is_locative

DAYS = {"day": 1, "week": 7, "month": 30}
"""Days of each unit that plans are counted in."""

MAX_DAYS = 400
"""Days beyond which a duration is no plan's: it is skipped."""

IN_DAYS = 2
"""Weeks up to which a plan is counted in days: one part a week would be too coarse."""

TRIP_IN_DAYS = 4
"""The same for journeys, which are planned by the day."""

_NIGHTS = folded(
    "night nights malam रात रातें रातों رات راتیں راتوں রাত nacht nächte nuit nuits noche noches "
    "notti raat"
)
_FORTNIGHT = folded("fortnight fortnights fortnightly")
_WEEKEND = folded(
    "weekend wochenende hujung akhir सप्ताहांत वीकेंड ویک ویکینڈ সপ্তাহান্ত সপ্তাহান্তে উইকেন্ড fin"
)
_ONE: dict[str, tuple[StepUnit, int]] = {
    **dict.fromkeys(folded("sehari"), ("day", 1)),
    **dict.fromkeys(folded("seminggu sepekan"), ("week", 1)),
    **dict.fromkeys(folded("sebulan"), ("month", 1)),
}
_ARTICLES = folded("a an one ein eine einen einer une un una एक ایک এক satu ek")

_END_OF_WEEK = folded("اینڈ")
_EVERY = folded("every each on setiap हर ہر প্রতি per chaque cada jedes")
_TRIGGERS = _ARTICLES | _ONE.keys() | _FORTNIGHT | _WEEKEND

# What makes an amount of time something else than the plan's length.
_BEFORE = folded(
    "in within after every each per once ago past first last next previous another further extra "
    "since aged age than dalam setiap tiap selepas setelah lagi pertama terakhir हर प्रत्येक पिछले "
    "अगले "
    "बाद "
    "ہر پچھلے اگلے بعد প্রতি গত আগামী পরে jede jeden jedes nach vor letzten chaque après cada "
    "hace "
    "dans tras minimum"
)
_IN = folded("in within dalam binnen en")
_AFTER = folded(
    "before ago earlier later after beforehand prior old notice away ahead per each every "
    "sebelum lagi sekali lalu kemudian selepas setiap umur पहले बाद पूर्व भर पहिले پہلے بعد قبل "
    "আগে পরে "
    "পূর্বে vorher zuvor später alt avant après antes después vorab free off"
)
_RATE = folded(
    "a an per each every / sehari seminggu sebulan setiap प्रति ہر প্রতি pro par por am al"
)
_LEARN = folded(
    "learn master finish complete read train training prepare ready lose write build become fit "
    "get achieve study launch renovate redesign decorate paint repaint restore clear tidy clean "
    "plant knit sew renovation renovating move relocation refurbishment makeover bike cycle hike "
    "walk travel drive visit see within dalam peperiksaan "
    "belajar siapkan menguasai latihan सीखना सीखने सीखें सीखूं सीख तैयारी "
    "سیکھنا "
    "سیکھنے سیکھیں تیاری শিখতে শেখা শিখব প্রস্তুতি lernen apprendre aprender"
)
_HEADS = folded(
    "trip journey tour vacation holiday holidays itinerary course plan programme program camp "
    "festival workshop challenge retreat cruise trek hike stay visit bootcamp conference "
    "training "
    "schedule curriculum project road honeymoon pilgrimage getaway diet menu sprint stayover "
    "long perjalanan percutian lawatan pelan kursus program jadual liburan rencana menu trip kem "
    "यात्रा योजना कोर्स सफर टूर भ्रमण कार्यक्रम पाठ्यक्रम शिविर سفر منصوبہ کورس سیر دورہ پروگرام ٹرپ "
    "পরিকল্পনা ভ্রমণ "
    "কোর্স সফর ট্যুর প্রশিক্ষণ reise kurs urlaub plan voyage séjour viaje curso vacaciones viaggio"
)
_FOR = folded(
    "for of lasting lasts spend spending takes over during a my our this the selama untuk "
    "für pendant pour durante por de"
)
_SKIP = folded("- whole full entire consecutive kurze lange short nice relaxing")
_IN_WORDS = folded(
    "in at di ke en in à à के की का में کے کی کا میں around through nach across exploring visiting"
)
_HOURS_HEADS = _HEADS | folded(
    "meeting party event session class lesson seminar hackathon walk mesyuarat majlis बैठक تقریب সভা"
)


_WORK = folded("of drive driving flight walk walking running work on a per each every")
"""What hours are spent on within a plan."""


@dataclass(frozen=True, slots=True)
class Span:
    """An amount of time that may be a plan's length.

    Attributes:
        value: How many units.
        unit: "hour", "day", "week" or "month".
        at: Index of its first word.
        end: Index after its last word.
        weight: How much speaks for it.
    """

    value: int
    unit: StepUnit
    at: int
    end: int
    weight: int = 0

    @property
    def days(self) -> int:
        """Its length in days; a part of a day is one."""
        return self.value * DAYS.get(self.unit, 0) or 1


@dataclass(frozen=True, slots=True)
class Stay:
    """Days that a goal gives to one place: "3 in Florence".

    Attributes:
        days: How many.
        at: Index of its first word.
        place: Index of the word where the place's name begins.
    """

    days: int
    at: int
    place: int


def main_span(passage: Passage, *, trip: bool = False) -> Span | None:
    """Return the amount of time that a plan has to fill; None if the text names none.

    Days that are given place by place are added up, unless a total stands beside them. Weeks are
    given in days where a plan is made by the day.

    Args:
        passage: The goal.
        trip: Whether it is a journey.
    """
    found = spans(passage)
    given = stays(passage)
    total = sum(stay.days for stay in given)
    own = {stay.at for stay in given}
    others = [span for span in found if span.at not in own]
    best = max(others, key=lambda span: span.weight, default=None)
    if len(given) > 1 and (best is None or best.days < total or best.unit == "hour"):
        end = given[-1].place + 1
        best = Span(total, "day", given[0].at, end)
    elif best is None or (given and best.weight < 1):
        best = max(found, key=lambda span: span.weight, default=None)
    if best is None or best.days > MAX_DAYS:
        return None
    weeks = TRIP_IN_DAYS if trip else IN_DAYS
    if best.unit == "week" and best.value <= weeks:
        return Span(best.value * 7, "day", best.at, best.end, best.weight)
    return best


def duration_days(text: str) -> int | None:
    """Return how many days a goal's plan has; None if the text does not say or speaks of hours."""
    span = main_span(Passage.of(text))
    return None if span is None or span.unit == "hour" else span.days


def spans(passage: Passage) -> list[Span]:
    """Return all amounts of time of a text that may be the length of its plan, in order."""
    found = []
    for at, number in passage.numbers.items():
        span = _counted(passage, at, number.value, number.next)
        if span is not None:
            found.append(span)
    for at in passage.having(_TRIGGERS):
        word = passage.word(at)
        if word in _ONE:
            unit, value = _ONE[word]
            span = _judged(passage, value, unit, at, at + 1)
        elif word in _FORTNIGHT:
            span = _judged(passage, 2, "week", at, at + 1)
        elif word in _WEEKEND:
            span = _weekend(passage, at)
        elif at not in passage.numbers:
            span = _counted(passage, at, 1, at + 1)
        else:
            continue
        if span is not None:
            found.append(span)
    found.sort(key=lambda span: span.at)
    return _without_nights(passage, found)


def _counted(passage: Passage, at: int, value: float, after: int) -> Span | None:
    """Return the span of a number and the unit after it."""
    while passage.word(after) in _SKIP and after - at < 6:
        after += 1
    word = passage.word(after)
    unit: StepUnit
    if word in _NIGHTS:
        unit = "day"
    elif word in _FORTNIGHT:
        unit, value = "week", value * 2
    elif word in UNIT_WORDS:
        unit = UNIT_WORDS[word]
    else:
        return None
    if word in ("h", "jam") and unit == "hour" and passage.word(at - 1) in ("pukul", "jam"):
        return None
    if unit in ("week", "month") and value != int(value):
        value, unit = value * DAYS[unit], "day"
    if not 1 <= value <= MAX_DAYS or value != int(value):
        return None
    return _judged(passage, int(value), unit, at, after + 1)


def _judged(passage: Passage, value: int, unit: StepUnit, at: int, end: int) -> Span | None:
    """Return a span with its weight; None if its surroundings make it something else."""
    before, after = passage.word(at - 1), passage.word(end)
    if before in ("the", "-", "–", "to", "or", "next", "coming", "about", "around", "roughly"):
        if before in ("-", "–", "to", "or") and at - 2 in passage.number_ends:
            return None  # "7-10 days"
        if before == "next" and passage.word(at - 2) in ("the", "for", "over"):
            before = "for"
        elif before in ("about", "around", "roughly"):
            before = passage.word(at - 2)
    sentence = passage.sentence(at)
    if before in UNIT_WORDS or (before in _STAY_AFTER and passage.word(at - 2) in UNIT_WORDS):
        return None  # "सप्ताह में 3 दिन"
    if before in _BEFORE:
        learns = before in _IN and any(
            passage.word(index) in _LEARN for index in range(sentence[0], at)
        )  # "learn Spanish in 3 months", "within 3 months"
        if not learns:
            return None
        before = "for"
    if after == "-":
        after = passage.word(end + 1)
    if after in _AFTER and before not in ("tinggal", "remaining"):
        return None
    if after in _RATE and (passage.word(end + 1) in UNIT_WORDS or after in _ONE):
        return None
    if before in _RATE and at - 2 in passage.number_ends:
        return None  # "3 times a week"
    if passage.word(at) in ("a", "an") and not _article_counts(passage, at, end):
        return None
    weight = 0
    if before in _FOR or passage.word(at) in ("a", "an"):
        weight += 1
    near = range(end, min(end + 4, sentence[1]))
    if any(passage.word(index) in _HEADS for index in near):
        weight += 3
    if any(passage.word(index) in _HEADS for index in range(max(sentence[0], at - 5), at)):
        weight += 1
    if after in _IN_WORDS:
        weight += 2
    if at < passage.sentences[0][1]:
        weight += 2
    if unit == "hour":
        heads = passage.word(end) == "-" or any(
            passage.word(index) in _HOURS_HEADS for index in (*near, *range(sentence[0], at))
        )
        if passage.word(end) in _WORK:
            return None
        if not heads and before not in _FOR | _HOURS_HEADS:
            return None
        weight -= 2
    return Span(value, unit, at, end, weight)


def _article_counts(passage: Passage, at: int, end: int) -> bool:
    """Return whether "a week" is a duration: "for a week", "a week in Rome", "a day trip"."""
    before, after = passage.word(at - 1), passage.word(end)
    if before in (
        "times",
        "hours",
        "hour",
        "once",
        "twice",
        "minutes",
        "days",
        "meals",
        "sessions",
    ):
        return False
    if UNIT_WORDS.get(passage.word(end - 1)) == "hour":
        return False
    return (
        before in ("for", "of", "spend", "spending", "over", "lasting", "us")
        or after in _IN_WORDS
        or after in _HEADS
        or (after == "-" and passage.word(end + 1) == "long")
    )


def _weekend(passage: Passage, at: int) -> Span | None:
    word, before, after = passage.word(at), passage.word(at - 1), passage.word(at + 1)
    start, end = at, at + 1
    if word in ("hujung", "akhir"):
        if after not in ("minggu", "pekan"):
            return None
        end, after = at + 2, passage.word(at + 2)
    elif word == "fin":
        if after != "de" or passage.word(at + 2) not in ("semana", "semaine"):
            return None
        end, after = at + 3, passage.word(at + 3)
    elif word == "ویک":
        if after not in _END_OF_WEEK:
            return None
        end, after = at + 2, passage.word(at + 2)
    days = 2
    if before in ("long", "langes", "verlängertes") or after in ("panjang",):
        days, start, before = 3, at - 1 if before else at, passage.word(at - 2)
    if before in _EVERY:
        return None
    if (after in _AFTER and after != "away") or (
        before in ("at", "by", "until", "before", "after")
    ):
        return None
    weight = 2 if after in _IN_WORDS | _HEADS else 1
    if at < passage.sentences[0][1]:
        weight += 2
    return Span(days, "day", start, end, weight)


def _without_nights(passage: Passage, found: list[Span]) -> list[Span]:
    """Return spans without the nights of "3 days 2 nights" and without overlaps."""
    kept: list[Span] = []
    for span in found:
        previous = kept[-1] if kept else None
        if previous is not None and span.at < previous.end:
            continue
        nights = passage.word(span.end - 1) in _NIGHTS
        if previous is not None and span.at - previous.end <= 2:
            if nights and previous.unit == "day":
                continue
            if passage.word(previous.end - 1) in _NIGHTS and not nights and span.unit == "day":
                kept.pop()
        kept.append(span)
    return kept


_STAY_IN = folded("in at di en in à")
_STAY_AFTER = folded("में میں")


def stays(passage: Passage) -> list[Stay]:
    """Return the days that a goal gives place by place, in order; fewer than two: none.

    "2 days in Rome, 3 in Florence and 4 in Venice": the unit may be left out after the first.
    """
    found: list[Stay] = []
    unit: StepUnit = "day"
    for at, number in passage.numbers.items():
        if number.value != int(number.value) or not 1 <= number.value <= MAX_DAYS:
            continue
        after = number.next
        word = passage.word(after)
        if word in _NIGHTS or UNIT_WORDS.get(word) in DAYS:
            named: StepUnit = "day" if word in _NIGHTS else UNIT_WORDS[word]
            after += 1
        elif found:
            named = unit
        else:
            continue
        if passage.word(after) not in _STAY_IN or not _is_name(passage, after + 1):
            continue
        if found and at - found[-1].place > 8:
            continue
        unit = named
        found.append(Stay(int(number.value) * DAYS[named], at, after + 1))
    found = found or _stays_after(passage)
    if len(found) > 2 and found[0].days == sum(stay.days for stay in found[1:]):
        found = found[1:]  # "10 days in Italy: 4 in Rome, ...": the total
    return found if len(found) > 1 else []


def _stays_after(passage: Passage) -> list[Stay]:
    """Return the same where the place comes first: "दिल्ली में 2 दिन, आगरा में 1 दिन"."""
    found = []
    for at, number in passage.numbers.items():
        unit = UNIT_WORDS.get(passage.word(number.next))
        if unit not in DAYS or number.value != int(number.value) or number.value < 1:
            continue
        before = passage.word(at - 1)
        place = at - 2 if before in _STAY_AFTER else at - 1
        if passage.word(place) in UNIT_WORDS:
            continue
        if place >= 0 and (before in _STAY_AFTER or is_locative(passage.words[at - 1].raw)):
            found.append(Stay(int(number.value) * DAYS[unit], at, place))
    return found


def _is_name(passage: Passage, at: int) -> bool:
    if at >= len(passage.words):
        return False
    raw = passage.words[at].raw
    return raw[0].isupper() or not raw[0].isascii()
