"""The labelled goals: readers of demands stay as good as they are, in every language."""

from __future__ import annotations

import pytest

from tests.brief.labelled import goals, outcome

LEAST_RECALL = {"en": 0.93, "ms": 0.97, "hi": 0.97, "ur": 0.97, "bn": 0.97}
"""Share of the demands found, by language; the few goals of others together: 0.9."""

LEAST_PRECISION = 0.93


@pytest.mark.parametrize("language", [*LEAST_RECALL, "others"])
def test_demands_are_read(language: str) -> None:
    """Nearly all demands of the labelled goals are found, and hardly any that are none."""
    some = [
        outcome(goal)
        for goal in goals()
        if goal.language == language or (language == "others" and goal.language not in LEAST_RECALL)
    ]
    found = sum(len(one.found) for one in some)
    missed = [line for one in some for line in one.missed]
    wrong = [line for one in some for line in one.wrong]
    assert found / (found + len(missed)) >= LEAST_RECALL.get(language, 0.9), missed
    assert found / (found + len(wrong)) >= LEAST_PRECISION, wrong


def test_the_language_of_a_goal_is_told() -> None:
    """At most two of the labelled goals are taken for another language."""
    wrong = [one for one in map(outcome, goals()) if one.language != one.goal.language]
    assert len(wrong) <= 2
