"""Viewpoints of scorers: what each of them asks its model about a split.

Scorers with one model that ask the same questions are one opinion, counted several times. So the
scorers that are present share the questions among them, and where there are more scorers than
questions, a question is put again with other choices. A single scorer asks everything.

The questions are those with which the embedded model orders pairs of splits best, measured by
`benchmarks.raters`. It cannot tell whether parts overlap: code alone rates that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Question = Literal["belongs", "concrete", "complete"]

QUESTIONS: tuple[Question, ...] = ("belongs", "complete", "concrete")
"""Every question, the one that tells most first: `belongs` shows the parts and several goals, and
asks for which of these they were made; the others are answered by yes or no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """What one scorer asks.

    Attributes:
        questions: At least one.
        turn: How many scorers before it ask the same; it chooses what a split is compared with.
    """

    questions: tuple[Question, ...] = QUESTIONS
    turn: int = 0


EVERYTHING = Viewpoint()
"""That of a scorer that is alone."""


def viewpoint_of(rank: int, scorers: int) -> Viewpoint:
    """Return what one of several scorers asks; together they ask everything.

    Args:
        rank: Its place among them, from 0.
        scorers: How many there are, at least 1.
    """
    if scorers >= len(QUESTIONS):
        turn, at = divmod(rank, len(QUESTIONS))
        return Viewpoint(questions=(QUESTIONS[at],), turn=turn)
    return Viewpoint(questions=QUESTIONS[rank::scorers])
