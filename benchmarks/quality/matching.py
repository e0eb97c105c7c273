"""Normal forms of text and patterns over words, in Latin, Devanagari, Arabic and Bengali script.

`re` takes vowel signs for the end of a word, so words have their own bounds here.
All patterns are meant for texts that went through `normal`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_MARKS = (
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
    "\u0981-\u0983\u09bc-\u09cd\u09d7\u0610-\u061a\u064b-\u065f\u0670"
)
"""Vowel signs and other marks that are part of words, as ranges for a class of a pattern."""

START = rf"(?<![^\W\d_])(?<![{_MARKS}])"
"""The start of a word; a digit may stand before it."""

END = rf"(?![^\W\d_])(?![{_MARKS}])"
"""The end of a word; a digit may follow."""

_FOLDED = str.maketrans(
    {
        "ي": "ی",
        "ى": "ی",
        "ك": "ک",
        "ه": "ہ",
        "ة": "ہ",
        "ۀ": "ہ",
        "\u2011": "-",
        "\u2010": "-",
        "’": "'",
        "‘": "'",
        "\u00a0": " ",
        "\u202f": " ",
        "\u2009": " ",
        "\u200b": "",
        "\u200c": "",
        "\u200d": "",
        "\u200e": "",
        "\u200f": "",
        "\u2066": "",
        "\u2067": "",
        "\u2069": "",
        "ँ": "ं",
    }
)
_HARAKAT = re.compile("[\u064b-\u0650\u0652]")


def normal(text: str) -> str:
    """Return a text in which equal words are equal strings.

    Digits of every script become ASCII digits; Arabic letters that Urdu spells otherwise become
    Urdu's; letters are lower case; joiners, direction marks and short vowels are dropped.
    """
    text = unicodedata.normalize("NFC", text).translate(_FOLDED)
    text = _HARAKAT.sub("", text)
    digits = "".join(
        str(unicodedata.digit(letter)) if letter.isdigit() and not letter.isascii() else letter
        for letter in text
    )
    return digits.lower()


def is_latin(word: str) -> bool:
    """Return whether a word is written in Latin letters."""
    return all(ord(letter) < 0x250 for letter in word)


def is_bengali(word: str) -> bool:
    """Return whether a word is written in Bengali letters."""
    return any("\u0980" <= letter <= "\u09ff" for letter in word)


@cache
def stems(alternatives: str) -> re.Pattern[str]:
    """Return a pattern of words that begin with one of the stems in `a|b|=c`.

    A stem after `=` is a whole word.
    """
    parts = []
    for word in alternatives.split("|"):
        word = normal(word.strip())
        whole = word.startswith("=")
        parts.append(START + re.escape(word.lstrip("=")) + (END if whole else ""))
    return re.compile("|".join(parts))


@cache
def words(alternatives: str) -> re.Pattern[str]:
    """Return a pattern of the whole words in `a|b`, with the plural and case endings of nouns."""
    parts = []
    for word in alternatives.split("|"):
        word = normal(word.strip())
        ending = "(?:s|es)?" + END if is_latin(word) else "" if is_bengali(word) else END
        parts.append(START + re.escape(word) + ending)
    return re.compile("|".join(parts))


@cache
def either(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern of the given whole words, longest first."""
    ranked = sorted({normal(word) for word in alternatives}, key=len, reverse=True)
    return re.compile(START + "(?:" + "|".join(map(re.escape, ranked)) + ")" + END)
