"""The script and language of a text, as far as code can tell for certain."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from swarm.brief.check import Check, met, not_checked, not_met
from swarm.brief.phrases import primary
from swarm.brief.words import folded, tokens

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

FEW_WORDS = 5
"""Function words of another language that a text needs to count as in that language."""

_FUNCTION_WORDS = {
    "en": folded(
        "the and of to a an is are with for your you at from this that it be will or by as on not"
    ),
    "ms": folded(
        "dan yang di ke dari untuk dengan pada anda ini itu akan adalah atau tidak hari oleh "
        "dalam "
        "serta juga boleh bagi"
    ),
    "de": folded("der die das und ist mit für auf den dem ein eine von zu nicht sie im"),
    "fr": folded("le la les et des une est pour avec dans vous du au sur pas votre"),
    "es": folded("el los las y una es para con en su del por que no al se"),
    "pt": folded("os e uma para com em do da no na seu que não ao"),
    "it": folded("il gli e una per con in del della che non al si di è"),
    "nl": folded("het een en van is met voor op de niet uw u bij naar"),
}
"""Most frequent words of languages in Latin letters; Malay's are Indonesian's as well."""

_SAME = {"id": "ms"}
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


def _by_words(tag: str, text: str, demand: int | None) -> Check:
    own = _SAME.get(tag, tag)
    if own not in _FUNCTION_WORDS:
        return not_checked("language", f"Code does not know “{tag}” from others.", demand)
    words = Counter(token.word for token in tokens(text))
    counts = {name: sum(words[word] for word in known) for name, known in _FUNCTION_WORDS.items()}
    likeliest = max(counts, key=lambda name: (counts[name], name == own))
    if likeliest == own and counts[own]:
        return met("language", "The text is in the requested language.", demand)
    if counts[likeliest] >= FEW_WORDS and counts[likeliest] >= 3 * counts[own]:
        return not_met(
            "language", f"The text seems to be in another language than “{tag}”.", demand
        )
    return not_checked("language", "The text has too few words to tell its language.", demand)
