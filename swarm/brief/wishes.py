"""What a plan must and must not do: "must include a rest day", "no meat", "without a car"."""

from __future__ import annotations

from swarm.brief.numbers import TIMES
from swarm.brief.passage import Found, Passage
from swarm.brief.words import STOPS, folded

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

# Languages whose verbs follow: the wish is the clause before the word.
_MUST_BEHIND = folded(
    "चाहिए शामिल जरूरी अनिवार्य आवश्यक अवश्य लازمی ضروری شامل چاہیے چاہئے لازمی لازماً থাকতে হবে "
    "রাখতে আবশ্যক অবশ্যই জরুরি অন্তর্ভুক্ত"
)
_NOT_BEHIND = folded("बिना नहीं बगैर मत परहेज بغیر نہیں بنا مت نہ گریز ছাড়া বাদ না নয় নেই নাই")
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
    at = 0
    while at < len(passage.words):
        one = _not(passage, at) or _must(passage, at)
        if one:
            found += one
            at = max(at + 1, one[-1].end)
        else:
            at += 1
    return found


def _not(passage: Passage, at: int) -> list[Found]:
    """Return what "no meat", "without a car", "do not use motorways", "must not" rule out."""
    word, after = passage.word(at), passage.word(at + 1)
    start = at + 1
    if word in ("not", "don't", "tidak", "nicht", "t", "cannot", "can't"):
        before = passage.word(at - 1)
        if word == "not" and before not in ("must", "do", "should", "can", "may", "does"):
            return []
        if word == "tidak" and after not in folded("boleh mahu mau ada termasuk makan menggunakan"):
            return []
        if word in ("nicht", "t"):
            return []
        if after in folded("boleh mahu mau ada be include want use have like eat exceed go need"):
            if after in ("exceed", "go", "need"):
                return []
            start = at + 2
    elif word == "no" and (after in _NO_NOT or after == "." or passage.language in ("es", "pt")):
        if after in _NO_NOT or passage.language == "pt":
            return []
    elif word not in _NOT:
        return []
    if after in _NO_NOT and word != "without":
        return []
    if word == "jangan" and after in folded("lebih melebihi"):
        return []
    _, last = passage.sentence(at)
    return _listed(passage, "must_not", at, start, last)


def _listed(passage: Passage, kind: str, at: int, start: int, last: int) -> list[Found]:
    """Return the things of "meat, fish or eggs" as demands of one kind."""
    found: list[Found] = []
    while start < last and passage.word(start) in _SKIP:
        start += 1
    end = start
    while end < last and end - start < MAX_WORDS and passage.word(end) not in _ENDS:
        if passage.word(end) in ("or", "atau", "oder", "ou", "nor", "&"):
            break
        if passage.numbers.get(end) and end > start and kind == "must_not":
            break
        end += 1
    if end == start:
        return []
    name = passage.raw(start, end)
    assert kind in ("must", "must_not")
    found.append(passage.found("must_not" if kind == "must_not" else "must", at, end, name=name))
    joint = passage.word(end)
    if joint in ("or", "atau", "oder", "ou", "nor", "&") or (
        kind == "must_not"
        and joint in ("and", "dan", "und")
        and _short_item(passage, end + 1, last)
    ):
        found += (
            [
                passage.found(
                    "must_not" if kind == "must_not" else "must",
                    at,
                    more.end,
                    name=more.demand.name,
                )
                for more in _listed(passage, kind, end + 1, end + 1, last)
            ]
            if passage.word(end + 1) not in _NOT
            else []
        )
    return found


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
    if word in (
        "must",
        "should",
        "needs",
        "has",
        "mesti",
        "perlu",
        "harus",
        "wajib",
        "hendaklah",
        "mestilah",
        "muss",
        "doit",
        "debe",
    ) and after not in ("not", "tidak", "nicht", "pas"):
        if word == "has" and after != "to":
            return []
        if word == "should" and passage.word(at - 1) in ("what", "we", "i", "how"):
            return []
        start = at + 1
        while (
            passage.word(start) in _OBJECTS | folded("to be also ada ialah have there includes")
            and start < last
        ):
            start += 1
        return _one(passage, at, start, last)
    if word in (
        "include",
        "including",
        "includes",
        "termasuk",
        "sertakan",
        "incluir",
        "incluant",
        "merangkumi",
    ):
        return _one(passage, at, at + 1, last)
    if word == "make" and after == "sure":
        start = at + 3 if passage.word(at + 2) in ("that", "to") else at + 2
        return _one(passage, at, start, last, short=False)
    if word == "with":
        end = at + 1
        while end < min(last, at + 6) and passage.word(end) not in (",", "and", "in", "for"):
            if passage.word(end) in _DEPENDENTS:
                stop = _ages(passage, end + 1)
                return [passage.found("must", at, stop, name=passage.raw(end, end + 1))]
            end += 1
        if after == "at" and passage.word(at + 2) == "least":
            return _one(passage, at, at + 1, last)
    if word in ("by", "on") and after in _BY and passage.word(at + 2) not in ("trip", "and"):
        return [passage.found("must", at, at + 2, name=passage.raw(at + 1, at + 2))]
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


def _one(passage: Passage, at: int, start: int, last: int, *, short: bool = True) -> list[Found]:
    """Return the wish whose words begin at `start` and go to the end of their clause."""
    while start < last and passage.word(start) in _SKIP:
        start += 1
    end = start
    ends = _ENDS if short else STOPS | folded(", ;")
    while (
        end < last and end - start < MAX_WORDS and (passage.word(end) not in ends or end == start)
    ):
        end += 1
    if end <= start or passage.word(start) in STOPS or passage.word(start) in ("not",):
        return []
    stop = end
    while (
        stop < last
        and stop - at < 2 * MAX_WORDS
        and passage.word(stop) not in STOPS | folded(", ;")
    ):
        stop += 1
    found = [passage.found("must", at, stop if not short else end, name=passage.raw(start, end))]
    # "including a museum, a market and a boat trip"
    if (
        short
        and passage.word(end) in ("and", "dan", "und", "et", "y")
        and passage.word(end + 1) in ("a", "an", "the", "at", "one", "satu", "sebuah")
    ):
        start = end + 2
        more = start
        while more < last and more - start < MAX_WORDS and passage.word(more) not in _ENDS:
            more += 1
        if more > start:
            found.append(passage.found("must", at, more, name=passage.raw(start, more)))
    return found


def _properties(passage: Passage, known: list[Found]) -> list[Found]:
    """Return properties that one word demands: "vegetarian", "wheelchair accessible"."""
    held = {index for one in known for index in range(one.at, one.end)}
    ruled = {
        index for one in known if one.demand.kind == "must_not" for index in range(one.at, one.end)
    }
    found = []
    seen = set()
    for at, token in enumerate(passage.words):
        end = at + 1
        word = token.word
        if at in held or at in ruled or word in seen:
            continue
        if word in _PROPERTIES:
            if passage.word(end) in ("accessible", "access", "user", "خور"):
                end += 1
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
    for at, token in enumerate(passage.words):
        word = token.word
        if word in _NOT_BEHIND:
            kind = "must_not"
        elif word in _MUST_BEHIND:
            kind = "must"
        else:
            continue
        first, last = passage.sentence(at)
        start = at
        while (
            start > max(first, last_end)
            and at - start < MAX_WORDS
            and passage.word(start - 1) not in _BREAKS
        ):
            start -= 1
        core = at
        while core > start and passage.word(core - 1) in _LITTLE:
            core -= 1
        if core == start:
            continue
        end = at + 1
        while (
            end < last
            and end - at < 4
            and passage.word(end) not in _BREAKS
            and kind == "must_not"
            and word not in folded("बिना بغیر ছাড়া")
        ):
            end += 1
        if kind == "must" and any(
            passage.word(index) in _NOT_BEHIND for index in range(at + 1, min(last, at + 4))
        ):
            kind = "must_not"
        begin = start
        while begin < core - 1 and passage.word(begin) in _LITTLE:
            begin += 1
        name = passage.raw(begin, core)
        if any(passage.word(index) in TIMES for index in range(begin, core)):
            continue  # "not more than 50 thousand" is the budget
        found.append(
            passage.found("must_not" if kind == "must_not" else "must", start, end, name=name)
        )
        last_end = end
    return found
