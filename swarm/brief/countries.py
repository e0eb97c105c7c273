"""Names of countries in the languages of goals: a trip goes to Japan, but stops in Tokyo.

The names are those of Unicode's CLDR, by Babel.
"""

from __future__ import annotations

from functools import cache

from rapidfuzz import fuzz, process

from swarm.brief.phrases import LANGUAGES, primary
from swarm.brief.words import fold

SAME_NAME = 88.0
"""fuzz.ratio from which two names are spellings of one country."""

LEAST_LETTERS = 5
"""Letters of a name below which only the exact spelling counts."""

_TOWNS = frozenset(("SG", "MC", "HK", "MO", "VA", "GI"))
"""Territories that are one town: a trip can stop there."""

_OTHER_NAMES = frozenset(
    map(
        fold,
        ("Turkey", "USA", "America", "England", "Scotland", "Wales", "UK", "Holland", "Borneo"),
    )
)
"""Countries and islands of several towns under names that CLDR does not have."""


def is_country(name: str, language: str = "") -> bool:
    """Return whether a name is a country's, in English, in `language` or in one of the seeds'.

    Args:
        name: As a goal writes it.
        language: BCP 47 tag of the goal's language.
    """
    wanted = fold(" ".join(name.split()))
    if wanted in _OTHER_NAMES:
        return True
    tags = [tag for tag in dict.fromkeys(("en", primary(language), *LANGUAGES)) if tag]
    return any(
        wanted in names or (len(wanted) >= LEAST_LETTERS and _close(wanted, names))
        for names in map(_names, tags)
    )


def _close(wanted: str, names: frozenset[str]) -> bool:
    return process.extractOne(wanted, names, scorer=fuzz.ratio, score_cutoff=SAME_NAME) is not None


@cache
def _names(language: str) -> frozenset[str]:
    # Imported here: peers that split nothing need neither its time nor its memory.
    from babel import Locale, UnknownLocaleError

    try:
        territories = Locale(language).territories
    except (UnknownLocaleError, ValueError):
        return frozenset()
    # Two letters are a country's code; three digits are a continent's or a region's.
    return frozenset(
        fold(name)
        for code, name in territories.items()
        if (len(code) == 2 or code.isdecimal()) and code not in _TOWNS
    )
