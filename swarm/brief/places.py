"""The places of a journey: where it starts and ends, and what lies between.

In Latin script a place is a run of words in capitals after a preposition ("from Madrid, by way of
Granada and Seville, ending in Lisbon"). Scripts without capitals name the place first and put a
postposition, or an ending, behind it ("लाहौर से कराची तक", "ঢাকা থেকে").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from swarm.brief.dates import MONTHS, WEEKDAYS
from swarm.brief.durations import stays
from swarm.brief.money import CURRENCIES
from swarm.brief.passage import Found, Passage
from swarm.brief.postpositions import places_before
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import folded

MAX_PLACES = 12
"""Most places between start and end that are demands; more are a list, not an itinerary."""

_NAME_WORDS = 4
"""Most words of a place's name: "Ho Chi Minh City", "Rio de Janeiro"."""

_CONNECTORS = folded("de del la las los of the da do dos di du al el le upon on am an der san st")
_NO_NAMES = (
    frozenset(MONTHS)
    | frozenset(WEEKDAYS)
    | folded(
        "i we you english french german spanish malay urdu hindi bengali bangla japanese "
        "italian chinese melayu inggeris "
        "the a an our my your their this it christmas easter ramadan eid diwali budget day "
        "days week weeks must no with "
        "mum dad grandma grandpa january include avoid please write plan list answer rm rs rp "
        "usd eur gbp inr pkr bdt myr "
        "idr saya kami tiada tanpa bajet anggaran termasuk perlu mesti senaraikan deutsch "
        "englisch french bahasa"
    )
    | frozenset(CURRENCIES)
)

_START = folded(
    "from starting start starts begin begins beginning leaving leave departing depart dari "
    "bermula mula bertolak mulai berangkat "
    "von ab startend beginnend de desde partant depuis saliendo empezando dimulai"
)
_END = folded(
    "ending end ends finishing finish finishes berakhir tamat endend terminando finissant "
    "endet end berakhirnya"
)
_RETURN = folded("back return returning pulang kembali balik zurück retour vuelta")
_IN = folded("in at on to with di ke in en à au dans a")
_TO = folded("to until till ke hingga sampai nach bis à a hasta")
_VIA = folded(
    "via through visit visiting visits see seeing explore exploring melalui singgah melawat "
    "lawati mengunjungi "
    "über besuch besuche besuchen mampir pasando passant visitant visitar visitando visiter"
)
_IN_OR_FROM = _IN | folded("from dari von de desde out")
_TRIPS = folded(
    "trip journey travel travelling traveling tour holiday vacation honeymoon cruise trek hike "
    "drive ride fly flight go going "
    "percutian perjalanan melancong bercuti lawatan liburan wisata reise viaje voyage urlaub "
    "pilgrimage roadtrip trips ziarah "
    "getaway move moving relocate relocating pindah umziehen relocation train bus walk cycle "
    "cycling backpacking"
)
_LISTS = folded(", and & dan serta und et y then lalu kemudian dann puis luego followed or")
_STOPS = folded("stop stopping stops stopover stopovers nights singgah overnight berhenti mampir")
_INCLUDE = folded("include including add pastikan ada termasuk")
_JOURNEY = folded("the our my journey trip tour perjalanan percutian")
_TRIGGERS = (
    _INCLUDE
    | {":", "of"}
    | _START
    | _END
    | _RETURN
    | _IN
    | _TO
    | _VIA
    | _STOPS
    | folded("by en pasando")
)
_LIST_LINKS = _LISTS | folded("by to ke")


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in the text: the words from `at` to before `end`."""

    text: str
    at: int
    end: int


def places(passage: Passage, *, trip: bool) -> list[Found]:
    """Return the places that a goal demands, start first, in the text's order.

    Args:
        passage: The goal.
        trip: Whether it is a journey; other goals have places only where they say so.
    """
    found = _by_script(passage, trip=trip)
    return _ordered(passage, found)


def _by_script(passage: Passage, *, trip: bool) -> list[Found]:
    if passage.language.split("-")[0] in ("hi", "ur", "bn") and not passage.language.endswith(
        "Latn"
    ):
        return places_before(passage, trip=trip)
    return _with_prepositions(passage, trip=trip)


def _ordered(passage: Passage, found: Sequence[Found]) -> list[Found]:
    """Return places without repeats; a start or end wins over the same place on the way."""
    kept: list[Found] = []
    seen: set[tuple[str, str]] = set()
    ends = {
        found_.demand.name.casefold()
        for found_ in found
        if found_.demand.kind != "place" and found_.demand.name
    }
    for one in found:
        name = (one.demand.name or "").casefold()
        key = (one.demand.kind, name if one.demand.kind == "place" else "")
        if key in seen or (
            one.demand.kind == "place" and name in ends and one.demand.value is None
        ):
            continue
        seen.add(key)
        kept.append(one)
    middle = [one for one in kept if one.demand.kind == "place"]
    dropped = {id(one) for one in middle[MAX_PLACES:]}
    return [one for one in kept if id(one) not in dropped]


def _with_prepositions(passage: Passage, *, trip: bool) -> list[Found]:
    found: list[Found] = []
    taken: set[int] = set()
    given = stays(passage)
    for stay in given:
        name = _name(passage, stay.place, loose=False)
        if name is not None:
            found.append(
                passage.found(
                    "place", stay.at, name.end, value=stay.days, unit="day", name=name.text
                )
            )
            taken.update(range(name.at, name.end))
    after = 0
    for at in passage.having(_TRIGGERS):
        if at < after:
            continue
        new = _at_word(passage, at, trip=trip)
        new = [one for one in new if one.demand.kind != "place" or one.at not in taken]
        found += new
        after = max([at + 1, *(one.end for one in new)])
        taken.update(*(range(one.at, one.end) for one in new if one.demand.kind == "end_place"))
    return found


def _at_word(passage: Passage, at: int, *, trip: bool) -> list[Found]:
    """Return the places that a word which may lead to one does lead to."""
    word = passage.word(at)
    if word in _END and (end := _end(passage, at)) is not None:
        return [end]
    if word in _RETURN and passage.word(at + 1) in _TO and trip:
        name = _name(passage, at + 2, loose=False)
        if name is not None:
            return [passage.found("end_place", at, name.end, name=name.text)]
    if word in _START and (starts := _start(passage, at, trip=trip)):
        return starts
    if (way := _way(passage, at, trip=trip)) is not None:
        return way
    if word in _IN | _TO or (word == "of" and passage.word(at - 1) in _TRIPS):
        return _where(passage, at, trip=trip) or []
    return []


def _end(passage: Passage, at: int) -> Found | None:
    """Return the end that "ending in Lisbon" names."""
    after = at + 1
    if passage.word(after) in (
        "up",
        "the",
        "journey",
        "trip",
        "perjalanan",
        "percutian",
        "our",
        "my",
    ):
        while after < at + 4 and passage.word(after) not in _IN:
            after += 1
    if passage.word(after) not in _IN:
        return None
    name = _name(passage, after + 1, loose=True)
    return None if name is None else passage.found("end_place", at, name.end, name=name.text)


def _start(passage: Passage, at: int, *, trip: bool) -> list[Found]:
    """Return the start, and the end if it is "from Lahore to Karachi"."""
    after = at + 1
    word = passage.word(at)
    if word not in ("from", "dari", "von", "de", "desde", "ab"):
        while after < at + 4 and passage.word(after) in _JOURNEY:
            after += 1
        if passage.word(after) == "out" and passage.word(after + 1) == "of":
            after += 1
        elif passage.word(after) not in _IN_OR_FROM:
            return []
        after += 1
    elif passage.word(at - 1) in _START and at:
        pass
    elif word == "de" and passage.language not in ("fr", "es", "pt"):
        return []
    loose = trip or word not in ("from", "dari", "von", "de", "ab")
    name = _name(passage, after, loose=loose)
    if name is None:
        return []
    ends_at = name.end
    bare = word in ("from", "dari", "von", "de", "desde", "ab")
    if bare and not (trip or _moves(passage, at) or passage.word(name.end) in _TO):
        return []
    if word == "de" and passage.word(name.end) not in _TO:
        return []
    first = at
    if at and passage.word(at - 1) in _START:
        first = at - 1
    found = [passage.found("start_place", first, name.end, name=name.text)]
    if bare and passage.word(ends_at) in _TO:
        goal = _name(passage, ends_at + 1, loose=loose)
        if goal is not None:
            found.append(passage.found("end_place", ends_at, goal.end, name=goal.text))
    return found


def _way(passage: Passage, at: int, *, trip: bool) -> list[Found] | None:
    """Return the places of "by way of Granada and Seville", "via X", "visiting X, Y and Z"."""
    word = passage.word(at)
    after = at + 1
    if word == "by" and passage.word(at + 1) == "way" and passage.word(at + 2) == "of":
        after = at + 3
    elif word in _STOPS:
        if passage.word(after) in ("off", "over", "at", "in", "di"):
            after += 1
            if passage.word(after) in ("in", "at"):
                after += 1
        elif word != "singgah":
            return None
    elif word in ("en", "pasando") and passage.word(at + 1) in ("passant", "por"):
        after = at + 3 if passage.word(at + 2) == "par" else at + 2
    elif word in (":", *_INCLUDE):
        names = _names(passage, after, loose=False)
        if not trip or (word == ":" and len(names) < 2):
            return None
        return [passage.found("place", name.at, name.end, name=name.text) for name in names] or None
    elif word not in _VIA:
        return None
    elif passage.word(after) in ("both", "di", "ke", "par", "por"):
        after += 1
    names = _names(
        passage, after, loose=trip and word in ("via", "visit", "visiting", "through", "melalui")
    )
    if not names or (not trip and word not in ("via",)):
        return None
    return [passage.found("place", name.at, name.end, name=name.text) for name in names]


def _where(passage: Passage, at: int, *, trip: bool) -> list[Found] | None:
    """Return the places of "trip to Japan", "a week in Rome and Naples"."""
    before, word = passage.word(at - 1), passage.word(at)
    if word in ("on", "with", "until", "till", "bis") or (
        word == "a" and passage.language not in ("es", "pt", "it")
    ):
        return None
    if not trip:
        # "A wedding in Berlin": the only place of the event; names in capitals alone.
        if word not in ("in", "di", "en", "à", "at") or before in ("interested", "believe"):
            return None
        name = _name(passage, at + 1, loose=False)
        moves = _moves(passage, at)
        if name is None or (moves and word in _TO):
            return None
        return [passage.found("place", at, name.end, name=name.text)]
    near = {passage.word(index) for index in range(max(0, at - 2), at)}
    names = _names(passage, at + 1, loose=bool(near & _TRIPS) and word in ("to", "in", "ke"))
    if not names:
        return None
    return [passage.found("place", name.at, name.end, name=name.text) for name in names]


def _moves(passage: Passage, at: int) -> bool:
    first, _ = passage.sentence(at)
    return any(passage.word(index) in _TRIPS for index in range(first, at))


def _names(passage: Passage, at: int, *, loose: bool) -> list[_Name]:
    """Return the names of a list: "Granada, Cordoba and Seville"."""
    found: list[_Name] = []
    while len(found) < MAX_PLACES:
        name = _name(passage, at, loose=loose)
        if name is None:
            break
        found.append(name)
        at = name.end
        if passage.word(at) not in _LISTS:
            break
        while passage.word(at) in _LIST_LINKS:
            at += 1
            if at - name.end > 3:
                break
        loose = False
    return found


_LOOSE_STOPS = folded(
    "for with without in on at by from to and or via through under that which where is are "
    "starting ending during this next "
    "using of a an as the into before after including visit untuk dengan tanpa selama dari ke "
    "dan pada bermula berakhir bajet "
    "budget must no not then trip plan mit für ohne und ab nach home work school somewhere "
    "family two three one week weeks day "
    "days train car bike bus me us him her them you be do see get have go make our my your "
    "their its it learn meet yang di "
    "friends kids cheap cheaply spring summer autumn winter"
)


def _name(passage: Passage, at: int, *, loose: bool) -> _Name | None:
    """Return the name that begins at a word, as long as it goes.

    Args:
        passage: The goal.
        at: Index of its first word.
        loose: Whether one word without a capital may be a name too ("a trip to japan").
    """
    if (
        passage.word(at) == "the"
        and at + 1 < len(passage.words)
        and passage.words[at + 1].raw[0].isupper()
    ):
        at += 1
    if at >= len(passage.words):
        return None
    first = passage.words[at]
    if first.word in _NO_NAMES or at in passage.numbers or not first.raw[0].isalpha():
        return None
    if not first.raw[0].isupper():
        if (
            not loose
            or first.word in _LOOSE_STOPS
            or first.word in UNIT_WORDS
            or len(first.word) < 3
        ):
            return None
        end = at + 1
        if passage.word(at) in (
            "new",
            "south",
            "north",
            "sri",
            "kuala",
            "san",
            "los",
            "costa",
            "hong",
            "saudi",
            "cape",
            "united",
            "lake",
            "cox",
            "pulau",
            "puerto",
            "abu",
        ):
            end += 1
        return _Name(passage.raw(at, end), at, end)
    end = at + 1
    while end < len(passage.words) and end - at < _NAME_WORDS:
        raw, word = passage.words[end].raw, passage.words[end].word
        if raw[0].isupper() and word not in _NO_NAMES and raw[0].isalpha():
            end += 1
        elif (
            raw in ("-", "'", "’", ".")
            and passage.touches(end)
            and end + 1 < len(passage.words)
            and (passage.touches(end + 1) or first.word in ("st", "mt"))
            and passage.words[end + 1].raw[0].isalpha()
        ) or (
            word in _CONNECTORS
            and word not in ("on", "an", "the")
            and _capital(passage, end + 1)
            and (
                word in ("de", "del", "da", "do", "dos", "di", "du", "of", "la", "upon", "al", "el")
                and first.raw[0].isupper()
            )
        ):
            end += 2
        else:
            break
    return _Name(passage.raw(at, end), at, end)


def _capital(passage: Passage, at: int) -> bool:
    return (
        at < len(passage.words)
        and passage.words[at].raw[0].isupper()
        and passage.words[at].word not in _NO_NAMES
    )
