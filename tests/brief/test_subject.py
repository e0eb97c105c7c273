"""What a goal is about, without its demands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.read import read_brief
from swarm.brief.subject import MAX_SUBJECT, subject_of


@pytest.mark.parametrize(
    ("goal", "subject"),
    [
        (
            "Plan a school fair for 120 children with three prizes and a budget of 900 euro",
            "Plan a school fair",
        ),
        (
            "Make a 4-week training plan for swimming 2 km in a lake. No supplements.",
            "Make a training plan for swimming 2 km in a lake",
        ),
        ("say hi", "say hi"),
        ("", ""),
    ],
)
def test_a_subject_has_no_demands(goal: str, subject: str) -> None:
    """Counts, people, money and durations are left out, and what led to them."""
    assert subject_of(goal, read_brief(goal)) == subject


@given(st.text(max_size=300))
def test_any_text_has_a_subject(goal: str) -> None:
    """No goal breaks it, and its words are the goal's own."""
    subject = subject_of(goal, read_brief(goal))
    assert len(subject) <= MAX_SUBJECT
    assert set(subject.split()) <= set(" ".join(goal.split()).split()) | {
        word.rstrip(",;.") for word in subject.split()
    }
