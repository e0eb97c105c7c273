"""Which facts of a text a rewritten one has lost: numbers, names, days."""

from __future__ import annotations

import itertools
from functools import lru_cache

from swarm.brief.mentions import where
from swarm.brief.numbers import digits
from swarm.brief.schedule import own_steps
from swarm.brief.steps import StepUnit, step_label, steps_in
from swarm.brief.words import STOPS, tokens

SHORTEST_NAME = 3
"""Letters of a capitalised word from which it counts as a name."""

MOST_SHOWN = 8
"""Most lost facts that are returned."""

_UNITS: tuple[StepUnit, ...] = ("day", "week")
_OPENERS = STOPS | frozenset(":-–—*#•>|(\"“'[0123456789")


def lost_facts(text: str, rewritten: str) -> tuple[str, ...]:
    """Return facts of a text that are not in another that was made from it, at most `MOST_SHOWN`.

    Numbers must be there in digits, names in some spelling, and each day or week that begins a line
    must be mentioned. Names are capitalised words within sentences, so languages that capitalise
    nouns lose more than they should: what is not certain counts as lost.

    Args:
        text: Markdown of a finished part.
        rewritten: The document that should contain all of it.
    """
    numbers, steps = _held(rewritten)
    lost = [number for number in _numbers(text) if digits(number) not in numbers]
    for unit in _UNITS:
        own = dict.fromkeys(n for step in own_steps(text, unit) for n in step.numbers)
        lost += [step_label(unit, "en", n) for n in own if n not in steps[unit]]
    after = tokens(rewritten)
    lost += [name for name in _names(text) if not where(name, after)]
    return tuple(lost[:MOST_SHOWN])


@lru_cache(maxsize=1)
def _held(text: str) -> tuple[frozenset[float | None], dict[StepUnit, frozenset[int]]]:
    """Return the numbers and the steps of a document, which is compared with each of its parts."""
    numbers = frozenset(digits(token.word) for token in tokens(text) if token.word[0].isdecimal())
    steps = {
        unit: frozenset(n for step in steps_in(text, unit) for n in step.numbers) for unit in _UNITS
    }
    return numbers, steps


def _numbers(text: str) -> list[str]:
    """Return the numbers of a text that are no numbers of a list."""
    words = tokens(text)
    found = []
    for index, token in enumerate(words):
        if not token.word[0].isdecimal():
            continue
        starts = index == 0 or words[index - 1].word == "\n"
        marks = index + 1 < len(words) and words[index + 1].word in (".", ")")
        if not (starts and marks):
            found.append(token.word)
    return list(dict.fromkeys(found))


def _names(text: str) -> list[str]:
    words = tokens(text)
    found = []
    for before, token in itertools.pairwise(words):
        named = token.raw[0].isupper() and len(token.raw) >= SHORTEST_NAME
        if named and before.raw[0] not in _OPENERS:
            found.append(token.raw)
    return list(dict.fromkeys(found))
