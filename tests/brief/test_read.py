"""Briefs read from goals: never a failure, always within the limits of the record."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swarm.brief.read import read_brief
from swarm.core.brief import DEMAND_KINDS, MAX_DEMANDS, MAX_SUMMARY, Brief

PIECES = (
    *("budget", "from", "to", "ending in", "2 days in Rome,", "3 in", "no", "must", "5", "March"),
    *("2027", "€", "6,000", "RM", "a", "week", "-", "ke-", "दिन", "से", "तक", "لاہور", "سے", "تک"),
    *("ঢাকা", "থেকে", "না", "हजार", "lakh", "\n", ".", ",", "(", "31.02.2027", "team of", "two"),
    *("with a child of", "by way of", "and", "or", "without", "Rs", "/-", "the", "weekend"),
)


@given(st.text(max_size=300), st.sampled_from(["", "en", "hi", "ur", "bn", "ms", "x-y"]))
@example("9" * 5_000, "")
@example("1" + "0" * 13 + " euro budget", "")
def test_any_text_has_a_brief(goal: str, language: str) -> None:
    """No text breaks the reader, and what it returns can be put in a record."""
    brief = read_brief(goal, language, today="2027-02-28")
    assert Brief.model_validate_json(brief.model_dump_json()) == brief


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_mix_of_demanding_words_has_a_brief(pieces: list[str]) -> None:
    """The words that readers look for, in any order, break none of them."""
    brief = read_brief(" ".join(pieces), today="2027-02-28")
    assert len(brief.demands) <= MAX_DEMANDS
    assert {demand.kind for demand in brief.demands} <= DEMAND_KINDS


def test_a_long_goal_keeps_its_demands() -> None:
    """What stands at the end of ten thousand characters is demanded and in the summary too."""
    story = "We have talked about this for a long time and everybody has a view. " * 60
    goal = f"Plan a nine day trip to Portugal. {story} The budget is 4,000 euro. {story} No meat."
    brief = read_brief(goal)
    assert [(demand.kind, demand.value) for demand in brief.of("duration", "budget")] == [
        ("duration", 9),
        ("budget", 4_000),
    ]
    assert [demand.name for demand in brief.of("must_not")] == ["meat"]
    assert len(brief.summary) <= MAX_SUMMARY
    for words in ("nine day trip to Portugal", "4,000 euro", "No meat"):
        assert words in brief.summary


def test_a_short_goal_needs_no_summary() -> None:
    """A goal that fits every prompt is its own summary."""
    assert read_brief("Plan a two week trip to Japan").summary == ""


@pytest.mark.parametrize(("language", "expected"), [("", "en"), ("ur", "ur")])
def test_the_language_is_the_goals_unless_another_is_asked(language: str, expected: str) -> None:
    """A brief names the language to answer in."""
    assert read_brief("Plan a two week trip to Japan", language).language == expected


@pytest.mark.parametrize(
    "said",
    [
        "List the costs with a total",
        "List all costs and add them up",
        "Show the costs with a sum at the end",
    ],
)
def test_the_wish_for_costs_is_a_whole_clause(said: str) -> None:
    """The report quotes it: "List the costs with" would be half a sentence."""
    wishes = read_brief(f"Plan a garden party. {said}. Invite the neighbours.").of("costs")
    assert [wish.text for wish in wishes] == [said]


def test_the_wish_for_costs_ends_where_another_begins() -> None:
    """What follows "and" may be the sum, or something else."""
    wishes = read_brief("Plan a party. List the costs and include a magician.").of("costs")
    assert [wish.text for wish in wishes] == ["List the costs"]
