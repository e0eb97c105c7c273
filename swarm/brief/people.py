"""How many people take part, and counts of things: "team of eight", "three prizes"."""

from __future__ import annotations

from swarm.brief.dates import MONTHS
from swarm.brief.money import CURRENCIES
from swarm.brief.passage import Found, Passage
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import folded

MAX_COUNT = 100_000
"""Counts beyond it are no things of a plan."""

_PEOPLE = folded(
    "people persons person guests adults attendees participants pax friends travellers "
    "travelers visitors colleagues "
    "children kids students pupils employees members runners players girls boys women men "
    "seniors folks "
    "orang tetamu tamu peserta pelajar ahli murid siswa pekerja karyawan rakan kawan kanak "
    "लोगों लोग व्यक्तियों व्यक्ति मेहमानों मेहमान सदस्यों सदस्य बच्चों छात्रों छात्र विद्यार्थियों प्रतिभागियों "
    "दोस्तों कर्मचारियों अतिथियों "
    "लोगो افراد لوگوں لوگ مہمانوں مہمان بچوں طلبہ طلباء ارکان شرکاء دوستوں ملازمین آدمیوں "
    "মানুষ মানুষের লোকের লোক জন জনের অতিথি অতিথির মেহমান সদস্য সদস্যের শিক্ষার্থী শিক্ষার্থীর বন্ধু ছাত্র "
    "জনকে "
    "personen gäste leute teilnehmer kinder kindern erwachsene personnes invités enfants "
    "adultes personas invitados niños "
    "adultos gästen teilnehmern log mehman logon"
)
_GROUPS = folded(
    "family team group party class couple crew band staff keluarga pasukan kumpulan tim "
    "kelompok rombongan "
    "परिवार टीम समूह خاندان ٹیم گروپ পরিবার দল familie gruppe famille groupe familia grupo "
    "equipo équipe gruppe team"
)
_OF = folded("of seramai dengan beranggotakan von mit de")
_BN_PEOPLE = ("জন", "জনের", "জনকে")
_AGES = folded(
    "year years yr yrs old aged age tahun वर्ष साल سال বছর বছরের jahre jahren ans años month "
    "months साल वर्षीय سالہ"
)
_CHILD = folded("child kid son daughter baby toddler boy girl anak kind enfant hijo")
_CHILDREN = _CHILD | folded(
    "granddaughter grandson बच्चे बच्चा बेटी बेटे बेटा بیٹی بیٹے بیٹا بچے بچی بچہ "
    "সন্তান সন্তানকে মেয়ে ছেলে মেয়েকে"
)
MOST_YEARS = 17
"""A child is not older."""

_ADULTS = folded("adults adult dewasa erwachsene adultes adultos वयस्क")
_ANYBODY = _PEOPLE | _CHILD
_FOR_BEHIND = folded("के کے এর জন্য लिए لیے لئے")
_MEASURES = folded(
    "km kms kilometre kilometres kilometer kilometers mile miles m metre metres meter meters "
    "cm mm kg g grams gram litre litres "
    "liters minutes minute min mins seconds percent % am pm o'clock degrees star stars years "
    "year bedroom bedrooms sqm sq feet ft gb mb "
    "minit menit kilo saat jam tahun मिनट किमी किलोमीटर किलो साल वर्ष बजे प्रतिशत منٹ کلومیٹر کلو "
    "سال بجے فیصد মিনিট কিলোমিটার কিমি কেজি বছর "
    "বছরের টায় শতাংশ minuten uhr times time third thirds half quarters dozen points calories "
    "kcal kalori words page level chapter grade times "
    "bhk kcals hours hour"
)
_FUNCTION = folded(
    "of and or in at on to for the a an is are was were be with without by from that this "
    "which who than then more less other others "
    "us them we i you it as if so but not no must should can will our my your their his her "
    "its all each both dan di ke untuk dengan yang pada "
    "dari atau कि के की का को में से और या पर तक ने हैं है भी ही एक کے کی کا کو میں سے اور یا پر تک "
    "ہیں ہے بھی ہی ও এবং থেকে এর জন্য মধ্যে বা হবে "
    "und oder für et ou pour y o para con de la the same days' per im lagi sekali kali बार بار "
    "বার times"
)
_CLASSIFIERS = folded(
    "buah ekor biji keping helai batang orang jenis macam टुकड़े عدد টি টা খানা different "
    "separate small large big short main key new simple good free"
)
_NO_PLURALS = folded(
    "this is us yes plus its always perhaps across various previous was has class glass pass "
    "process business address access"
)
_PLURALS = folded("children people men women feet teeth mice staff media")


def people(passage: Passage) -> Found | None:
    """Return how many people take part; adults and children beside each other are added up."""
    best: tuple[int, Found] | None = None
    at_numbers = sorted(passage.numbers.items())
    skip: set[int] = set()
    for at, number in at_numbers:
        if at in skip or number.value != int(number.value) or not 1 <= number.value <= MAX_COUNT:
            continue
        value, end, weight = int(number.value), number.next, 0
        word = passage.word(end)
        if word == "-" and passage.word(end + 1) in (
            "person",
            "strong",
            "member",
            "orang",
            "köpfige",
            "people",
        ):
            end, weight = end + 2, 3
        elif word in _PEOPLE and not _is_each(passage, at, end + 1):
            end, weight = end + 1, 2
            value, end = _more(passage, value, end, skip)
        elif (
            passage.word(end + 1) in _PEOPLE
            and word not in _FUNCTION
            and word not in UNIT_WORDS
            and word.isalpha()
        ):
            if passage.word(end) in _AGES or word in _MEASURES or word in CURRENCIES:
                continue
            end, weight = end + 2, 2
            value, end = _more(passage, value, end, skip)
        elif (
            passage.word(at - 1) in _OF
            and passage.word(at - 2) in _GROUPS
            and word not in UNIT_WORDS
        ):
            weight = 4
        elif value > 1 and passage.words[at].raw.endswith(("জন", "জনের", "জনকে")):
            weight = 3
        elif (
            passage.word(at - 1) in ("for", "für", "untuk")
            and _ends_clause(passage, end)
            and not number.digits
            and value <= 20
        ):
            weight = 1
        elif (
            word in _GROUPS
            and passage.word(at - 1) not in ("one",)
            and value > 1
            and passage.language[:2] in ("hi", "ur", "bn")
        ):
            weight = 0
        if not weight or _is_age(passage, at, number.next):
            continue
        first = at
        if passage.word(at - 1) in _OF and passage.word(at - 2) in _GROUPS:
            first = at - 2
        elif passage.word(at - 1) in ("for", "untuk", "für", "pour", "para"):
            first, weight = at - 1, weight + 2
        elif passage.word(end) in _FOR_BEHIND or passage.word(end + 1) in _FOR_BEHIND:
            weight += 2
        if best is None or weight > best[0]:
            best = (weight, passage.found("people", first, end, value=value))
    return best[1] if best is not None else _couple(passage)


def teams(passage: Passage, taken: set[int]) -> list[Found]:
    """Return groups of a size besides those who take part: "with a team of eight".

    Args:
        passage: The goal.
        taken: Indexes of words that hold other demands.
    """
    found = []
    for at, number in sorted(passage.numbers.items()):
        group = passage.word(at - 2)
        if at in taken or passage.word(at - 1) not in _OF or group not in _GROUPS:
            continue
        if number.value == int(number.value) and passage.word(number.next) not in UNIT_WORDS:
            name = passage.words[at - 2].raw
            value = int(number.value)
            found.append(passage.found("count", at - 2, number.next, value=value, name=name))
    return found


def child(passage: Passage) -> Found | None:
    """Return the child of a named age that comes along: "our six-year-old daughter"."""
    for at in passage.having(_CHILDREN):
        first, last = passage.sentence(at)
        near = range(max(first, at - 5), min(last, at + 5))
        ages = [index for index in near if index in passage.numbers]
        for age in ages:
            number = passage.numbers[age]
            words = [
                passage.word(index) for index in range(min(age, at), max(at + 1, number.next + 2))
            ]
            of_age = passage.word(at + 1) in ("of", "aged") and age == at + 2
            if number.value <= MOST_YEARS and (of_age or not _AGES.isdisjoint(words)):
                unit = passage.word(number.next) in _AGES
                begin, end = min(age, at), max(at + 1, number.next + unit)
                return passage.found("must", begin, end, name=passage.words[at].raw)
    return None


def counts(passage: Passage, taken: set[int]) -> list[Found]:
    """Return counts of things: "three prizes", "tiga hadiah", "तीन पुरस्कार".

    Args:
        passage: The goal.
        taken: Indexes of words that hold other demands, which are no counts.
    """
    found = []
    latin = passage.language in ("en", "de", "fr", "es", "pt", "it", "nl", "")
    for at, number in sorted(passage.numbers.items()):
        if at in taken or number.value != int(number.value) or not 2 <= number.value <= MAX_COUNT:
            continue
        before = passage.word(at - 1)
        if (
            before
            in (
                "/",
                "#",
                "no",
                "nombor",
                "chapter",
                "level",
                "day",
                "week",
                "-",
                "–",
                "in",
                "pukul",
                "hari",
                "ke",
                "year",
                "aged",
                "age",
            )
            or before in MONTHS
        ):
            continue
        if before in (".", ":") and passage.touches(at):
            continue
        noun = _noun(passage, number.next, latin=latin)
        if noun is None or noun[1] - 1 in taken or _is_each(passage, at, noun[1]):
            continue
        first, end = noun
        name = passage.raw(end - 1, end)
        if passage.word(end - 2) not in _CLASSIFIERS and end - first == 2:
            name = passage.raw(first, end)
        found.append(passage.found("count", at, end, value=number.value, name=name))
    return found


def _noun(passage: Passage, at: int, *, latin: bool) -> tuple[int, int] | None:
    """Return the words of the things after a number; None if they are none that are counted."""
    if passage.word(at) in ("+",):
        at += 1
    word = passage.word(at)
    if (
        not word
        or not word[0].isalpha()
        or word in _FUNCTION
        or word in _MEASURES
        or word in MONTHS
    ):
        return None
    if (
        word in CURRENCIES
        or word in UNIT_WORDS
        or word in _PEOPLE
        or word in _AGES
        or word in _GROUPS
    ):
        return None
    if latin:
        for end in (at + 1, at + 2, at + 3):
            head = passage.word(end - 1)
            if head in _FUNCTION or not head[:1].isalpha() or (head in _MEASURES):
                return None
            if head in UNIT_WORDS and end == at + 1:
                return None
            if (
                head.endswith("s") and head not in _NO_PLURALS and len(head) > 3
            ) or head in _PLURALS:
                if head in _PEOPLE and end == at + 1:
                    return None
                return at, end
        return None
    end = at + 1
    if word in _CLASSIFIERS:
        if (
            passage.word(end) in _FUNCTION | UNIT_WORDS.keys()
            or not passage.word(end)[:1].isalpha()
        ):
            return None
        end += 1
    if passage.word(at).isascii() and passage.language not in ("ms", "id", "hi-Latn", "ur-Latn"):
        return None
    return at, end


def _more(passage: Passage, value: int, end: int, skip: set[int]) -> tuple[int, int]:
    """Return a count of people with the children who follow it: "2 adults and 1 child"."""
    if passage.word(end - 1) not in _ADULTS:
        return value, end
    at = end + 1 if passage.word(end) in ("and", "&", "dan", ",", "und", "et", "y", "plus") else end
    number = passage.numbers.get(at)
    if number is not None and passage.word(number.next) in _ANYBODY:
        skip.add(at)
        return value + int(number.value), number.next + 1
    return value, end


def _is_age(passage: Passage, at: int, end: int) -> bool:
    """Return whether a number is an age: "a child of six", "6 years old"."""
    if passage.word(end) in ("-", "–"):
        end += 1
    if passage.word(end) in _AGES or passage.word(at - 1) in ("aged", "age"):
        return True
    return passage.word(at - 1) == "of" and passage.word(at - 2) in _CHILD


def _is_each(passage: Passage, at: int, end: int) -> bool:
    """Return whether a count is a rate: "3 meals a day", "two sessions per week"."""
    word = passage.word(end)
    if passage.word(at - 1) in ("per", "every", "each"):
        return True
    return word in (
        "a",
        "an",
        "per",
        "each",
        "every",
        "/",
        "sehari",
        "seminggu",
        "setiap",
        "pro",
        "par",
    ) and (
        passage.word(end + 1) in UNIT_WORDS
        or word in ("sehari", "seminggu")
        or passage.word(end + 1) in ("person", "team", "class", "orang")
    )


def _ends_clause(passage: Passage, end: int) -> bool:
    word = passage.word(end)
    return (
        not word
        or not word[0].isalnum()
        or word in ("in", "with", "at", "on", "to", "under", "from", "and", "who", "without")
    )


def _couple(passage: Passage) -> Found | None:
    """Return two for "a couple" that travels; "a couple of days" is none."""
    for at in passage.having({"couple"}):
        if (
            passage.word(at + 1) != "of"
            and passage.word(at - 1) in ("a", "the", "our")
            and passage.word(at - 2) in ("for", "as")
        ):
            return passage.found("people", at - 2, at + 1, value=2)
    return None
