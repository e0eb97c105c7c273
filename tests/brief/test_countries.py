"""Which places are countries, in the languages of goals."""

from __future__ import annotations

import pytest

from swarm.brief.countries import is_country
from swarm.brief.read import read_brief
from swarm.brief.skeleton import route_of


@pytest.mark.parametrize(
    "name",
    ["Japan", "Jepun", "भारत", "بھارت", "ملائیشیا", "জাপান", "Turkey", "Türkiye", "USA", "Europe"],
)
def test_countries_are_known_in_every_language(name: str) -> None:
    """A country is one in every language of the seeds, despite its spelling."""
    assert is_country(name)


@pytest.mark.parametrize("name", ["Tokyo", "Rome", "दिल्ली", "لاہور", "ঢাকা", "Singapore", "Malé", ""])
def test_towns_are_no_countries(name: str) -> None:
    """A trip can stop in a town, and in a country that is one."""
    assert not is_country(name)


@pytest.mark.parametrize(
    ("goal", "stops"),
    [
        ("Plan 10 days in Japan, visiting Tokyo, Kyoto and Osaka", ["Tokyo", "Kyoto", "Osaka"]),
        ("Plan two weeks in Italy. We must see Rome and Venice.", ["Rome", "Venice"]),
        ("Plan two weeks in Japan", []),
    ],
)
def test_a_country_is_no_stop_of_its_own_journey(goal: str, stops: list[str]) -> None:
    """The parts of a plan are the towns that the goal names."""
    assert [stop.name for stop in route_of(read_brief(goal))] == stops
