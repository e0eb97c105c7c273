"""A small model revises only what reviewers criticised."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TypeVar

import pytest

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.core.brief import Cost
from swarm.llm.client.part_revision import revise_small
from swarm.llm.client.prompt import Prompt
from swarm.llm.requests import DoRequest

T = TypeVar("T")

GOAL = "Plan 6 days in Malaysia, with two museum visits and a visit to the zoo."
BRIEF = read_brief(GOAL)
MUSEUMS = next(at for at, one in enumerate(BRIEF.demands) if "museum" in one.text)
EARLIER = """- **Day 1:** Ipoh. Morning: Concubine Lane. Afternoon: Kinta river.
- **Day 2:** Ipoh. Morning: Sam Poh cave. Afternoon: Old station.
- **Two museum visits:** We like art."""
REQUEST = DoRequest(
    goal=GOAL, title="Ipoh", detail="", language="en", inputs=(), brief=BRIEF,
    part=Part(title="Ipoh", detail="", first=1, last=2, place="Ipoh", keeps=(MUSEUMS,)),
    earlier=EARLIER, critiques=("It names no museum.",), unkept=(MUSEUMS,),
)  # fmt: skip
LINE = "Two museum visits: the Perak Museum on Day 1 and the Tin Museum on Day 2."


class Model:
    """Answers every question about a line, and counts what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, prompt: Prompt, read: object, on_text: object = None) -> object:
        assert prompt.schema is not None
        assert callable(read)
        (key, *_) = prompt.schema["properties"]
        self.asked.append(key)
        day = {"morning": "A long walk in the town", "afternoon": "A boat on the river"}
        answers = {"sentence": LINE, "days": [day, day]}
        return read(json.dumps({key: answers[key]}), False)


@pytest.mark.trio
async def test_what_was_good_stays_word_for_word() -> None:
    """The days stay, the criticised line is replaced, and nothing else is asked for."""
    model = Model()
    text, _ = await revise_small(REQUEST, model, None)  # type: ignore[arg-type]
    for row in EARLIER.split("\n")[:2]:
        assert row in text
    assert text.count("museum visits:**") == 1
    assert "Perak Museum" in text
    assert "We like art" not in text
    assert model.asked == ["sentence"]


@pytest.mark.trio
async def test_costs_stay_as_they_were() -> None:
    """A line about museums changes no price: nothing is asked for, and no cost is lost."""
    model = Model()
    brief = read_brief(f"{GOAL} Budget 900 euro.")
    museums = next(at for at, one in enumerate(brief.demands) if "museum" in one.text)
    part = Part(title="Ipoh", detail="", first=1, last=2, keeps=(museums,), share=400)
    costs = (Cost(what="Hotel", amount=300),)
    request = replace(REQUEST, brief=brief, part=part, unkept=(museums,), earlier_costs=costs)
    _, kept = await revise_small(request, model, None)  # type: ignore[arg-type]
    assert kept == costs
    assert model.asked == ["sentence"]


@pytest.mark.trio
async def test_a_critique_of_the_whole_makes_it_anew() -> None:
    """Where no demand is named, there is no single line to replace."""
    model = Model()
    text, _ = await revise_small(replace(REQUEST, unkept=()), model, None)  # type: ignore[arg-type]
    assert "days" in model.asked
    assert "Concubine Lane" not in text
