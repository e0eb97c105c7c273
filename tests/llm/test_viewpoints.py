"""Which questions scorers ask: each question is asked by somebody, and no scorer copies another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from swarm.llm.viewpoints import EVERYTHING, QUESTIONS, viewpoint_of


@given(st.integers(1, 40))
def test_scorers_share_all_questions(scorers: int) -> None:
    """However many scorers there are, together they ask everything."""
    views = [viewpoint_of(rank, scorers) for rank in range(scorers)]
    assert {question for view in views for question in view.questions} == {*QUESTIONS}
    assert all(view.questions for view in views)


@given(st.integers(1, 40))
def test_no_two_scorers_ask_the_same_thing(scorers: int) -> None:
    """Two scorers that ask one question differ in the turn, so that they are two opinions."""
    asked = [
        (question, view.turn)
        for rank in range(scorers)
        for view in [viewpoint_of(rank, scorers)]
        for question in view.questions
    ]
    assert len(asked) == len({*asked})


def test_a_single_scorer_asks_everything() -> None:
    """Nobody else would ask what it leaves out."""
    assert viewpoint_of(0, 1) == EVERYTHING
