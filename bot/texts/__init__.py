"""Every text the bot says, in five languages, behind one door.

`say(Text.X, ...)` speaks the language that was chosen for what is being done: whoever answers an
interaction or tells a goal's story says so once, with `speak` or `speaking`. English is complete by
definition (`catalogue`); the others are mappings beside it, and a test holds them to the same texts
with the same placeholders.

What is put into the placeholders comes from `bot.rendering` already: nothing here is escaped.
"""

from __future__ import annotations

import contextlib
import importlib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Literal

from bot.texts.catalogue import PERMISSIONS as PERMISSIONS
from bot.texts.catalogue import Text as Text

ENGLISH = "en"

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "hi": "हिन्दी",
    "id": "Bahasa Indonesia / Melayu",
    "ur": "اردو",
    "bn": "বাংলা",
}
"""Tag -> what its speakers call it. Indonesian serves speakers of Malay too."""

_ALIASES = {"ms": "id"}
_SCRIPTS = {"DEVANAGARI": "hi", "BENGALI": "bn", "ARABIC": "ur"}
"""Script, as Unicode names its letters, -> the language it is taken for."""

SEEN_LETTERS = 400
"""Letters of a goal that its script is told by."""

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def known(tag: str) -> str:
    """Return the language of ours that a locale such as `en-GB` asks for; English for others."""
    base = tag.replace("_", "-").split("-")[0].lower()
    base = _ALIASES.get(base, base)
    return base if base in LANGUAGES else ENGLISH


def language_of(text: str, otherwise: str = ENGLISH) -> str:
    """Return the language a text is probably in, by its script; Latin letters tell nothing."""
    scripts = Counter(
        unicodedata.name(letter, "").split(" ")[0]
        for letter in text[:SEEN_LETTERS]
        if letter.isalpha()
    )
    if not scripts:
        return otherwise
    return _SCRIPTS.get(scripts.most_common(1)[0][0], otherwise)


def speak(tag: str) -> None:
    """Speak a language from now on, in this task."""
    _language.set(known(tag))


@contextlib.contextmanager
def speaking(tag: str) -> Iterator[None]:
    """Speak a language inside of the block."""
    token = _language.set(known(tag))
    try:
        yield
    finally:
        _language.reset(token)


def spoken() -> str:
    """Return the language spoken now."""
    return _language.get()


@cache
def catalogue_of(language: str) -> Mapping[Text, str]:
    """Return a language's texts; English has none besides the enumeration itself."""
    if language == ENGLISH:
        return {text: text.value for text in Text}
    texts: Mapping[Text, str] = importlib.import_module(f"bot.texts.{language}").TEXTS
    return texts


def say(text: Text, /, **values: object) -> str:
    """Return a text in the language spoken now, with its placeholders filled.

    Raises:
        KeyError: a placeholder has no value.
    """
    return catalogue_of(_language.get()).get(text, text.value).format(**values)


def moment(ms: int, style: Literal["R", "t", "T", "f"] = "R") -> str:
    """Return a time that Discord shows in the reader's own zone; R counts down or up by itself."""
    return f"<t:{ms // 1000}:{style}>"


def duration(ms: int) -> str:
    """Return a length of time in words that are short."""
    seconds = max(0, round(ms / 1000))
    if seconds < 60:
        return say(Text.SECONDS, seconds=seconds)
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        rest = f" {say(Text.SECONDS, seconds=seconds)}" if seconds else ""
        return say(Text.MINUTES, minutes=minutes) + rest
    hours, minutes = divmod(minutes, 60)
    rest = f" {say(Text.MINUTES, minutes=minutes)}" if minutes else ""
    return say(Text.HOURS, hours=hours) + rest
