"""What is left of a plan without the words that it quotes."""

from __future__ import annotations

from benchmarks.quality.goals import generate
from benchmarks.quality.quotations import without_quotations

GOAL = generate(1007, "en")  # "Get two offers before anything is ordered. There are 3 windows ..."


def test_labels_and_sentences_of_the_goal_are_left_out() -> None:
    """A bold label and a run of four words that the goal has go; other words stay."""
    text = (
        "- **3 windows:** Sand them on Monday.\n"
        "- Get two offers before anything is ordered, from Kim and Lee.\n"
        "- **Day 3:** Paint the windows."
    )
    left = without_quotations(text, GOAL)
    assert "3 windows" not in left
    assert "offers" not in left
    assert "Day 3" in left
    assert "from Kim and Lee" in left


def test_a_plan_without_quotations_is_left_alone() -> None:
    """Nothing else changes."""
    text = "# Plan\n\n- **Week 1:** Paint two windows, then the third.\n"
    assert without_quotations(text, GOAL) == text
