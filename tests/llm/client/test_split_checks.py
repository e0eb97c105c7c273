"""Checks of splits without a model: what they catch, and that they stay silent otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.brief.skeleton import fit
from swarm.llm.client import split_checks
from swarm.llm.lenses import LENSES, lens_named, lenses_for

GOAL = "Plan a two week trip to Japan"


def parts(*pairs: tuple[str, str]) -> tuple[Part, ...]:
    return tuple(Part(title=title, detail=detail) for title, detail in pairs)


def texts(*pairs: tuple[str, str], goal: str = GOAL) -> str:
    return " ".join(
        f.text for f in split_checks.findings(goal=goal, title=goal, parts=parts(*pairs))
    )


any_part = st.builds(Part, title=st.text(max_size=40), detail=st.text(max_size=80))


@given(st.text(max_size=60), st.lists(any_part, max_size=6))
def test_any_split_can_be_checked(goal: str, split: list[Part]) -> None:
    """No text breaks the checks, and soundness stays within [0, 1]."""
    found = split_checks.findings(goal=goal, title=goal, parts=split)
    for aspect in ("concrete", "distinct", "complete"):
        assert 0.0 <= split_checks.soundness(found, aspect) <= 1.0


@given(st.integers(1, 60), st.integers(1, 12))
def test_day_ranges_cover_every_day_once(days: int, count: int) -> None:
    """The ranges given to a model are gapless, in order and balanced to one day."""
    ranges = split_checks.day_ranges(days, count)
    covered = [day for first, last in ranges for day in range(first, last + 1)]
    assert covered == list(range(1, days + 1))
    sizes = [last - first + 1 for first, last in ranges]
    assert max(sizes) - min(sizes) <= 1
    assert len(ranges) <= count


def test_days_beyond_the_goal_are_named() -> None:
    """The overrun seen in practice, days 36 to 42 of two weeks, is caught and said."""
    said = texts(
        ("Tokyo", "Days 1-7: towers and gardens"), ("Osaka", "Days 36 to 42: castle and food")
    )
    assert "speaks of day 42" in said
    assert "only 14" in said


def test_uncovered_and_doubly_planned_days_are_named() -> None:
    """Gaps of more than a day and ranges that overlap are found; a shared travel day is not."""
    assert "No part covers the days 12, 13, 14" in texts(
        ("Days 1-6: Tokyo", "towers and gardens"), ("Days 7-11: Kyoto", "temples and moss")
    )
    assert "plan the same days" in texts(
        ("Days 1-8: Tokyo", "towers and gardens"), ("Days 6-14: Kyoto", "temples and moss")
    )
    assert (
        texts(("Days 1-7: Tokyo", "towers and gardens"), ("Days 7-14: Kyoto", "temples, moss"))
        == ""
    )


def test_near_duplicates_are_named_and_longer_titles_are_not() -> None:
    """Reordered or padded repeats are found; sharing one word with another title is allowed."""
    assert "seem to be the same" in texts(
        ("Book hotels", "find rooms in Tokyo and Kyoto"),
        ("Hotels book", "rooms, Kyoto and Tokyo find"),
    )
    assert "same" not in texts(
        ("Food", "dishes and markets to try"), ("Food at home", "cooking before we leave")
    )


def test_repeats_of_the_goal_and_vague_titles_are_named() -> None:
    """A part that is its parent over again, and titles that say nothing, lower concreteness."""
    said = texts((GOAL, "plan everything that is needed"), ("Part 2", ""), ("", "something to do"))
    assert "only repeats what is being split" in said
    assert "“Part 2” does not say what it is about" in said
    assert "Part 3 has no title" in said


@pytest.mark.parametrize("slug", sorted(LENSES))
def test_the_worked_examples_are_good_splits(slug: str) -> None:
    """What models are shown passes every check that their answers have to pass."""
    lens = LENSES[slug]
    parts = fit(read_brief(lens.goal), lens.parts, dated=lens.ordered)
    found = split_checks.findings(goal=lens.goal, title=lens.goal, parts=parts)
    # Only the split by activity may leave the days open.
    assert [f.weight for f in found] == ([split_checks.UNDATED] if slug == "activity" else [])


@pytest.mark.parametrize(
    ("goal", "first"),
    [
        (GOAL, "place"),
        ("Ten days in Morocco by train", "place"),
        ("Organizar un viaje a Perú", "place"),
        ("जापान की दो हफ़्ते की यात्रा", "place"),
        ("Build a shed", "phase"),
        ("Write a thesis on tourism policy", "phase"),
        ("Plan a holiday party at the office", "phase"),
        ("visit Japan for two weeks", "place"),
    ],
)
def test_lenses_fit_the_goal(goal: str, first: str) -> None:
    """Journeys are split by place first, others by phase; dated plans in order of time only."""
    brief = read_brief(goal)
    found = lenses_for(goal, brief)
    assert found[0] == first
    dated = brief.first("duration") is not None
    assert len(set(found)) == (2 if dated else 3)
    assert not dated or all(LENSES[slug].ordered for slug in found)


def test_an_unknown_lens_still_works() -> None:
    """A slug from a newer peer reads as a general lens instead of failing."""
    assert lens_named("by-colour").slug == "phase"


def test_parts_that_differ_in_their_titles_only_are_named() -> None:
    """A small model copies one detail to several parts; code sees it."""
    same = "Help with planting, watering and harvesting."
    assert "“Schools” and “Shops” seem to be the same" in texts(
        ("Schools", same), ("Shops", same), goal="Organise a community garden"
    )


def test_meals_on_other_days_are_not_the_same() -> None:
    """Code gives the parts of a meal plan the same title; the days tell them apart."""
    title = "Breakfast, Lunch, Dinner"
    parts = [
        Part(title=f"Days {first}-{first + 2}: {title}", detail="", first=first, last=first + 2)
        for first in (1, 4, 7)
    ]
    assert not split_checks.findings(goal="Plan our meals for nine days", title="x", parts=parts)
