"""A small model's task: every day once, no repeats, a line for each demand, costs as data."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.brief.skeleton import fit
from swarm.llm.client.parsing import Unusable
from swarm.llm.client.part_answers import (
    Lines,
    as_markdown,
    read_costs,
    read_lines,
    without_repeats,
)
from swarm.llm.client.part_filter import fitting, without_speaker
from swarm.llm.client.part_prompts import Form, forms_of, points_of, small_prompt
from swarm.llm.client.part_writer import write_small
from swarm.llm.client.prompt import Prompt
from swarm.llm.errors import BadAnswer
from swarm.llm.requests import DoRequest

T = TypeVar("T")

GOAL = (
    "Plan a two week trip to Japan, starting in Tokyo and ending in Osaka, budget 6,000 euro, "
    "with a child of six, vegetarian food only"
)
BRIEF = read_brief(GOAL)
PARTS = fit(
    BRIEF,
    [Part(title=name, detail="sights") for name in ("Tokyo", "Hakone", "Kyoto", "Osaka")],
    by_place=True,
)


def request_for(index: int) -> DoRequest:
    part = PARTS[index]
    return DoRequest(
        goal=GOAL, title=part.title, detail=part.detail, language="", inputs=(), brief=BRIEF,
        part=part, outline=PARTS, place_before=PARTS[index - 1].place if index else "",
    )  # fmt: skip


class Model:
    """Answers each prompt by its schema, and remembers the prompts."""

    def __init__(self, things: Callable[[int], str]) -> None:
        self.prompts: list[Prompt] = []
        self._things = things

    async def __call__(
        self, prompt: Prompt, read: Callable[[str, bool], T], on_text: object = None
    ) -> T:
        self.prompts.append(prompt)
        assert prompt.schema is not None
        return read(json.dumps(self._answer(prompt.schema["properties"])), False)

    def _answer(self, properties: dict[str, Any]) -> dict[str, Any]:
        if "sentence" in properties:
            return {"sentence": "The child of six eats vegetarian food and sleeps early every day."}
        if "costs" in properties:
            return {"costs": [{"what": "Rooms", "amount": 9_000}, {"what": "Food", "amount": 1}]}
        count = properties["days"]["minItems"]
        days = [
            {"morning": self._things(2 * n), "afternoon": self._things(2 * n + 1)}
            for n in range(count)
        ]
        return {"days": days, "spare": ["Ride the old tram", "Feed the deer", "Buy a kite"]}


SIGHTS = (
    "Zoo in the park", "Castle tower", "Fish market", "Steam train", "Puppet show", "Bamboo grove",
    "Night harbour", "Science museum",
)  # fmt: skip


@pytest.mark.trio
async def test_a_part_has_its_days_demands_and_costs() -> None:
    """Labels come from code, demands get their line, and costs fit the part's share."""
    model = Model(lambda number: SIGHTS[number % len(SIGHTS)])
    request = request_for(3)
    assert request.part is not None
    text, costs = await write_small(request, model, None)
    assert request.part.first is not None
    assert request.part.last is not None
    for day in range(request.part.first, request.part.last + 1):
        assert text.count(f"**Day {day}:**") == 1
    assert sum(item.amount for item in costs) <= (request.part.share or 0)
    assert all(item.limit for item in costs)
    asked = [prompt.messages[-1]["content"] for prompt in model.prompts]
    assert all(any(point.wanted in ask for ask in asked) for point in points_of(request))
    assert all(f"**{point.label}:**" in text for point in points_of(request))


@pytest.mark.trio
async def test_a_model_that_repeats_itself_gets_no_day_twice() -> None:
    """Spare things stand in; a day that has nothing is said to be free, not left out."""
    model = Model(lambda number: "Visit the same old museum")
    text, _ = await write_small(request_for(0), model, None)
    assert text.count("same old museum") == 1
    assert "Ride the old tram" in text
    assert request_for(0).part is not None
    for day in range(1, (PARTS[0].last or 0) + 1):
        assert f"**Day {day}:**" in text


def test_the_prompts_of_a_plan_share_their_beginning() -> None:
    """The server evaluates the goal, its demands and the outline once for all parts."""
    one, other = (
        small_prompt(request_for(index), forms_of(request_for(index))[0]) for index in (0, 1)
    )
    assert one.messages[:-1] == other.messages[:-1]
    shared = one.messages[-1]["content"].partition("Your part:")[0]
    assert len(shared) > 150
    assert other.messages[-1]["content"].startswith(shared)


@given(st.integers(1, 40), st.integers(0, 30))
def test_any_number_of_days_is_asked_for(first: int, more: int) -> None:
    """A long part is asked for in several answers, which together have all its days."""
    brief = read_brief("Plan a trip of 80 days around the world")
    part = Part(title="x", detail="", first=first, last=first + more)
    request = DoRequest(
        goal="x", title="x", detail="", language="", inputs=(), brief=brief, part=part
    )
    steps = [step for form in forms_of(request) for step in form.steps]
    assert steps == list(range(first, first + more + 1))


@given(st.text(max_size=200))
def test_any_answer_is_read_or_unusable(raw: str) -> None:
    """Whatever a model writes, reading it raises Unusable at worst."""
    for read in (lambda text: read_lines(text, Form(unit="day", steps=(1, 2))), read_costs):
        with contextlib.suppress(Unusable):
            read(raw)


def test_an_answer_that_was_cut_keeps_its_whole_days() -> None:
    """A day that is there in full is not asked for again."""
    raw = '{"days": [{"morning": "Zoo", "afternoon": "Old castle"}, {"morning": "Fish mar'
    lines = read_lines(raw, Form(unit="day", steps=(4, 5)))
    assert lines.steps == ((4, ("Zoo", "Old castle")),)


def test_days_are_written_in_the_goals_language() -> None:
    """Labels of days and half days follow the language, the things come from the model."""
    lines = Lines(steps=((2, ("चिड़ियाघर", "किला")),))
    text = as_markdown(lines, Form(unit="day", steps=(2,)), "hi")
    assert text == "- **दिन 2:** सुबह: चिड़ियाघर। दोपहर: किला।"


def test_repeats_are_found_in_other_words_too() -> None:
    """The order of words, their case and their punctuation do not make another thing."""
    lines = Lines(steps=((1, ("Visit the tower", "Fish market")), (2, ("The tower, visit",))))
    assert without_repeats(lines).steps == ((1, ("Visit the tower", "Fish market")),)


@pytest.mark.trio
async def test_a_model_without_a_usable_answer_gets_an_outline_by_code() -> None:
    """A part is never lost: code writes its days and its demands in the goal's language."""

    async def broken(*args: object, **options: object) -> object:
        raise BadAnswer("nothing usable")

    request = request_for(1)
    text, _ = await write_small(request, broken, None)  # type: ignore[arg-type]  # never returns
    assert "code made this outline" in text
    assert request.part is not None
    assert request.part.first is not None
    assert request.part.last is not None
    for day in range(request.part.first, request.part.last + 1):
        assert f"**Day {day}:**" in text
    assert all(point.label in text for point in points_of(request))


@pytest.mark.trio
async def test_lines_that_cannot_stand_in_the_plan_go_alone() -> None:
    """What the goal rules out, another script and the example's words go; the rest stays."""
    goal = "Plan a two day trip to Rome without museums, no museums"
    brief = read_brief(goal)
    request = DoRequest(
        goal=goal, title="Rome", detail="", language="en", inputs=(), brief=brief, part=None
    )
    lines = Lines(
        steps=(
            (1, ("Walk along the river", "Visit the museums of the old town")),
            (2, ("\u53c2\u89c2\u53e4\u8001\u7684\u5bab\u6bbf", "Tour of Iceland with puppets")),
        )
    )
    assert fitting(lines, request).steps == ((1, ("Walk along the river", "")),)


@pytest.mark.trio
async def test_a_second_answer_that_fails_costs_only_its_days() -> None:
    """A long part is asked for in several answers; what one of them gave is kept."""
    model = Model(lambda number: f"{SIGHTS[number % len(SIGHTS)]} {number}")
    drafts = 0

    async def once(prompt: Prompt, read: Any, on_text: object = None) -> Any:
        nonlocal drafts
        if "days" in prompt.schema["properties"]:  # type: ignore[index]  # a draft has a schema
            drafts += 1
            if drafts > 1:
                raise BadAnswer("nothing usable")
        return await model(prompt, read, None)

    goal = "Plan a trip of 20 days"
    part = Part(title="x", detail="", first=1, last=20)
    request = DoRequest(
        goal=goal, title="x", detail="", language="en", inputs=(), brief=read_brief(goal), part=part
    )
    text, _ = await write_small(request, once, None)
    assert drafts == 2
    for day in range(1, 21):
        assert text.count(f"**Day {day}:**") == 1


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I will take the train at nine.", "Take the train at nine."),
        ("We plan to eat at home.", "Eat at home."),
        ("On Day 6, I will visit the zoo.", "On Day 6, visit the zoo."),
        ("In Porto, we buy fish.", "In Porto, we buy fish."),
        ("Saya akan membeli tiket.", "Membeli tiket."),
        ("Illness is covered.", "Illness is covered."),
    ],
)
def test_a_line_says_what_to_do_not_who_will(said: str, written: str) -> None:
    """A plan is for its reader: nobody knows who "I" is."""
    assert without_speaker(said) == written


def test_a_dish_may_come_again_later_in_the_week() -> None:
    """A small model knows few dishes: days without any would be worse than soup twice."""
    rows = tuple(
        (day, (f"Soup {day % 3}", f"Rice {day % 3}", f"Stew {day % 3}")) for day in range(1, 10)
    )
    assert len(without_repeats(Lines(steps=rows), dishes=True).steps) == 9
    assert len(without_repeats(Lines(steps=rows)).steps) == 3


@pytest.mark.trio
async def test_a_meal_plan_in_one_go_has_dishes_on_all_days() -> None:
    """Where the model has no more ideas, earlier dishes come again; no day is "free time"."""
    goal = "Plan our meals for nine days, with a budget of 90 euros."
    brief = read_brief(goal)
    request = DoRequest(goal=goal, title=goal, detail="", language="en", inputs=(), brief=brief)

    class Cook(Model):
        def _answer(self, properties: dict[str, Any]) -> dict[str, Any]:
            if "days" not in properties:
                return super()._answer(properties)
            count = properties["days"]["minItems"]
            day = {"breakfast": "Oats", "lunch": "Rice", "dinner": "Stew"}
            return {"days": [day] * count, "spare": []}

    text, _ = await write_small(request, Cook(lambda number: "x"), None)
    rows = [line for line in text.split("\n") if line.startswith("- **Day ")]
    assert len(rows) == 9
    assert all("Free time" not in row for row in rows)


@pytest.mark.trio
async def test_a_rest_day_has_nothing_else_on_it() -> None:
    """Code gives it a day of its part, and asks the model nothing about it."""
    brief = read_brief("Plan 9 days in Malaysia. Put in a rest day without sightseeing.")
    wish = next(at for at, demand in enumerate(brief.demands) if "rest" in demand.text)
    part = Part(title="Ipoh", detail="", first=4, last=6, place="Ipoh", keeps=(wish,))
    request = DoRequest(
        goal="x", title="Ipoh", detail="", language="en", inputs=(), brief=brief, part=part,
        place_before="Melaka",
    )  # fmt: skip
    model = Model(lambda number: SIGHTS[number % len(SIGHTS)])
    text, _ = await write_small(request, model, None)
    assert "- **Day 6:** Ipoh. Rest day without sightseeing." in text
    assert not any("rest" in prompt.messages[-1]["content"].lower() for prompt in model.prompts[1:])
