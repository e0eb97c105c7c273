"""Numbers in texts: digits of every script, words of our languages, "6,000", "1.5 lakh", "6 k"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from swarm.brief.words import Token, fold

# Cardinals from 1 in order; "/" parts spellings. Latin Hindi and Urdu ("teen din") share a row.
_ROWS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
    "satu dua tiga empat lima enam tujuh lapan/delapan sembilan sepuluh sebelas",
    "एक दो तीन चार पांच/पाच छह/छः/छे/छ सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह/पन्द्रह सोलह सत्रह "
    "अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस/अठाईस उनतीस तीस इकतीस",
    "ایک دو تین چار پانچ چھ/چھے/چھہ سات آٹھ نو دس گیارہ بارہ تیرہ چودہ پندرہ سولہ سترہ اٹھارہ "
    "انیس "
    "بیس اکیس بائیس تئیس چوبیس پچیس چھبیس ستائیس اٹھائیس انتیس تیس اکتیس",
    "এক দুই/দু তিন চার পাঁচ ছয় সাত আট নয় দশ এগারো বারো তেরো চৌদ্দ পনেরো/পনের ষোলো সতেরো আঠারো উনিশ "
    "বিশ/কুড়ি একুশ বাইশ তেইশ চব্বিশ পঁচিশ ছাব্বিশ সাতাশ আটাশ ঊনত্রিশ ত্রিশ/তিরিশ একত্রিশ",
    "ein/eine/einen/einem/einer/eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
    "uno/una/un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "ek do/dou teen/tin char/chaar panch/paanch chhe/chhah/cheh saat aath nau das/dus gyarah "
    "barah/"
    "baarah terah chaudah pandrah",
)
_TENS = {
    20: "bees bis veinte vingt",
    30: "thirty dreißig trente treinta tees",
    35: "पैंतीस پینتیس পঁয়ত্রিশ",
    40: "forty चालीस چالیس চল্লিশ vierzig quarante cuarenta chalis",
    45: "पैंतालीस پینتالیس পঁয়তাল্লিশ",
    50: "fifty पचास پچاس পঞ্চাশ fünfzig cinquante cincuenta pachas",
    60: "sixty साठ ساٹھ ষাট sechzig soixante sesenta saath",
    70: "seventy सत्तर ستر সত্তর siebzig setenta sattar",
    75: "पचहत्तर پچھتر পঁচাত্তর",
    80: "eighty अस्सी اسی আশি achtzig ochenta assi",
    90: "ninety नब्बे نوے নব্বই neunzig noventa nabbe",
    1.5: "डेढ़ ڈیڑھ দেড় dedh derh",
    2.5: "ढाई ڈھائی আড়াই dhai",
    12: "dozen dozens lusin दर्जन درجن ডজন dutzend",
    2: "couple",
}
_TIMES = {
    100: "hundred ratus सौ سو শ শত একশো sau hundert",
    1_000: "thousand k ribu rb हजार ہزار হাজার tausend mille mil hazar hazaar",
    100_000: "lakh lakhs lac lacs लाख لاکھ লাখ লক্ষ",
    1_000_000: "million millions mio juta jt मिलियन ملین মিলিয়ন millionen millones mn",
    10_000_000: "crore crores करोड़ کروڑ কোটি",
}
_WHOLE = {"seratus": 100, "seribu": 1_000, "sejuta": 1_000_000, "একশ": 100, "hundert": 100}

CARDINALS: dict[str, float] = {
    **{
        fold(word): value
        for row in reversed(_ROWS)
        for value, spellings in enumerate(row.split(), start=1)
        for word in spellings.split("/")
    },
    **{fold(word): value for value, words in _TENS.items() for word in words.split()},
    **{fold(word): value for word, value in _WHOLE.items()},
}
for _word in _ROWS[4].replace("/", " ").split():  # Bengali joins what is counted to the number
    for _ending in ("টি", "টা", "টো", "টির", "জন", "জনের", "জনকে"):
        CARDINALS[fold(_word + _ending)] = CARDINALS[fold(_word)]
"""Number words, folded, with their values."""

TIMES: dict[str, int] = {fold(w): value for value, words in _TIMES.items() for w in words.split()}
"""Words that multiply the number before them, folded."""

_ORDINAL_ROWS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth "
    "fourteenth fifteenth",
    "pertama/kesatu kedua ketiga keempat kelima keenam ketujuh kelapan/kedelapan kesembilan "
    "kesepuluh",
    "पहला/पहले/पहली/प्रथम दूसरा/दूसरे/दूसरी/द्वितीय तीसरा/तीसरे/तीसरी/तृतीय चौथा/चौथे/चौथी "
    "पांचवां/पांचवें/पांचवा/पांचवे/पांचवीं छठा/छठे/छठवां/छठी सातवां/सातवें/सातवा/सातवे आठवां/आठवें/आठवा "
    "नौवां/नौवें/नौवा/नवां दसवां/दसवें/दसवा ग्यारहवां/ग्यारहवें बारहवां/बारहवें तेरहवां/तेरहवें चौदहवां/चौदहवें",
    "پہلا/پہلے/پہلی دوسرا/دوسرے/دوسری تیسرا/تیسرے/تیسری چوتھا/چوتھے/چوتھی پانچواں/پانچویں "
    "چھٹا/چھٹے/چھٹی ساتواں/ساتویں آٹھواں/آٹھویں نواں/نویں دسواں/دسویں گیارہواں/گیارہویں "
    "بارہواں/بارہویں تیرہواں/تیرہویں چودہواں/چودہویں",
    "প্রথম/পহেলা দ্বিতীয় তৃতীয় চতুর্থ পঞ্চম ষষ্ঠ সপ্তম অষ্টম নবম দশম একাদশ দ্বাদশ ত্রয়োদশ চতুর্দশ",
    "erster/erste/ersten zweiter/zweite/zweiten dritter/dritte/dritten vierter/vierte/vierten "
    "fünfter/fünfte/fünften sechster/sechste/sechsten siebter/siebte/siebten",
    "premier/première deuxième troisième quatrième cinquième sixième septième",
    "primer/primero/primera segundo/segunda tercer/tercero/tercera cuarto/cuarta quinto/quinta "
    "sexto/sexta séptimo/séptima",
)
ORDINALS: dict[str, int] = {
    fold(word): value
    for row in _ORDINAL_ROWS
    for value, spellings in enumerate(row.split(), start=1)
    for word in spellings.split("/")
}
"""Ordinal words, folded, with their values."""

_LONGEST = 15
"""Most digits of a number that is read: beyond it, it is no amount of anything."""

_HALVES = {fold(word): 0.5 for word in ("साढ़े", "ساڑھے", "সাড়ে", "sadhe")}
_AND = frozenset({"and", "-"})


class Number(NamedTuple):
    """A number in a list of tokens.

    Attributes:
        value: What it is.
        next: Index of the first token after it.
        digits: Whether it is written in digits.
    """

    value: float
    next: int
    digits: bool


def digits(text: str) -> float | None:
    """Return the value of digits with their separators, of any script; None if it is none.

    Groups of three (Indian: of two, then three) are thousands, "6,000" and "6.000" alike; what
    else follows a separator is a fraction: "1.5", "6.000,50".
    """
    if len(text) > _LONGEST + 5:
        return None
    parts = re.split(r"[.,\u066b\u066c]", text)
    if not all(part.isdecimal() for part in parts):
        return None
    if len(parts) == 1:
        return float(int(text))
    marks = [char for char in text if not char.isdecimal()]
    grouped = [len(part) in (2, 3) for part in parts[1:]]
    if marks[-1] != "\u066b" and len(set(marks)) == 1 and len(parts[-1]) == 3 and all(grouped):
        return float(int("".join(parts))) if parts[0].strip("0") else None
    if len(set(marks[:-1])) > 1 or (len(parts) > 2 and marks[-1] in marks[:-1]):
        return None  # a date or a version
    return float(int("".join(parts[:-1])) + int(parts[-1]) / 10.0 ** len(parts[-1]))


def number_at(words: Sequence[Token], at: int) -> Number | None:
    """Return the number that begins at a token, as long as it goes; None if none begins there."""
    if at >= len(words):
        return None
    word = words[at].word
    if not (word[0].isdecimal() or word in CARDINALS or word in _HALVES):
        return None
    half = _HALVES.get(word)
    if half is not None:
        inner = _plain(words, at + 1)
        if inner is None:
            return None
        return _times(words, Number(inner.value + half, inner.next, inner.digits))
    plain = _plain(words, at)
    return None if plain is None else _times(words, plain)


def _plain(words: Sequence[Token], at: int) -> Number | None:
    """Return a number without "thousand" and the like: "25", "twenty-five", "dua puluh lima"."""
    if at >= len(words):
        return None
    word = words[at].word
    if word[0].isdecimal():
        value = digits(word)
        if value is None:
            return None
        if at + 1 < len(words) and value < 1_000 and _is_group(words[at], words[at + 1]):
            return Number(value * 1_000 + int(words[at + 1].word), at + 2, True)
        return Number(value, at + 1, True)
    value = CARDINALS.get(word)
    if value is None:
        return None
    after = words[at + 1].word if at + 1 < len(words) else ""
    if after == "belas" and value < 10:
        return Number(value + 10, at + 2, False)
    if after == "puluh" and value < 10:
        value, at, after = value * 10, at + 1, words[at + 2].word if at + 2 < len(words) else ""
    if value % 10 == 0 and 20 <= value < 100:
        skip = at + 2 if after == "-" else at + 1
        unit = CARDINALS.get(words[skip].word, 0) if skip < len(words) else 0
        if 0 < unit < 10 and unit == int(unit):
            return Number(value + unit, skip + 1, False)
    return Number(value, at + 1, False)


def _is_group(one: Token, other: Token) -> bool:
    """Return whether two tokens are "6 000": a thousand written with a blank."""
    gap = other.start - one.end
    return gap == 1 and len(other.word) == 3 and other.word.isdecimal() and int(other.word) == 0


def _times(words: Sequence[Token], number: Number) -> Number:
    """Return a number with the "hundred", "thousand", "lakh" that follow it."""
    value, at, in_digits = number
    total = 0.0
    room = value if words[at - 1].word in _WHOLE else 0.0
    if room >= 1_000:
        total, value = value, 0.0
    while at < len(words):
        times = TIMES.get(words[at].word)
        # "6 k" and "6k", but not "6 K-pop songs".
        if times is not None and not (words[at].word == "k" and _joined(words, at)):
            if times < 1_000:
                value *= times
            else:
                total, value = total + value * times, 0.0
            room, at = times, at + 1
            continue
        skip = at + 1 if room and words[at].word in _AND else at
        more = _plain(words, skip) if room else None
        if more is None or not 1 <= more.value < room:
            break
        scale = TIMES.get(words[more.next].word, 0) if more.next < len(words) else 0
        if more.digits and not 0 < scale < room:
            break
        value, at, room = value + more.value, more.next, 0.0
    return Number(total + value, at, in_digits)


def _joined(words: Sequence[Token], at: int) -> bool:
    after = words[at + 1] if at + 1 < len(words) else None
    return after is not None and after.start == words[at].end and after.word == "-"
