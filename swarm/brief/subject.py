"""What a goal is about, without what it demands: "Plan a school fair".

A small model that sees "with three prizes and a budget of 900 euro" writes of prizes and money in
every part. So it is asked about the subject alone, and about each demand once, by code.
"""

from __future__ import annotations

import re

from swarm.brief.passage import Passage
from swarm.brief.words import folded
from swarm.core.brief import Brief, Demand

MAX_SUBJECT = 200
"""Longest subject, in characters."""

LEAST_WORDS = 3
"""Words that a subject has at least; shorter ones are replaced by the whole first sentence."""

_ABOUT = frozenset(("place", "start_place", "end_place"))
"""Kinds of demands that belong to the subject: a trip is about its country."""

_VERBS_LAST = frozenset(("hi", "ur", "bn"))
"""Languages in which the duration stands before the verb: without it the sentence falls apart."""

_ARTICLES = folded("a an the")

_MARKS = frozenset(",;:–—-(")

_LOOSE = (
    folded(
        "a an the and or with for in of on at by to from under within including must our ending "
        "starting dan atau dengan untuk di ke dari dalam pada selama seramai und mit für im et "
        "avec pour y con para"
    )
    | _MARKS
)
"""Words and marks that lead to what is left out."""


def subject_of(goal: str, brief: Brief) -> str:
    """Return the goal's first sentence without its demands; the sentence itself if none is left.

    Args:
        goal: The text of the goal.
        brief: What it demands.
    """
    passage = Passage.of(goal, brief.language or "en")
    if not passage.sentences:
        return goal[:MAX_SUBJECT]
    first, last = passage.sentences[0]
    gone: set[int] = set()
    for demand in brief.demands:
        if demand.kind in _ABOUT or (demand.kind == "duration" and passage.language in _VERBS_LAST):
            continue
        if (span := _span(passage, demand, first, last)) is None:
            continue
        begin, end = span
        while begin > first and passage.word(begin - 1) in _LOOSE - _ARTICLES:
            begin -= 1
        gone.update(range(begin, end))
    kept = [at for at in range(first, last) if at not in gone]
    while kept and passage.word(kept[-1]) in _LOOSE:
        kept.pop()
    while kept and passage.word(kept[0]) in _MARKS:
        kept.pop(0)
    text = " ".join(passage.raw(begin, end) for begin, end in _runs(kept))
    text = re.sub(r"\s+(?=[,;.])", "", text)
    if len(text.split()) < LEAST_WORDS - 1:
        text = passage.raw(first, last)
    return text[:MAX_SUBJECT]


def _runs(indexes: list[int]) -> list[tuple[int, int]]:
    """Return the (first, after last) of each run of neighbouring indexes."""
    runs: list[tuple[int, int]] = []
    for at in indexes:
        if runs and runs[-1][1] == at:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


def _span(passage: Passage, demand: Demand, first: int, last: int) -> tuple[int, int] | None:
    """Return the words from `first` to before `last` that hold a demand; None: they do not."""
    if demand.kind in _ABOUT:
        return None
    wanted = " ".join(demand.text.split()).casefold()
    for begin in range(first, last):
        for end in range(begin + 1, last + 1):
            said = passage.raw(begin, end).casefold()
            if said == wanted:
                return begin, end
            if len(said) > len(wanted):
                break
    return None
