"""Whether a text mentions a name, words or a number, whatever their spelling or form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz import fuzz

from swarm.brief.numbers import number_at
from swarm.brief.steps import steps_in
from swarm.brief.words import STOPS, Token, folded, tokens

SAME_NAME = 84.0
"""fuzz.ratio of two names, 0 to 100, from which they are spellings of one: Varanasi, Varanashi."""

SHORT_NAME = 4
"""Letters of a name up to which only the exact spelling counts."""

ENDING = 4
"""Letters that a language may add to a word: plurals, cases of Bengali."""

NEAR = 6
"""Words within which a negation or a number belongs to a word."""

_STOPWORDS = folded(
    "a an the and or of to in at for from by on with without no not is are be must should have "
    "has "
    "want wants need needs all every each any some our my we i it they there include including "
    "least most one time times please only also into than that this dan atau yang di ke dari "
    "untuk "
    "dengan pada tanpa tidak ada harus perlu mesti satu semua kami saya बिना नहीं के का की में से "
    "और या "
    "को लिए एक है हो हैं بغیر نہیں کے کا کی میں سے اور یا کو لیے ایک ہے ہو ہیں ছাড়া না এবং ও বা "
    "জন্য একটি "
    "থেকে হবে der die das und oder ein eine mit ohne kein keine für le la les et ou un une sans "
    "avec el los las y o sin con"
)
"""Words that carry no content of a demand."""

_NEGATIONS = folded(
    "no not without free non avoid avoids avoiding never none nothing excluding except skip "
    "neither nor vegetarian vegan instead forbidden allergy allergic don't doesn't isn't aren't "
    "cannot can't tanpa tidak bukan jangan elak hindari elakkan bebas बिना नहीं मत न रहित मुक्त "
    "परहेज بغیر نہیں مت بنا نہ پرہیز ছাড়া না নয় নেই বাদ ohne kein keine keinen nicht sans pas "
    "sin ningún"
)
"""Words near which a forbidden thing is not there."""

_HAVING = folded(
    "pay have has had use using take taking buy buying serve serves served eat eating drink "
    "drinking include including allow allowed allergic allergy guna menggunakan makan minum beli"
)
"""Verbs of a ban that say only that a thing is there."""

_AMBIGUOUS = folded("do das once ein un tin saath dus mille mil an a sau hat char sei die couple")
"""Number words of one language that are common words of another."""

_ALTERNATIVES = re.compile(
    r"\s*(?:[,;/]|\b(?:or|and|nor|atau|dan|oder|und)\b|\s(?:या|और|یا|اور|বা|এবং)\s)\s*"
)


def named(name: str, text: str) -> bool:
    """Return whether a text mentions a name, tolerant of spelling and of endings."""
    return bool(where(name, tokens(text)))


def where(name: str, words: Sequence[Token]) -> list[int]:
    """Return the indexes of the words at which a name begins."""
    wanted = [token.word for token in tokens(name) if _is_word(token.word)]
    if not wanted:
        return []
    size, phrase = len(wanted), " ".join(wanted)
    places = [index for index, token in enumerate(words) if _is_word(token.word)]
    known: dict[str, bool] = {}
    found = []
    for at in range(len(places) - size + 1):
        run = places[at : at + size]
        said = " ".join(words[index].word for index in run)
        if said not in known:
            known[said] = _same(phrase, said)
        if known[said]:
            found.append(run[0])
    return found


def content_words(text: str) -> tuple[str, ...]:
    """Return the words of a demand that carry its content, folded, without numbers."""
    found = (token.word for token in tokens(text) if _is_word(token.word))
    return tuple(dict.fromkeys(w for w in found if w not in _STOPWORDS and not w[0].isdecimal()))


def share_mentioned(wanted: Iterable[str], text: str) -> float:
    """Return the share of words that a text mentions in some form, in [0, 1]; 1 of none."""
    wanted = list(wanted)
    words = {token.word for token in tokens(text) if _is_word(token.word)}
    if not wanted:
        return 1.0
    return sum(any(_forms(word, other) for other in words) for word in wanted) / len(wanted)


def alternatives(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the content words of each thing that a demand lists: three of "meat, fish or nuts".

    Verbs that say no more than that the thing is there go: "pay a tutor" is about tutors.
    """
    listed = (content_words(piece) for piece in _ALTERNATIVES.split(name))
    bare = (tuple(word for word in words if word not in _HAVING) or words for words in listed)
    return tuple(words for words in bare if words)


def violations(name: str, text: str) -> tuple[str, ...]:
    """Return the sentences that mention what is forbidden without denying it.

    Args:
        name: What must not be there; several things may be listed.
        text: Markdown.
    """
    things = alternatives(name)
    found = []
    for sentence in _sentences(text):
        words = [token.word for token in sentence]
        for thing in things:
            at = [index for index, word in enumerate(words) if _is_form(thing[0], word)]
            if not at or not all(any(_is_form(t, word) for word in words) for t in thing):
                continue
            if any(not _denied(words, index) for index in at):
                found.append(_raw(sentence))
                break
    return tuple(found)


def numbers_in(text: str) -> frozenset[int]:
    """Return the whole numbers of a text, in digits or words, without those of days and weeks."""
    words = _without_steps(text)
    return frozenset(value for _, value in _numbers(words))


def numbers_near(wanted: frozenset[str] | Sequence[str], text: str) -> frozenset[int]:
    """Return the whole numbers within a few words of one of some words, without those of days."""
    words = _without_steps(text)
    said = {token.word for token in words}
    forms = {other for other in said if any(_is_form(word, other) for word in wanted)}
    return frozenset(
        value
        for index, value in _numbers(words)
        if any(token.word in forms for token in words[max(0, index - 3) : index + NEAR + 1])
    )


def _numbers(words: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the index and value of each whole number."""
    at = 0
    while at < len(words):
        number = number_at(words, at) if words[at].word not in _AMBIGUOUS else None
        if number is None:
            at += 1
            continue
        if number.value == int(number.value):
            yield at, int(number.value)
        at = max(number.next, at + 1)


def _without_steps(text: str) -> list[Token]:
    within: set[int] = set()
    for unit in ("day", "week"):
        for step in steps_in(text, unit):
            within.update(range(step.start, step.end))
    return [token for token in tokens(text) if token.start not in within]


def _sentences(text: str) -> Iterator[list[Token]]:
    sentence: list[Token] = []
    for token in tokens(text):
        if token.word in STOPS:
            yield sentence
            sentence = []
        else:
            sentence.append(token)
    yield sentence


def _denied(words: Sequence[str], at: int) -> bool:
    return bool(_NEGATIONS.intersection(words[max(0, at - NEAR) : at + NEAR + 1]))


def _raw(sentence: Sequence[Token]) -> str:
    return " ".join(token.raw for token in sentence).strip()


def _same(name: str, said: str) -> bool:
    if name == said:
        return True
    if len(name) <= SHORT_NAME:
        return False
    if said.startswith(name) and len(said) - len(name) <= ENDING:
        return True
    return name[0] == said[0] and fuzz.ratio(name, said) >= SAME_NAME


def _forms(word: str, other: str) -> bool:
    """Return whether two words are probably forms of one; generous."""
    if word == other:
        return True
    least = min(len(word), len(other))
    if least < SHORT_NAME:
        return False
    stem = max(SHORT_NAME, least - 3)
    return word[:stem] == other[:stem] or (
        word[0] == other[0] and fuzz.ratio(word, other) >= SAME_NAME
    )


def _is_form(word: str, other: str) -> bool:
    """Return whether a word is another, its plural or its "-ing"; strict, for what is forbidden."""
    if word == other:
        return True
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) >= 3 and longer in (f"{shorter}s", f"{shorter}es", f"{shorter}ing")


def _is_word(word: str) -> bool:
    return word[:1].isalnum()
