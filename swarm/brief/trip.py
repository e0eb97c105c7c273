"""Whether a goal is a journey: such goals are split by place and day, others by phase."""

from __future__ import annotations

from swarm.brief.passage import Passage
from swarm.brief.words import folded

_JOURNEYS = folded(
    "trip trips travel traveling travelling travels tour touring vacation vacations itinerary "
    "itineraries journey "
    "roadtrip honeymoon backpack backpacking sightseeing citybreak cruise pilgrimage getaway "
    "safari trek trekking hike "
    "viaje viajes viajar voyage voyages reise reisen rundreise urlaub städtereise kurzurlaub "
    "viaggio viaggi viagem "
    "perjalanan melancong percutian bercuti liburan wisata berlibur umrah hajj haji podróż "
    "wycieczka gezi safar yatra "
    "vacaciones vacances hochzeitsreise roadtrips backpackers staycation "
    "यात्रा सफर भ्रमण सैर घूमने टूर ट्रिप पर्यटन तीर्थयात्रा छुट्टियां سفر سیر سیاحت ٹور ٹرپ دورہ دورے عمرہ "
    "ভ্রমণ সফর ট্যুর বেড়াতে ভ্রমণের বেড়ানো ঘুরতে поездка поездку путешествие"
)
_PARTS = ("旅行", "여행", "поездк", "путешеств", "旅游", "reise", "urlaub")
"""Parts of words of languages that join words or do not part them."""

_MAYBE = folded(
    "holiday holidays cuti lawatan melawat tur visit visiting explore exploring छुट्टी چھٹیاں"
)
"""Words of journeys that mean other things too: "holiday party", "visit the dentist"."""

_FREE_DAYS = folded("holiday holidays cuti छुट्टी چھٹیاں")

_NOT = folded(
    "party parties blog app agency company website business thesis essay startup policy "
    "software insurance "
    "guide book novel presentation campaign homework decorations menu card cards season pesta "
    "jamuan museum "
    "school factory industry platform newsletter podcast budgeting agents agent exam"
)
"""Words after which a journey's word belongs to something else: "travel blog", "holiday party"."""

_LENGTHS = folded(
    "day days week weeks weekend night nights fortnight month hari minggu malam दिन दिनों हफ्ते "
    "दिवसीय دن ہفتے ہفتہ روزہ "
    "দিন দিনের সপ্তাহ সপ্তাহের tage wochen wochenende jours semaine semaines días semana semanas"
)
_IN = folded("in around across through from en à di ke in")

_TRIGGERS = _JOURNEYS | _MAYBE | _LENGTHS | {"road"}


def is_trip(passage: Passage) -> bool:
    """Return whether a goal is a journey that is to be planned."""
    return any(
        _tells(passage, at, word)
        for word, places in passage.where.items()
        if word in _TRIGGERS or word.endswith(("reise", "urlaub")) or not word.isascii()
        for at in places
    )


def _tells(passage: Passage, at: int, word: str) -> bool:
    """Return whether a word, where it stands, makes the goal a journey."""
    if word in _JOURNEYS or (not word.isascii() and any(part in word for part in _PARTS)):
        return not _is_other(passage, at)
    if word.endswith(("reise", "urlaub")) or (word == "road" and passage.word(at + 1) == "trip"):
        return True
    if word in _MAYBE:
        if _is_other(passage, at):
            return False
        if word in _FREE_DAYS:
            return passage.word(at + 1) in _IN or _has_length(passage, at)
        return _names_place(passage, at + 1) and _has_length(passage, at)
    if word in _LENGTHS and passage.word(at + 1) in _IN and _names_place(passage, at + 2):
        # "Ten days in Morocco" opens the goal; "a course of two days in Rome" is something else.
        return passage.sentence(at)[0] >= at - 4 or word == "weekend"
    return False


def _is_other(passage: Passage, at: int) -> bool:
    after = passage.word(at + 1)
    if after == "-":
        after = passage.word(at + 2)
    if after in _NOT or passage.word(at + 2) in _NOT - {"school", "book", "guide", "season"}:
        return True
    before = passage.word(at - 1)
    return before in ("on", "about", "for") and passage.word(at - 2) in (
        *("essay", "thesis", "book", "novel", "blog", "presentation", "talk", "report"),
    )


def _has_length(passage: Passage, at: int) -> bool:
    first, last = passage.sentence(at)
    return any(passage.word(index) in _LENGTHS for index in range(first, last))


def _names_place(passage: Passage, at: int) -> bool:
    """Return whether a name in capitals, or a word of a script without them, stands there."""
    while passage.word(at) in ("the", "my", "our"):
        at += 1
    if at >= len(passage.words):
        return False
    raw = passage.words[at].raw
    return raw[0].isupper() or (not raw[0].isascii() and raw[0].isalpha())
