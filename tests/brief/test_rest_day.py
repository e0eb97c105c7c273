"""The day of rest that a goal asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.brief.rest_day import is_rest_day, rest_day_of
from swarm.core.brief import Demand


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        ("Put in a rest day without sightseeing", True),
        ("Keep one day free for resting", True),
        ("Sediakan satu hari rehat tanpa lawatan", True),
        ("Friday is always my rest day", False),
        ("Put in two rest days", False),
        ("Free entry on one museum", False),
        ("Visit the zoo on one day", False),
        ("Visit the free museum on the last day", False),
        ("We need a day of rest", True),
    ],
)
def test_one_day_of_rest_is_told_from_others(text: str, rests: bool) -> None:
    """Only a wish for a single day, not tied to a day of the week, is placed by code."""
    assert is_rest_day(Demand(kind="must", text=text)) == rests


@given(st.integers(2, 30), st.data())
def test_a_rest_day_is_no_travel_day(total: int, data: st.DataObject) -> None:
    """It lies in its part, and is neither a journey's nor the plan's first or last day."""
    brief = read_brief(f"Plan {total} days in Italy")
    first = data.draw(st.integers(1, total))
    last = data.draw(st.integers(first, total))
    arrives = data.draw(st.booleans())
    part = Part(title="x", detail="", first=first, last=last)
    day = rest_day_of(brief, part, arrives=arrives)
    if day is None:
        assert last - first <= 2
    else:
        assert first + arrives <= day <= last
        assert 1 < day < total


@pytest.mark.parametrize(
    "goal",
    [
        "Plan a week in Portugal, budget 2,400 euro, with a rest day and no seafood",
        "Plan ten days in Spain with one day of rest.",
        "Plan a week in Rome with a day off in the middle.",
        "Two weeks in Japan, budget 6,000 euro, with a child of six and a rest day",
        "Plan a week in Rome, one rest day, no museums",
        "Rancang seminggu di Melaka dengan anak enam tahun dan satu hari rehat",
        "जापान में दो हफ्ते, एक आराम का दिन, बजट 3000 यूरो",
        "جاپان میں دو ہفتے، ایک دن آرام کے ساتھ",
        "জাপানে দুই সপ্তাহ, একটি বিশ্রামের দিন সহ",
    ],
)
def test_a_rest_day_in_passing_is_a_demand(goal: str) -> None:
    """Nobody has to give a rest day a sentence of its own."""
    assert [demand for demand in read_brief(goal).of("must") if is_rest_day(demand)]


def test_no_seafood_is_no_part_of_the_rest_day() -> None:
    """The wish ends where the next demand begins."""
    brief = read_brief("Plan a week in Portugal with a rest day and no seafood")
    assert [demand.name for demand in brief.of("must")] == ["rest day"]
    assert brief.of("must_not")


@pytest.mark.parametrize(
    "goal",
    [
        "Plan a week in Rome and visit the museum on a free day",
        "Plan a week in Rome with museums that sell a free day pass",
        "Plan a day off-road in Wales",
    ],
)
def test_a_free_day_of_something_else_is_no_rest(goal: str) -> None:
    """A ticket or a time at which something is free demands no rest."""
    assert not any(is_rest_day(demand) for demand in read_brief(goal).demands)
