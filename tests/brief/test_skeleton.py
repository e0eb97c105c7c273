"""The skeleton of a split covers all days once, divides the money and leaves no demand out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.brief.skeleton import count_for, fit, frame, left_out, route_of, without_label
from swarm.core.brief import Brief, Demand

JAPAN = read_brief(
    "Plan a two week trip to Japan, starting in Tokyo and ending in Osaka, budget 6,000 euro, "
    "with a child of six, vegetarian food only"
)
_NAMES = st.text("abcdeé ", min_size=1, max_size=20)
_PARTS = st.lists(
    st.builds(Part, title=_NAMES, detail=_NAMES, first=st.none() | st.integers(1, 9)),
    min_size=2,
    max_size=7,
)
_DEMANDS = st.lists(
    st.one_of(
        st.builds(
            Demand,
            kind=st.just("duration"),
            text=st.just("so long"),
            value=st.integers(1, 60),
            unit=st.sampled_from(["day", "week", "hour"]),
        ),
        st.builds(
            Demand,
            kind=st.sampled_from(["start_place", "end_place", "place", "must", "must_not"]),
            text=_NAMES,
            name=_NAMES,
        ),
        st.builds(
            Demand,
            kind=st.just("budget"),
            text=st.just("so much"),
            value=st.integers(0, 9_999),
            unit=st.just("EUR"),
        ),
    ),
    max_size=6,
)
_BRIEFS = st.builds(Brief, demands=_DEMANDS, language=st.sampled_from(["en", "hi", "ms", ""]))


@given(_BRIEFS, _PARTS)
def test_no_demand_is_left_out(brief: Brief, parts: list[Part]) -> None:
    """Whatever a model proposes, every demand has a part that is to keep it."""
    assert left_out(brief, fit(brief, parts)) == []


@given(_BRIEFS, _PARTS, st.booleans())
def test_fitting_again_changes_nothing(brief: Brief, parts: list[Part], by_place: bool) -> None:
    """The decomposer and its brain both fit, and the result is the same."""
    once = fit(brief, parts, by_place=by_place)
    assert fit(brief, once, by_place=by_place) == once


@given(st.integers(2, 60), _PARTS)
def test_all_days_are_covered_once_and_in_order(days: int, parts: list[Part]) -> None:
    """Parts that a model numbered badly, or not at all, get runs of days by code."""
    demand = Demand(kind="duration", text="so long", value=days, unit="day")
    found = fit(Brief(demands=[demand]), parts)
    runs = [(part.first or 0, part.last or 0) for part in found]
    covered = [day for first, last in runs for day in range(first, last + 1)]
    assert covered == list(range(1, days + 1))


@given(st.integers(0, 10**9), _PARTS)
def test_shares_add_up_to_the_budget(amount: int, parts: list[Part]) -> None:
    """No euro is lost or invented."""
    demand = Demand(kind="budget", text="so much", value=amount, unit="EUR")
    assert sum(part.share or 0 for part in fit(Brief(demands=[demand]), parts)) == amount


def test_a_route_ends_where_the_goal_says() -> None:
    """A split that ends elsewhere is put in order, or gets a last leg."""
    towns = [Part(title=name, detail="") for name in ("Osaka", "Kyoto", "Nara", "Tokyo")]
    found = fit(JAPAN, towns, by_place=True)
    assert [without_label(part.title) for part in found] == ["Tokyo", "Kyoto", "Nara", "Osaka"]
    assert found[-1].place == "Osaka"
    lost = fit(JAPAN, [Part(title=name, detail="") for name in ("Kyoto", "Nara")], by_place=True)
    assert without_label(lost[0].title) == "Tokyo → Kyoto"
    assert without_label(lost[-1].title) == "Nara → Osaka"


def test_the_aim_of_a_journey_is_no_stop() -> None:
    """A trip to Japan from Tokyo to Osaka does not stop in Japan; one by way of Granada does."""
    assert [stop.name for stop in route_of(JAPAN)] == ["Tokyo", "Osaka"]
    spain = read_brief("Ten days from Madrid, by way of Granada and Seville, ending in Lisbon")
    assert [stop.name for stop in route_of(spain)] == ["Madrid", "Granada", "Seville", "Lisbon"]


@pytest.mark.parametrize(
    ("goal", "count"),
    [
        ("Plan a two week trip to Japan", 5),
        ("Plan a weekend in Rome", 2),
        ("2 days in Rome, 3 in Florence and 4 in Venice", 3),
        ("Plan a 12-week marathon training", 6),
        ("say hi", 3),
    ],
)
def test_the_number_of_parts_follows_the_goal(goal: str, count: int) -> None:
    """By its places, else its days, else its demands."""
    assert count_for(read_brief(goal), 7) == count


def test_named_stays_have_their_own_days() -> None:
    """Each part has the days that the goal gives its place."""
    brief = read_brief("2 days in Rome, 3 in Florence and 4 in Venice")
    found = [(part.title, part.first, part.last) for part in frame(brief, 3)]
    assert found == [("Rome", 1, 2), ("Florence", 3, 5), ("Venice", 6, 9)]


def test_a_nested_split_divides_its_part_alone() -> None:
    """Its days, its share and its demands, not the whole goal's."""
    whole = replace(fit(JAPAN, [Part(title=t, detail="") for t in ("Tokyo", "Osaka")])[0])
    found = fit(JAPAN, [Part(title="East", detail=""), Part(title="West", detail="")], whole=whole)
    assert found[0].first == whole.first
    assert found[-1].last == whole.last
    assert sum(part.share or 0 for part in found) == whole.share
    assert {index for part in found for index in part.keeps} == {*whole.keeps}
