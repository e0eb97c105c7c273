"""The kind of plan that a goal asks for."""

from __future__ import annotations

import pytest

from swarm.brief.goal_kind import goal_kind
from swarm.brief.passage import Passage


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("Plan two weeks in Japan", "trip"),
        ("Ten days in Morocco by train", "trip"),
        ("Make a 5-week training plan for a 100 km bicycle tour", "learning"),
        ("I have 8 weeks until the theory test. Make me a study plan.", "learning"),
        ("Learn the guitar in 3 months", "learning"),
        ("Buatkan jadual latihan untuk larian 10 km", "learning"),
        ("Plan a training session for staff", "work"),
        ("Plan a marathon party", "work"),
        ("Plan our meals for nine days", "meals"),
        ("A weekly menu for two vegans", "meals"),
        ("Plan a school fair", "work"),
        ("Plan our household's move from Kyoto to Hiroshima. The cat has to travel.", "work"),
        ("Move house from Delhi to Agra in 2 weeks", "work"),
        ("", "work"),
    ],
)
def test_the_kind_decides_how_a_goal_is_split(goal: str, kind: str) -> None:
    """Journeys, learning and meals are told from each other and from all other work."""
    assert goal_kind(Passage.of(goal)) == kind
