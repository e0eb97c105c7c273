r"""A text as words: the form in which every reader of this room looks at it.

Regular expressions fail on half of our scripts (Python's `\w` and `\b` break at the vowel signs
of Devanagari and Bengali) and are slow with hundreds of words to look for. So a text is cut into
tokens once, and each token is looked up by its folded form, in which spelling variants are equal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

MARKS = (
    "\u0300-\u036f"  # Latin accents
    "\u064b-\u065f\u0670\u06d6-\u06ed"  # Arabic vowels
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"  # Devanagari
    "\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u09e2\u09e3"  # Bengali
    "\u200c\u200d"  # joiners
)
"""Characters that continue a word though Python's `\\w` does not match them; for a class."""

_TOKEN = re.compile(
    r"\d+(?:[.,\u066b\u066c]\d+)*"
    + f"|[^\\W\\d_][^\\W\\d_{MARKS}]*(?:[{MARKS}][^\\W\\d_{MARKS}]*)*|\n|\\S"
)
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u093c\u09bc\u200c\u200d\u0640\u0670"),  # nuktas, joiners, tatweel
        **{chr(code): None for code in range(0x064B, 0x0660)},
        "\u0901": "\u0902",  # chandrabindu: पाँच is पांच
        "\u0626": "\u06cc",  # ئ is ی
        "\u064a": "\u06cc",
        "\u0649": "\u06cc",
        "\u0643": "\u06a9",
        "\u0647": "\u06c1",
        "\u06be": "\u06c1",
        "\u06c2": "\u06c1",
        "\u06d3": "\u06d2",
        "\u2019": "'",
    }
)

_LOCATIVES = ("\u09c7", "\u09df", "\u09af\u09bc", "\u09a4\u09c7")

SHORT = 2_000
"""Characters up to which a text is short: the tokens of many such texts are remembered, and of few
others, or a hostile peer's texts could fill the memory."""

STOPS = frozenset(".!?\n;।॥۔؟…")
"""Tokens that end a sentence; a full stop within an abbreviation is one too."""


class Token(NamedTuple):
    """A word, a number or one other character of a text.

    Attributes:
        word: The folded form, by which it is looked up.
        start: Where it begins in the text.
        end: Where it ends.
        raw: As it stands in the text.
    """

    word: str
    start: int
    end: int
    raw: str


def fold(word: str) -> str:
    """Return a word in the form in which its spelling variants are equal."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", word.casefold()).translate(_SAME)


def tokens(text: str) -> tuple[Token, ...]:
    """Cut a text into words, numbers and single other characters; blanks vanish, lines remain."""
    return (_short if len(text) <= SHORT else _long)(text)


def _cut(text: str) -> tuple[Token, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        raw = match.group()
        start, end = match.span()
        # Long texts are cut at every check: no call for what is plain.
        word = raw.lower() if raw.isascii() else fold(raw)
        if word:  # A mark without a letter folds to nothing.
            found.append(Token(word, start, end, raw))
    return tuple(found)


# Each check cuts the text that it looks at, and many checks look at one text.
_short = lru_cache(maxsize=128)(_cut)
_long = lru_cache(maxsize=4)(_cut)


def is_locative(raw: str) -> bool:
    """Return whether a Bengali word, as it stands in the text, has an ending for "in": "ঢাকায়"."""
    return "\u0980" <= raw[-1] <= "\u09ff" and raw.endswith(_LOCATIVES) and len(raw) > 2


def folded(words: Iterable[str] | str) -> frozenset[str]:
    """Return words in folded form; a string is taken for words with blanks between."""
    return frozenset(map(fold, words.split() if isinstance(words, str) else words))
