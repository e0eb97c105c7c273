"""The script and language of a text, as far as code can tell for certain."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.language import detect
from swarm.brief.phrases import primary

SCRIPT_OF = {
    **dict.fromkeys(("en", "ms", "id", "de", "fr", "es", "pt", "it", "nl", "pl", "tr"), "LATIN"),
    **dict.fromkeys(("sv", "da", "no", "nb", "fi", "cs", "ro", "hu", "vi", "sw", "tl"), "LATIN"),
    **dict.fromkeys(("hi", "mr", "ne"), "DEVANAGARI"),
    **dict.fromkeys(("ur", "ar", "fa", "ps"), "ARABIC"),
    **dict.fromkeys(("bn", "as"), "BENGALI"),
    **dict.fromkeys(("ru", "uk", "bg", "sr"), "CYRILLIC"),
}
"""Script of a language, as in Unicode's names of its letters."""

FEW_LETTERS = 40
"""Letters below which a text is too short to tell its language."""

OWN_SHARE = 0.5
"""Share of letters in the language's script below which a text is in another one. Names and loan
words in Latin letters are common in Hindi, Urdu and Bengali."""

STRANGE_SHARE = 0.05
"""Share of letters of a third script from which a text is garbled: small models slip into Chinese.
A name in its own script is shorter."""

SAMPLE = 1_000
"""Characters of a text in which its language is looked for, at its beginning, middle and end."""

_SAME = {"id": "ms"}
"""Languages that code takes for one: nearly all of their frequent words are the same."""
_MARKUP = re.compile(r"```.*?(?:```|\Z)|\S*://\S*|<[^>\n]*>", re.DOTALL)


def scripts_in(text: str) -> Counter[str]:
    """Return how many letters of each script are in a text; Japanese and Chinese count as CJK."""
    found: Counter[str] = Counter()
    for char, times in Counter(text).items():
        if char.isalpha():
            name = unicodedata.name(char, "").split(" ")[0]
            found["CJK" if name in ("HIRAGANA", "KATAKANA") else name] += times
    return found


def script_of(text: str) -> str:
    """Return the script of most letters of a text; empty if it has none."""
    return next((script for script, _ in scripts_in(text).most_common(1)), "")


def check_language(language: str, text: str, demand: int | None = None) -> Check:
    """Return whether a text is in a language.

    Args:
        language: BCP 47 tag; empty: not known.
        text: Markdown.
        demand: Index of the demand for the language.
    """
    tag = primary(language)
    script = SCRIPT_OF.get(tag)
    if script is None:
        return not_checked("language", "Code does not know the script of the language.", demand)
    found = scripts_in(_MARKUP.sub(" ", text))
    letters = found.total()
    if letters < FEW_LETTERS:
        return not_checked("language", "The text is too short to tell its language.", demand)
    if found[script] < OWN_SHARE * letters:
        return not_met("language", f"The text is not in the script of “{tag}”.", demand)
    strange = sum(count for name, count in found.items() if name not in (script, "LATIN"))
    if strange > STRANGE_SHARE * letters:
        return not_met("language", "Parts of the text are in a foreign script.", demand)
    if script == "LATIN":
        return _by_words(tag, text, demand)
    return met("language", "The text is in the script of its language.", demand)


def fits_script(language: str, text: str) -> bool:
    """Return whether a line is in the script of a language, whatever its words; True: not known.

    Args:
        language: BCP 47 tag.
        text: A line, however short.
    """
    script = SCRIPT_OF.get(primary(language))
    found = scripts_in(text)
    letters = found.total()
    if script is None or not letters:
        return True
    strange = sum(count for name, count in found.items() if name not in (script, "LATIN"))
    return found[script] >= OWN_SHARE * letters and strange <= STRANGE_SHARE * letters


def _by_words(tag: str, text: str, demand: int | None) -> Check:
    middle = max(0, (len(text) - SAMPLE) // 2)
    samples = (text[:SAMPLE], text[middle : middle + SAMPLE], text[-SAMPLE:])
    found = {_SAME.get(language, language) for language in map(detect, set(samples))}
    if _SAME.get(tag, tag) in found:
        return met("language", "The text is in the requested language.", demand)
    if len(found) == 1 and "" not in found:
        other = found.pop()
        return not_met("language", f"The text seems to be in “{other}”, not “{tag}”.", demand)
    return not_checked("language", "Code cannot tell the text's language.", demand)
