"""A plan without the words that it quotes from the goal: what is left was worked out.

A plan that puts "Put in two museum visits" on a day has the museum visits for the checks, whatever
follows. So the table says twice what an arm keeps: as it is, and with all quotations left out.
"""

from __future__ import annotations

import re

from benchmarks.quality.goals import Goal
from benchmarks.quality.matching import normal

LEAST_WORDS = 4
"""So many words of the goal in a row are a quotation; fewer are the words of the subject."""

_LABEL = re.compile(r"\*\*([^*\n]+?):?\*\*:?")
_WORD = re.compile(r"[^\s.,;:!?()\"“”|*।۔-]+")


def without_quotations(text: str, goal: Goal) -> str:
    """Return a plan without bold labels, and without longer runs of words, that are the goal's.

    Args:
        text: The plan, by whichever arm.
        goal: What it is for.
    """
    asked = _words(goal.text)
    said = f" {' '.join(asked)} "
    runs = {tuple(asked[at : at + LEAST_WORDS]) for at in range(len(asked) - LEAST_WORDS + 1)}

    def label(match: re.Match[str]) -> str:
        words = _words(match.group(1))
        quoted = len(words) > 1 and f" {' '.join(words)} " in said
        return "" if quoted else match.group()

    return "\n".join(_without_runs(_LABEL.sub(label, line), runs) for line in text.split("\n"))


def _without_runs(line: str, runs: set[tuple[str, ...]]) -> str:
    found = list(_WORD.finditer(line))
    words = [normal(match.group()) for match in found]
    gone: set[int] = set()
    for at in range(len(words) - LEAST_WORDS + 1):
        if tuple(words[at : at + LEAST_WORDS]) in runs:
            gone.update(range(at, at + LEAST_WORDS))
    kept = line
    for at in sorted(gone, reverse=True):
        kept = kept[: found[at].start()] + kept[found[at].end() :]
    return kept


def _words(text: str) -> list[str]:
    return [normal(word) for word in _WORD.findall(text)]
