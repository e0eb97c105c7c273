"""What a plan must and must not do: "must include a rest day", "no meat", "without a car"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from swarm.brief.numbers import TIMES
from swarm.brief.passage import Found, Passage
from swarm.brief.words import STOPS, fold, folded

MAX_WORDS = 8
"""Most words of a wish that are its name."""

_PROPERTIES = {
    word: word
    for word in folded(
        "vegetarian vegan halal kosher wheelchair gluten-free lactose-free vegetarisch "
        "végétarien vegetariano vegetarisches "
        "शाकाहारी हलाल سبزی حلال নিরামিষ হালাল barrierefrei rollstuhlgerecht"
    )
}
_FREE = folded(
    "gluten dairy lactose nut sugar alcohol meat car smoke plastic peanut child pet frei"
)
_FRIENDLY = folded("child kid kids family pet dog wheelchair budget eco beginner")
_TELLING = _PROPERTIES.keys() | _FREE | _FRIENDLY | {"wheelchair"}
_BY = folded(
    "train bus bike bicycle car boat ferry foot motorbike motorcycle campervan rail plane "
    "kayak horse tram"
)

_MUST = folded(
    "must needs need should include including includes has have requires require mesti perlu "
    "harus wajib hendaklah "
    "muss müssen soll sollen doit debe deben termasuk merangkumi mencakup sertakan menyertakan "
    "incluir incluye inclure incluant mestilah"
)
_OBJECTS = folded(
    "include including includes contain containing involve have termasuk merangkumi mencakup "
    "sertakan incluir incluye inclure incluant"
)
_NOT = folded(
    "no without avoid avoiding never except excluding tanpa tiada jangan elakkan hindari ohne "
    "keine kein keinen sans sin évitez evitar sonder"
)
_NO_NOT = folded(
    "more later less fewer longer matter need idea one problem limit budget doubt earlier than "
    "other further experience worries wonder only "
    "exceed exceeding going lebih melebihi kurang lewat mehr später"
)
_SKIP = folded(
    "any a an the all using use of eating too to semua sebarang dem den der eine einen ein le "
    "la les un una el"
)
_OR = folded("or atau oder ou nor & /")
_AND = folded("and dan und")
_DO = folded("must do should can may does")
_VERBAL = folded("don't never cannot can't not jangan avoid")
_PLAIN_VERBS = folded("boleh mahu mau ada be include want use have like eat")
_MALAY_VERBS = folded("boleh mahu mau ada termasuk makan menggunakan")
_GOING_ON = folded("on after before during of to pada selepas sebelum semasa am nach après setelah")
_HARD_ENDS = STOPS | folded(
    ", : ( ) — – and but we i must should starting ending budget please dan tetapi bajet "
    "anggaran "
    "bermula berakhir und aber et mais y pero so because since which who while when if "
    "mesti perlu harus"
)
_ENDS = STOPS | folded(
    ", : ( ) — – and but with for under from to in on at by so because since that which who we "
    "i must should starting ending budget please "
    "dan tetapi untuk dengan bajet anggaran bermula berakhir und mit für aber et mais pour "
    "avec y con pero para while during if when as is are "
    "mesti perlu harus each every per within dalam di ke dari pada"
)
_DEPENDENTS = folded(
    "child children kid kids baby toddler mother father parents grandmother grandfather "
    "grandparents dog cat son daughter wheelchair "
    "grandma grandpa infant teenager teenagers twins"
)

_ONE_MORE = folded("a an the at one satu sebuah")
_HAS_TO = folded("must should needs has mesti perlu harus wajib hendaklah mestilah muss doit debe")
_INCLUDES = folded("include including includes termasuk sertakan incluir incluant merangkumi")
_LINKS = _OBJECTS | folded("to be also ada ialah have there includes")
_CLAUSE = folded("not tidak nicht pas")
_TRIGGERS = (
    _NOT | _HAS_TO | _INCLUDES | _DO | folded("not don't cannot can't tidak make with by on")
)

# Languages whose verbs follow: the wish is the clause before the word.
_MUST_BEHIND = folded(
    "चाहिए शामिल जरूरी अनिवार्य आवश्यक अवश्य लازمی ضروری شامل چاہیے چاہئے لازمی لازماً থাকতে হবে "
    "রাখতে আবশ্যক অবশ্যই জরুরি অন্তর্ভুক্ত"
)
_NOT_BEHIND = folded("बिना नहीं बगैर मत परहेज بغیر نہیں بنا مت نہ گریز ছাড়া বাদ না নয় নেই নাই")
_WITHOUT = folded("बिना बगैर بغیر ছাড়া")
_BREAKS = STOPS | folded(", ، : ( ) – — और लेकिन पर اور لیکن مگر এবং কিন্তু ও")
_LITTLE = folded(
    "के की का को में से भी ही एक कोई किसी कुछ है हैं हो हों کے کی کا کو میں سے بھی ہی ایک کوئی کسی ہے "
    "ہیں ہو کچھ کোনো কোন একটি"
)


def wishes(passage: Passage) -> list[Found]:
    """Return what a goal demands or rules out in words, in order."""
    if passage.language in ("hi", "ur", "bn"):
        found = _verbs_last(passage)
    else:
        found = _verbs_first(passage)
    found += _properties(passage, found)
    return sorted(found, key=lambda one: one.at)


def _verbs_first(passage: Passage) -> list[Found]:
    found: list[Found] = []
    after = 0
    for at in passage.having(_TRIGGERS):
        if at >= after and (one := _not(passage, at) or _must(passage, at)):
            found += one
            after = one[-1].end
    return found


def _not(passage: Passage, at: int) -> list[Found]:
    """Return what "no meat", "without a car", "do not use motorways", "must not" rule out."""
    word, after = passage.word(at), passage.word(at + 1)
    start = at + 1
    if word in ("not", "don't", "cannot", "can't", "tidak"):
        if word == "not" and passage.word(at - 1) not in _DO:
            return []
        if word == "tidak" and after not in _MALAY_VERBS:
            return []
        if after in ("exceed", "go", "need"):
            return []
        if after in _PLAIN_VERBS:
            start = at + 2
    elif word not in _NOT or (word == "no" and passage.language in ("es", "pt")):
        return []
    if (after in _NO_NOT and word != "without") or after == ".":
        return []
    _, last = passage.sentence(at)
    verbal = word in _VERBAL or after.endswith("ing")
    return _listed(passage, "must_not", at, start, last, verbal=verbal)


def _listed(
    passage: Passage,
    kind: Literal["must", "must_not"],
    at: int,
    start: int,
    last: int,
    *,
    verbal: bool,
) -> list[Found]:
    """Return the things of "meat, fish or eggs" as demands of one kind."""
    start, end = _phrase(passage, start, last, verbal=verbal)
    if end <= start:
        return []
    found = [passage.found(kind, at, end, name=passage.raw(start, end))]
    joint = passage.word(end)
    more = joint in _OR or (joint in _AND and _short_item(passage, end + 1, last))
    if more and passage.word(end + 1) not in _NOT:
        for one in _listed(passage, kind, end + 1, end + 1, last, verbal=verbal):
            found.append(passage.found(kind, at, one.end, name=one.demand.name))
    return found


def _phrase(passage: Passage, start: int, last: int, *, verbal: bool) -> tuple[int, int]:
    """Return the words of a wish: from the first that matters to the end of its clause.

    What says when or where goes on with it ("no meat on Fridays"); a verb has all of its clause.
    """
    if passage.word(start) in ("at", "sekurang") and passage.word(start + 1) in ("least", "-"):
        start += 2 if passage.word(start) == "at" else 3
    while start < last and passage.word(start) in _SKIP:
        start += 1
    end = start
    while end < last and end - start < MAX_WORDS:
        word = passage.word(end)
        if word in _OR or word in _HARD_ENDS:
            break
        if word in _ENDS and not (end > start and (word in _GOING_ON or verbal)):
            break
        end += 1
    while end > start and (passage.word(end - 1) in _ENDS or passage.word(end - 1) in _SKIP):
        end -= 1
    return start, end


def _short_item(passage: Passage, at: int, last: int) -> bool:
    """Return whether one or two words and then an end follow: "no meat and fish,"."""
    word = passage.word(at)
    if (
        word in _ENDS
        or word in _MUST
        or word in _NOT
        or passage.numbers.get(at)
        or not word[:1].isalpha()
    ):
        return False
    return at + 1 >= last or passage.word(at + 1) in _ENDS or at + 2 >= last


def _must(passage: Passage, at: int) -> list[Found]:
    """Return what "must include a rest day", "with a child of six", "by train" demand."""
    word, after = passage.word(at), passage.word(at + 1)
    _, last = passage.sentence(at)
    if word in _HAS_TO and after not in _CLAUSE:
        asks = word == "should" and passage.word(at - 1) in ("what", "we", "i", "how")
        if asks or (word == "has" and after != "to"):
            return []
        start = at + 1
        while passage.word(start) in _LINKS and start < last:
            start += 1
        return _one(passage, at, start, last)
    if word in _INCLUDES:
        return _one(passage, at, at + 1, last)
    if word == "make" and after == "sure":
        start = at + 3 if passage.word(at + 2) in ("that", "to") else at + 2
        return _one(passage, at, start, last, verbal=True)
    if word == "with":
        return _with(passage, at, last)
    if word in ("by", "on") and after in _BY and passage.word(at + 2) not in ("trip", "and"):
        return [passage.found("must", at, at + 2, name=passage.raw(at + 1, at + 2))]
    return []


_REST_DAYS = tuple(
    tuple(map(fold, words.split()))
    for words in (
        *("rest day", "rest days", "free day", "free days", "day off", "days off"),
        *("day of rest", "days of rest", "ruhetag"),
        *("hari rehat", "hari bebas", "hari santai", "hari istirahat"),
        *("आराम का दिन", "दिन आराम", "विश्राम का दिन", "दिन विश्राम", "खाली दिन"),
        *("آرام کا دن", "دن آرام", "خالی دن"),
        *("বিশ্রামের দিন", "দিন বিশ্রাম", "ছুটির দিন"),
    )
)
"""Words for a day of rest, as they follow "a", "one" or a number."""

_REST_STARTS = {words[0] for words in _REST_DAYS}
_NOT_TO_REST = folded("on for during by pada semasa per every each setiap")
"""Words before "a free day" that tell when something is, and demand no rest."""

_OF_THE_DAY = folded("- pass passes ticket tickets trip trips tour tours ticketing rate rates")
"""Words after "a free day" of which the day is only a part."""


def rest_days(passage: Passage, known: Sequence[Found]) -> list[Found]:
    """Return the days of rest that are named in passing: "with a child and a rest day".

    Args:
        passage: The goal.
        known: What was read from it; a wish that holds the words already says so better.
    """
    wishes_known = [one for one in known if one.demand.kind in ("must", "must_not")]
    held = {index for one in wishes_known for index in range(one.at, one.end)}
    found = []
    for at in passage.having(_REST_STARTS):
        before = passage.word(at - 1)
        if not (before in ("a", "one", "an") or at - 1 in passage.number_ends):
            continue
        if at in held or passage.word(at - 2) in _NOT_TO_REST:
            continue
        _, last = passage.sentence(at)
        for words in _REST_DAYS:
            end = at + len(words)
            fits = end <= last and tuple(map(passage.word, range(at, end))) == words
            if fits and passage.word(end) not in _OF_THE_DAY:
                found.append(passage.found("must", at - 1, end, name=passage.raw(at, end)))
                break
    return found


def _with(passage: Passage, at: int, last: int) -> list[Found]:
    """Return who comes along and needs care, and "with at least one museum"."""
    end = at + 1
    while end < min(last, at + 6) and passage.word(end) not in (",", "and", "in", "for"):
        if passage.word(end) in _DEPENDENTS:
            stop = _ages(passage, end + 1)
            return [passage.found("must", at, stop, name=passage.raw(end, end + 1))]
        end += 1
    if passage.word(at + 1) == "at" and passage.word(at + 2) == "least":
        return _one(passage, at, at + 3, last)
    return []


def _ages(passage: Passage, end: int) -> int:
    """Return the index after the age of a child: "of six", "aged 6"."""
    at = end
    while passage.word(at) in ("of", "aged", "age", "who", "is", "(", "and"):
        at += 1
    number = passage.numbers.get(at)
    if number is None or at == end:
        return end
    stop = number.next
    while passage.word(stop) in ("and", "years", "year", "old", "-") or (
        stop in passage.numbers and passage.word(stop - 1) == "and"
    ):
        stop += 1
    if passage.word(stop - 1) == "and":
        stop -= 1
    return stop


def _one(passage: Passage, at: int, start: int, last: int, *, verbal: bool = False) -> list[Found]:
    """Return the wish whose words begin at `start`, and those that "and a" adds to it."""
    start, end = _phrase(passage, start, last, verbal=verbal)
    if end <= start or passage.word(start) == "not":
        return []
    found = [passage.found("must", at, end, name=passage.raw(start, end))]
    # "including a museum, a market and a boat trip"
    if passage.word(end) in (*_AND, "et", "y", ",") and passage.word(end + 1) in _ONE_MORE:
        begin, more = _phrase(passage, end + 2, last, verbal=False)
        if more > begin:
            found.append(passage.found("must", at, more, name=passage.raw(begin, more)))
    return found


def _properties(passage: Passage, known: list[Found]) -> list[Found]:
    """Return properties that one word demands: "vegetarian", "wheelchair accessible"."""
    held = {index for one in known for index in range(one.at, one.end)}
    ruled = {
        index for one in known if one.demand.kind == "must_not" for index in range(one.at, one.end)
    }
    found = []
    seen = set()
    for at in passage.having(_TELLING):
        end = at + 1
        word = passage.word(at)
        if at in held or at in ruled or word in seen:
            continue
        if word in _PROPERTIES:
            if passage.word(end) in ("accessible", "access", "user", "خور"):
                end += 1
            elif passage.word(end) == "-" and passage.word(end + 1) == "accessible":
                end += 2
        elif (word in _FREE and passage.word(at + 1) == "-" and passage.word(at + 2) == "free") or (
            word in _FRIENDLY and passage.word(at + 1) == "-" and passage.word(at + 2) == "friendly"
        ):
            end = at + 3
        else:
            continue
        seen.add(word)
        found.append(passage.found("must", at, end, name=passage.raw(at, end)))
    return found


def _verbs_last(passage: Passage) -> list[Found]:
    found: list[Found] = []
    last_end = 0
    for at in passage.having(_MUST_BEHIND | _NOT_BEHIND):
        word = passage.word(at)
        if at < last_end:
            continue
        first, last = passage.sentence(at)
        begin, core = _clause_before(passage, max(first, last_end), at)
        end = at + 1
        if begin == core and word in _WITHOUT:  # "बिना हवाई जहाज के"
            begin = core = at + 1
            while core < last and passage.word(core) not in _LITTLE | _BREAKS:
                core += 1
            end = core
        rules_out = word in _NOT_BEHIND or any(
            passage.word(index) in _NOT_BEHIND for index in range(at + 1, min(last, at + 4))
        )
        while word not in _WITHOUT and end < min(last, at + 4) and passage.word(end) not in _BREAKS:
            end += 1
        if begin == core or any(passage.word(index) in TIMES for index in range(begin, core)):
            continue  # "not more than 50 thousand" is the budget
        kind: Literal["must", "must_not"] = "must_not" if rules_out else "must"
        name = passage.raw(begin, core)
        found.append(passage.found(kind, min(begin, at), max(end, core), name=name))
        last_end = end
    return found


def _clause_before(passage: Passage, first: int, at: int) -> tuple[int, int]:
    """Return the words of the clause before a word, without the little ones at its ends."""
    begin = at
    while begin > first and at - begin < MAX_WORDS and passage.word(begin - 1) not in _BREAKS:
        begin -= 1
    core = at
    while core > begin and passage.word(core - 1) in _LITTLE:
        core -= 1
    while begin < core - 1 and passage.word(begin) in _LITTLE:
        begin += 1
    return begin, core
