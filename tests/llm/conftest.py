"""A scripted model server, and settings with short limits, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swarm.brief.part import Part
from swarm.llm.requests import AssembleRequest, DoRequest, RateRequest, SplitRequest
from swarm.llm.settings import ModelSettings
from swarm.testing.scripted_server import ScriptedServer, serving_in_thread

GOAL = "Plan a two week trip to Japan"
PARTS = (
    Part(title="Tokyo", detail="Days 1-7: towers, gardens and markets."),
    Part(title="Kyoto", detail="Days 8-14: temples, moss and a tea house."),
)
SPLIT = SplitRequest(
    goal=GOAL,
    title=GOAL,
    detail="",
    path=(),
    language="",
    lens="place",
    max_parts=5,
    may_nest=False,
)
RATE = RateRequest(goal=GOAL, title=GOAL, detail="", language="", parts=PARTS, atomic=False)
DO = DoRequest(goal=GOAL, title="Tokyo", detail="towers, gardens", language="", inputs=())
ASSEMBLE = AssembleRequest(
    goal=GOAL,
    title=GOAL,
    detail="",
    language="",
    parts=(("Tokyo", "- towers"), ("Kyoto", "- temples")),
    missing=(("Budget", "no executor was left"),),
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted Ollama on loopback."""
    with serving_in_thread() as running:
        yield running


@pytest.fixture
def settings() -> ModelSettings:
    """Limits short enough for tests."""
    return ModelSettings(time_limit_seconds=10, rate_limit_seconds=10)
