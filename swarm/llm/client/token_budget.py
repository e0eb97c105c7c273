"""How many tokens an answer needs in its language. Pure functions.

Tokenizers of small models were made for English: the same sentence takes several times the tokens
in other scripts. A limit made for English would cut a plan in Bengali in its first third.
"""

from __future__ import annotations

from collections import Counter

FACTORS = {
    "english": 1.0,
    "latin": 1.4,
    "cyrillic": 1.5,
    "arabic": 2.5,
    "hebrew": 2.5,
    "cjk": 1.3,
    "devanagari": 3.3,
    "bengali": 3.8,
    "indic": 4.9,
    "other": 2.5,
}
"""Tokens for the same text, as a multiple of those in English: measured with the embedded model's
tokenizer on one paragraph in Malay, Russian, Urdu, Japanese, Hindi, Bengali and Tamil. Hebrew and
other scripts are estimates. Tokenizers of newer models need less."""

_RANGES = (
    (0x0041, 0x024F, "latin"),
    (0x1E00, 0x1EFF, "latin"),
    (0x0370, 0x052F, "cyrillic"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x077F, "arabic"),
    (0x08A0, 0x08FF, "arabic"),
    (0xFB50, 0xFDFF, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x09FF, "bengali"),
    (0x0A00, 0x0DFF, "indic"),
    (0x3040, 0x30FF, "cjk"),
    (0x3400, 0x9FFF, "cjk"),
    (0xAC00, 0xD7AF, "cjk"),
)
"""First and last code point of each script's blocks; Greek counts as Cyrillic."""

_SCRIPTS = {
    **dict.fromkeys(("hi", "mr", "ne", "sa", "bho", "mai"), "devanagari"),
    **dict.fromkeys(("bn", "as"), "bengali"),
    **dict.fromkeys(("ur", "ar", "fa", "ps", "sd", "ug", "ckb"), "arabic"),
    **dict.fromkeys(("ta", "te", "kn", "ml", "si", "gu", "pa", "or"), "indic"),
    **dict.fromkeys(("ru", "uk", "bg", "be", "sr", "mk", "kk", "el"), "cyrillic"),
    **dict.fromkeys(("zh", "ja", "ko", "yue"), "cjk"),
    **dict.fromkeys(("he", "yi"), "hebrew"),
    **dict.fromkeys(("th", "lo", "km", "my", "ka", "hy", "am", "bo"), "other"),
}
"""The script of each language not written in Latin letters, by the first part of its tag."""

LOOKED_AT = 2_000
"""Characters of a text that are looked at."""


def script_of(text: str) -> str:
    """Return the script of most letters of a text, a key of `FACTORS`; `latin` if it has none."""
    counts = Counter(_script(ord(char)) for char in text[:LOOKED_AT] if char.isalpha())
    return max(counts, key=lambda script: (counts[script], script)) if counts else "latin"


def token_factor(language: str, goal: str) -> float:
    """Return how many times the tokens of English an answer takes.

    Args:
        language: BCP 47 tag of the answer's language, or empty for the goal's own.
        goal: The goal, used only if the tag is empty. In Latin letters it is not taken for English:
            the caller knows better.
    """
    tag = language.replace("_", "-").split("-")
    if not tag[0]:
        return FACTORS[script_of(goal)]
    if tag[0].lower() == "en":
        return FACTORS["english"]
    if "latn" in map(str.lower, tag):
        return FACTORS["latin"]
    return FACTORS[_SCRIPTS.get(tag[0].lower(), "latin")]


def room(tokens: int, language: str, goal: str) -> int:
    """Return a token limit for an answer that would need `tokens` in English."""
    return round(tokens * token_factor(language, goal))


def _script(code: int) -> str:
    return next((name for first, last, name in _RANGES if first <= code <= last), "other")
