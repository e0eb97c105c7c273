"""All texts of the bot, in five languages.

`say(Text.X, ...)` returns a text in the current language. The code that answers an interaction or
renders a plan sets the language once, with `speak` or `speaking`. English is complete by definition
(`catalogue`); the other languages are mappings beside it. A test verifies that they have the same
texts with the same placeholders.

Values for the placeholders must already be rendered by `bot.rendering`: nothing is escaped here.
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
"""Language tags and the languages' own names. Indonesian also serves speakers of Malay."""

_ALIASES = {"ms": "id"}
_SCRIPTS = {"DEVANAGARI": "hi", "BENGALI": "bn", "ARABIC": "ur"}
"""Scripts, as in Unicode's names of letters, and the language that each is taken for."""

SEEN_LETTERS = 400
"""Letters of a goal that are examined to recognize its script."""

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def known(tag: str) -> str:
    """Return the bot's language for a locale such as `en-GB`; English if there is none."""
    base = tag.replace("_", "-").split("-")[0].lower()
    base = _ALIASES.get(base, base)
    return base if base in LANGUAGES else ENGLISH


def language_of(text: str, otherwise: str = ENGLISH) -> str:
    """Return the probable language of a text by its script, or `otherwise` for Latin letters."""
    scripts = Counter(
        unicodedata.name(letter, "").split(" ")[0]
        for letter in text[:SEEN_LETTERS]
        if letter.isalpha()
    )
    if not scripts:
        return otherwise
    return _SCRIPTS.get(scripts.most_common(1)[0][0], otherwise)


def speak(tag: str) -> None:
    """Set the current language of this task."""
    _language.set(known(tag))


@contextlib.contextmanager
def speaking(tag: str) -> Iterator[None]:
    """Set the current language within the block."""
    token = _language.set(known(tag))
    try:
        yield
    finally:
        _language.reset(token)


def spoken() -> str:
    """Return the current language."""
    return _language.get()


@cache
def catalogue_of(language: str) -> Mapping[Text, str]:
    """Return a language's texts; those of English are the values of the enumeration."""
    if language == ENGLISH:
        return {text: text.value for text in Text}
    texts: Mapping[Text, str] = importlib.import_module(f"bot.texts.{language}").TEXTS
    return texts


def say(text: Text, /, **values: object) -> str:
    """Return a text in the current language, with its placeholders filled.

    Raises:
        KeyError: a placeholder has no value.
    """
    return catalogue_of(_language.get()).get(text, text.value).format(**values)


def moment(ms: int, style: Literal["R", "t", "T", "f"] = "R") -> str:
    """Return a timestamp that Discord shows in the reader's time zone; R is a live countdown."""
    return f"<t:{ms // 1000}:{style}>"


def duration(ms: int) -> str:
    """Return a length of time as a short text."""
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
