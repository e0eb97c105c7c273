"""Demands that a model quotes from a goal: what code did not read in it.

Code reads the hard facts and most wishes. A larger model sees the rest ("she gets carsick easily"),
and its decomposer adds that to the brief, but only in the goal's own words: nobody can add a demand
that the goal does not have (`swarm.brief.gate`).
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.words import tokens
from swarm.core.brief import MAX_DEMAND_TEXT, MAX_DEMANDS, Brief, Demand

MOST_QUOTES = 8
"""Demands that one split may add: a model that repeats the whole goal adds nothing."""

LEAST_WORDS = 2
"""A single word is no demand."""

MOST_WORDS = 40
"""A longer quote is not one demand."""

KNOWN_SHARE = 0.6
"""Share of a quote's words in one known demand from which it is that demand again."""


def plain(text: str) -> str:
    """Return the words of a text, folded, with single blanks and without punctuation."""
    return " ".join(token.word for token in tokens(text) if token.word[:1].isalnum())


def is_quoted(goal: str, text: str) -> bool:
    """Return whether a text is in the goal, word for word; case and punctuation do not matter."""
    words = plain(text)
    return bool(words) and f" {words} " in f" {plain(goal)} "


def with_quotes(goal: str, brief: Brief, quotes: Sequence[str]) -> Brief:
    """Return the brief with those quotes as further demands that are in the goal and new.

    Args:
        goal: The text of the goal.
        brief: What code reads in it.
        quotes: What a model says that the goal demands, too.
    """
    added: list[Demand] = []
    room = min(MOST_QUOTES, MAX_DEMANDS - len(brief.demands))
    known = [set(plain(demand.text).split()) for demand in brief.demands]
    for quote in quotes:
        text = " ".join(quote.split()).strip(" .,;:!-–—*\"'“”")
        words = set(plain(text).split())
        if len(added) >= room or not LEAST_WORDS <= len(words) <= MOST_WORDS:
            continue
        if len(text) > MAX_DEMAND_TEXT or not is_quoted(goal, text):
            continue
        if any(len(words & other) >= KNOWN_SHARE * len(words) for other in known):
            continue
        known.append(words)
        added.append(Demand(kind="must", text=text, name=text[:200]))
    return brief.model_copy(update={"demands": [*brief.demands, *added]}) if added else brief
