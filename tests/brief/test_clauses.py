"""Wishes with their whole clauses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.read import read_brief


@pytest.mark.parametrize(
    ("sentence", "kind", "text"),
    [
        (
            "An electrician has to check the wiring.",
            "must",
            "An electrician has to check the wiring",
        ),
        (
            "Data protection has to be settled by a lawyer.",
            "must",
            "Data protection has to be settled by a lawyer",
        ),
        ("We do not want to rent a car.", "must_not", "We do not want to rent a car"),
        (
            "Put in a rest day without sightseeing.",
            "must",
            "Put in a rest day without sightseeing",
        ),
        ("Do not forget the keys.", "must", "Do not forget the keys"),
        ("Jiran tetangga perlu diberitahu.", "must", "Jiran tetangga perlu diberitahu"),
        ("One of us is allergic to nuts.", "must_not", "One of us is allergic to nuts"),
    ],
)
def test_a_wish_is_understood_alone(sentence: str, kind: str, text: str) -> None:
    """A wish has its subject and its object, and is a ban only if it forbids something."""
    brief = read_brief(f"Plan the renovation of our kitchen in 5 weeks. {sentence}")
    assert [(one.kind, one.text) for one in brief.of("must", "must_not")] == [(kind, text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "We must see Rome and Venice.",
        "Setiap minggu mesti ada langkahnya.",
        "Give each week its own steps.",
    ],
)
def test_places_and_form_are_no_wishes(sentence: str) -> None:
    """What a place demands already, and what only asks for steps, is not listed again."""
    assert not read_brief(f"Plan 5 weeks in Italy. {sentence}").of("must", "must_not")


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("Plan a trip to Peru with our six-year-old daughter", "six-year-old daughter"),
        ("9 days in Turkey, two adults and a child of six", "child of six"),
        ("हम अपने छह साल के बच्चे के साथ भारत घूमने जाना चाहते हैं", "छह साल के बच्चे"),
    ],
)
def test_a_child_who_comes_along_is_a_wish(goal: str, text: str) -> None:
    """A child of a named age is in the brief, whatever the order of the words."""
    assert any(text in one.text for one in read_brief(goal).of("must"))


@given(
    st.lists(
        st.sampled_from(
            ("we", "must", "not", "without", "a", "car", "Put", "in", "forget", "perlu", ".", ",")
        ),
        max_size=25,
    )
)
def test_texts_are_the_goals_own_words(words: list[str]) -> None:
    """Whatever is written, a wish's text stands in the goal."""
    goal = " ".join(words)
    assert all(one.text in goal for one in read_brief(goal).of("must", "must_not"))


def test_a_team_besides_the_guests_is_counted() -> None:
    """Those who help are another number than those who come."""
    goal = "Plan a school fair for 120 children with three prizes and a team of eight"
    brief = read_brief(goal)
    assert [one.value for one in brief.of("people")] == [120]
    assert {(one.value, one.name) for one in brief.of("count")} == {(8, "team"), (3, "prizes")}


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("List the costs with a total.", "List the costs with a total"),
        ("Senaraikan kos dengan jumlah keseluruhan.", "Senaraikan kos dengan jumlah keseluruhan"),
        ("Tell me how much it costs in all, and what to bring.", "how much it costs in all"),
        ("Show the costs in a table with a budget of 300 EUR.", "Show the costs in a table"),
        ("Include all costs.", "Include all costs"),
    ],
)
def test_the_wish_for_costs_is_a_whole_clause(sentence: str, text: str) -> None:
    """It ends at no "with", goes on to the end of its clause, and takes no other demand's words."""
    brief = read_brief(f"Make a 4-week training plan for swimming. {sentence}")
    assert [one.text for one in brief.of("costs")] == [text]
