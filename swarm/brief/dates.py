"""Dates in texts, and which of them begin and end a plan.

Pure: what is relative to today ("tomorrow", a date without its year) is a date only if the caller
says which day today is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from swarm.brief.passage import Found, Passage
from swarm.brief.words import fold, folded

_MONTH_WORDS = (
    "january jan januari januar janvier enero जनवरी جنوری জানুয়ারি জানুয়ারী januar gennaio janeiro",
    "february feb februari februar février febrero फरवरी فروری ফেব্রুয়ারি ফেব্রুয়ারী febbraio fevereiro",
    "march mar mac maret märz mars marzo मार्च مارچ মার্চ março",
    "april apr avril abril अप्रैल اپریل এপ্রিল aprile",
    "may mei mai mayo मई مئی মে maggio maio",
    "june jun juni juin junio जून جون জুন giugno junho",
    "july jul julai juli juillet julio जुलाई جولائی জুলাই luglio julho",
    "august aug ogos agustus août agosto अगस्त اگست আগস্ট আগষ্ট",
    "september sep sept septembre septiembre सितंबर सितम्बर ستمبر সেপ্টেম্বর settembre setembro",
    "october oct oktober okt octobre octubre अक्टूबर अक्तूबर اکتوبر অক্টোবর ottobre outubro",
    "november nov novembre noviembre नवंबर नवम्बर نومبر নভেম্বর novembro",
    "december dec disember desember dezember décembre diciembre दिसंबर दिसम्बर دسمبر ডিসেম্বর "
    "dicembre dezembro",
)
MONTHS = {fold(w): month for month, row in enumerate(_MONTH_WORDS, start=1) for w in row.split()}
"""Names of months, folded, with their numbers."""

_WEEKDAY_WORDS = (
    "monday isnin senin सोमवार پیر সোমবার montag lundi lunes",
    "tuesday selasa मंगलवार منگل মঙ্গলবার dienstag mardi martes",
    "wednesday rabu बुधवार بدھ বুধবার mittwoch mercredi miércoles",
    "thursday khamis kamis गुरुवार जुमेरात جمعرات বৃহস্পতিবার donnerstag jeudi jueves",
    "friday jumaat jumat शुक्रवार جمعہ শুক্রবার freitag vendredi viernes",
    "saturday sabtu शनिवार ہفتے শনিবার samstag samedi sábado",
    "sunday ahad रविवार اتوار রবিবার sonntag dimanche domingo",
)
WEEKDAYS = {
    fold(w): day for day, row in enumerate(_WEEKDAY_WORDS) for w in row.split() if w != "ہفتے"
}
"""Names of weekdays, folded, with Python's numbers: Monday is 0."""

_TOMORROW = folded("tomorrow esok besok demain mañana")
_SUFFIX = folded("st nd rd th ই লা রা ঠা শে তারিখ तारीख تاریخ")
_OF = folded("of de haribulan . ,")
_TO = folded(
    "- – — to until till through hingga sampai से तक سے تا থেকে bis au al a und and dan और اور"
)
_START = folded(
    "from starting start starts begin begins beginning leaving leave depart departing on since "
    "bermula mulai pada dari "
    "dimulai ab am vom du le desde el शुरू से शुरुआत سے شروع থেকে শুরু"
)
_END = folded(
    "until till by before ending end ends finish finishing finished deadline due latest return "
    "returning back sebelum "
    "berakhir hingga sampai selewatnya tamat pulang bis spätestens endet avant jusqu'au antes "
    "hasta तक पहले समाप्त खत्म تک پہلے ختم "
    "মধ্যে আগে শেষ পর্যন্ত"
)
_END_BEHIND = folded("तक से पहले समाप्त خत्म تک پہلے ختم মধ্যে আগে শেষ পর্যন্ত")
_START_BEHIND = folded("से शुरू को سے شروع کو থেকে শুরু তারিখে")
_STARTING_BEHIND = folded("शुरू شروع শুরু থেকে")
_TARGETS = folded(
    "exam exams toefl ielts finals prüfung race marathon test launch launches deadline "
    "peperiksaan ujian perlumbaan "
    "परीक्षा دوڑ امتحان পরীক্ষা "
    "prüfung examen release opening"
)


@dataclass(frozen=True, slots=True)
class _Day:
    """A date in the text; `month` and `year` are 0 where the text leaves them out."""

    day: int
    month: int
    year: int
    at: int
    end: int


def dates(passage: Passage, today: str = "") -> list[Found]:
    """Return when a goal's plan starts and ends, as far as the text says it.

    Args:
        passage: The goal.
        today: The day on which it was asked (ISO 8601); empty: not known.
    """
    now = _iso(today)
    days = _days(passage)
    found: list[Found] = []
    skip = -1
    for index, day in enumerate(days):
        if index == skip:
            continue
        other = days[index + 1] if index + 1 < len(days) else None
        if other is not None and _is_range(passage, day, other):
            start, end = _pair(day, other)
            whole = (start.at, end.end)
            found += _role(passage, start, "start_date", now, whole)
            found += _role(passage, end, "end_date", _date(start, now) or now, whole)
            skip = index + 1
            continue
        kind = _kind(passage, day)
        found += _role(passage, day, kind, now)
    found += _relative(passage, now)
    return _first_of_each(found)


def _first_of_each(found: list[Found]) -> list[Found]:
    kept: dict[str, Found] = {}
    for one in found:
        kept.setdefault(one.demand.kind, one)
    return list(kept.values())


def _role(
    passage: Passage,
    day: _Day,
    kind: Literal["start_date", "end_date"],
    now: date | None,
    words: tuple[int, int] | None = None,
) -> list[Found]:
    """Return a date as one end of the plan; `words` are those of its range."""
    if not day.month:
        return []
    when = _date(day, now)
    at, end = words or (day.at, day.end)
    return [passage.found(kind, at, end, date=when.isoformat() if when is not None else None)]


def _kind(passage: Passage, day: _Day) -> Literal["start_date", "end_date"]:
    """Return which end of the plan a single date is."""
    first, last = passage.sentence(day.at)
    for index in range(day.at - 1, max(first, day.at - 4) - 1, -1):
        word = passage.word(index)
        if word in _END and word not in _END_BEHIND:
            return "end_date"
        if word in (
            "starting",
            "from",
            "start",
            "starts",
            "leaving",
            "bermula",
            "mulai",
            "ab",
            "beginning",
        ):
            return "start_date"
        if word == ",":
            break
    behind = [passage.word(index) for index in range(day.end, min(last, day.end + 3))]
    if passage.language[:2] in ("hi", "ur", "bn"):
        if set(behind[:2]) & _STARTING_BEHIND:
            return "start_date"
        if set(behind[:2]) & _END_BEHIND:
            return (
                "start_date"
                if behind[0] in ("से", "سے") and "पहले" not in behind and "پہلے" not in behind
                else "end_date"
            )
    if any(passage.word(index) in _TARGETS for index in range(max(first, day.at - 6), day.at)):
        return "end_date"
    return "start_date"


def _is_range(passage: Passage, one: _Day, other: _Day) -> bool:
    gap = [passage.word(index) for index in range(one.end, other.at)]
    return 0 < len(gap) <= 3 and any(word in _TO for word in gap) and "," not in gap


def _pair(one: _Day, other: _Day) -> tuple[_Day, _Day]:
    """Return a range's dates, each with what only the other says: "5 to 19 March 2027"."""
    month = one.month or other.month
    year = one.year or other.year
    if not other.month:
        other = _Day(other.day, one.month, other.year or one.year, other.at, other.end)
    if not other.year:
        other = _Day(other.day, other.month, year, other.at, other.end)
    return _Day(one.day, month, year, one.at, one.end), other


def _days(passage: Passage) -> list[_Day]:
    """Return all dates of a text, and numbers that open a range of days of one month."""
    found: list[_Day] = []
    near = {at - back for at in passage.having(MONTHS.keys()) for back in range(4)}
    after = 0
    for at, token in enumerate(passage.words):
        if at < after or not (at in near or token.word[0].isdecimal()):
            continue
        day = _numeric(passage, at) or (_named(passage, at) if at in near else None)
        if day is not None:
            found.append(day)
            after = day.end
    return _with_open_ends(passage, found)


def _with_open_ends(passage: Passage, found: list[_Day]) -> list[_Day]:
    """Add the days without a month of "from 5 to 19 March" and "March 5-19"."""
    all_days = []
    for day in found:
        before = day.at - 2
        if passage.word(before + 1) in _TO and (value := _day_number(passage, before)):
            start = before
            all_days.append(_Day(value, 0, 0, start, start + 1))
        elif (
            passage.word(day.at - 2) in _SUFFIX
            and passage.word(day.at - 1) in _TO
            and (value := _day_number(passage, day.at - 3))
        ):
            all_days.append(_Day(value, 0, 0, day.at - 3, day.at - 2))
        all_days.append(day)
        if passage.word(day.end) in _TO and (value := _day_number(passage, day.end + 1)):
            after = day.end + 2
            if passage.word(after) not in MONTHS and not any(d.at == day.end + 1 for d in found):
                year = 0
                if passage.word(after) == "," and _year(passage.word(after + 1)):
                    year, after = _year(passage.word(after + 1)), after + 2
                elif _year(passage.word(after)):
                    year, after = _year(passage.word(after)), after + 1
                all_days.append(_Day(value, 0, year, day.end + 1, after))
    return all_days


def _numeric(passage: Passage, at: int) -> _Day | None:
    """Return "2027-03-05", "5.3.2027" or "25/03/2027"; None where day and month may be swapped."""
    raw = passage.word(at)
    if not raw[:1].isdecimal():
        return None
    parts = raw.split(".")
    if len(parts) == 3 and all(part.isdecimal() for part in parts):
        return _checked(int(parts[0]), int(parts[1]), int(parts[2]), at, at + 1)
    sign = passage.word(at + 1)
    if sign not in ("-", "/") or passage.word(at + 3) != sign or not passage.touches(at + 1):
        return None
    three = [passage.word(index) for index in (at, at + 2, at + 4)]
    if not all(part.isdecimal() for part in three):
        return None
    one, two, last = map(int, three)
    if len(three[0]) == 4:
        return _checked(last, two, one, at, at + 5)
    if len(three[2]) == 4 and (one > 12 or one == two or not passage.language.startswith("en")):
        return _checked(one, two, last, at, at + 5)
    if len(three[2]) == 4 and two > 12:
        return _checked(two, one, last, at, at + 5)
    return None


def _named(passage: Passage, at: int) -> _Day | None:
    """Return "5 March 2027", "5th of March", "March 5, 2027", "२० मार्च", "5 মার্চ"."""
    day = _day_number(passage, at)
    if day:
        after = at + 1
        while passage.word(after) in _SUFFIX | _OF and after - at < 4:
            after += 1
        month = MONTHS.get(passage.word(after), 0)
        if not month:
            return None
        end = after + 1
    else:
        month = MONTHS.get(passage.word(at), 0)
        day = _day_number(passage, at + 1)
        if (
            not month
            or not day
            or (passage.word(at) == "may" and not passage.words[at].raw[0].isupper())
        ):
            return None
        end = at + 2
        if passage.word(end) in _SUFFIX and passage.touches(end):
            end += 1
    year = 0
    skip = end + 1 if passage.word(end) in (",", "de") else end
    if _year(passage.word(skip)):
        year, end = _year(passage.word(skip)), skip + 1
    return _checked(day, month, year, at, end)


def _day_number(passage: Passage, at: int) -> int:
    word = passage.word(at)
    if not word.isdecimal() or len(word) > 2:
        return 0
    return int(word) if 1 <= int(word) <= 31 else 0


def _year(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) == 4 and 2000 <= int(word) <= 2199 else 0


def _checked(day: int, month: int, year: int, at: int, end: int) -> _Day | None:
    if 0 < year < 100:
        year += 2000
    try:
        date(year or 2024, month, day)
    except ValueError:
        return None
    return _Day(day, month, year, at, end) if not year or 2000 <= year <= 2199 else None


def _date(day: _Day, now: date | None) -> date | None:
    """Return a date; one without a year is the next such day."""
    if not day.month:
        return None
    try:
        if day.year:
            return date(day.year, day.month, day.day)
        if now is None:
            return None
        for year in range(now.year, now.year + 5):
            try:
                when = date(year, day.month, day.day)
            except ValueError:  # 29 February
                continue
            if when >= now:
                return when
    except ValueError:
        return None
    return None


def _relative(passage: Passage, now: date | None) -> list[Found]:
    """Return "tomorrow" and "in three weeks" as the start, where today is known."""
    found = []
    for at in passage.having(_TOMORROW):
        when = (now + timedelta(days=1)).isoformat() if now is not None else None
        found.append(passage.found("start_date", at, at + 1, date=when))
    return found


def _iso(today: str) -> date | None:
    try:
        return date.fromisoformat(today) if today else None
    except ValueError:
        return None
