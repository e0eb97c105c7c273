"""A small model's sentence about a demand stays in its part's days, and does more than promise."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from swarm.brief.demands import check_demand
from swarm.brief.mend import mend_text
from swarm.brief.part import Part
from swarm.brief.phrases import LANGUAGES, full_stop
from swarm.brief.read import read_brief
from swarm.llm.client.parsing import Unusable
from swarm.llm.client.part_answers import Lines, as_markdown
from swarm.llm.client.part_filter import only_promises, without_foreign_days
from swarm.llm.client.part_prompts import Form
from swarm.llm.client.part_writer import write_small
from swarm.llm.client.prompt import Prompt
from swarm.llm.errors import BadAnswer
from swarm.llm.requests import DoRequest

T = TypeVar("T")

GOAL = (
    "We want to travel through Malaysia for eleven days. Start in Ipoh and end in George Town. "
    "Put in two museum visits."
)
BRIEF = read_brief(GOAL)
MUSEUMS = next(at for at, one in enumerate(BRIEF.demands) if "museum" in one.text)
PART = Part(title="Days 1-3: Ipoh", detail="", first=1, last=3, place="Ipoh", keeps=(MUSEUMS,))
REQUEST = DoRequest(
    goal=GOAL, title=PART.title, detail="", language="en", inputs=(), brief=BRIEF, part=PART,
    outline=(PART,),
)  # fmt: skip


class Model:
    """Answers what is asked of a demand with given sentences; the last one comes again."""

    def __init__(self, *sentences: str) -> None:
        self.sentences = list(sentences)
        self.faults: list[str] = []

    async def __call__(
        self, prompt: Prompt, read: Callable[[str, bool], T], on_text: object = None
    ) -> T:
        assert prompt.schema is not None
        if "sentence" not in prompt.schema["properties"]:
            days = [
                {"morning": f"{place} hall", "afternoon": f"{place} pond"}
                for place in ("Concubine", "Kinta", "Sam Poh")
            ]
            return read(json.dumps({"days": days, "spare": []}), False)
        for _ in range(3):
            said = self.sentences.pop(0) if len(self.sentences) > 1 else self.sentences[0]
            try:
                return read(json.dumps({"sentence": said}), False)
            except Unusable as error:
                self.faults.append(str(error))
        raise BadAnswer("nothing usable")


async def line_of(model: Model) -> str:
    """Return the line about the museums."""
    text, _ = await write_small(REQUEST, model, None)
    return next(line for line in text.split("\n") if "useum" in line)


@pytest.mark.trio
async def test_days_of_other_parts_are_asked_about_once() -> None:
    """The model hears which days are its own, and its second answer stands."""
    good = "Two museum visits: the Perak Museum on Day 2 and the Tin Museum on Day 3."
    model = Model("Two museum visits come on Day 4 and on Day 5.", good)
    assert good in await line_of(model)
    assert len(model.faults) == 1
    assert "Days 1-3" in model.faults[0]


@pytest.mark.trio
@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "On Day 2, make two museum visits in Ipoh, and on Day 5, see the old port.",
            "- **Put in two museum visits:** On Day 2, make two museum visits in Ipoh.",
        ),
        (
            "On Day 4, visit the National Museum, and on Day 5, see another museum.",
            "- **Put in two museum visits**",
        ),
        (
            "I will provide information on the two museum visits.",
            "- **Put in two museum visits**",
        ),
    ],
)
async def test_what_stays_wrong_goes(said: str, line: str) -> None:
    """Clauses with foreign days and empty promises go; the demand itself stays as a reminder."""
    model = Model(said)
    assert await line_of(model) == line
    assert len(model.faults) == 1


@pytest.mark.trio
async def test_each_day_says_where_it_is_and_goes_on_saying_so_when_mended() -> None:
    """Repairs of labels and dates keep the place, and the plan's end is found in its last day."""
    goal = "Plan a trip of 4 days, starting in Ipoh and ending in George Town, from 6 June 2027"
    brief = read_brief(goal)
    part = Part(title="Days 1-4: George Town", detail="", first=1, last=4, place="George Town")
    request = replace(REQUEST, goal=goal, brief=brief, part=part, outline=(part,))
    text, _ = await write_small(replace(request, place_before="Ipoh"), Model("-"), None)
    assert "- **Day 1 (2027-06-06):** Morning: Travel from Ipoh to George Town." in text
    assert "- **Day 3 (2027-06-08):** George Town. Morning: Sam Poh hall." in text
    assert mend_text(brief, part, text) == text
    end = next(at for at, one in enumerate(brief.demands) if one.kind == "end_place")
    assert check_demand(brief, end, text, whole=True).standing == "met"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_place_is_said_in_every_language(language: str) -> None:
    """Its name stands alone before the day's things, and only where they do not name it."""
    lines = Lines(steps=((1, ("Ipoh baru", "b")), (2, ("c", "d"))))
    form = Form(unit="day", steps=(1, 2))
    first, second = as_markdown(lines, form, language, place="Ipoh").split("\n")
    assert first.count("Ipoh") == 1
    assert f":** Ipoh{full_stop(language)} " in second


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("On Day 9, swim. Rest on Day 3.", "Rest on Day 3."),
        ("On Day 9, swim, and on Day 2, rest in Ipoh.", "On Day 2, rest in Ipoh."),
        ("Visit the caves on Days 2-5.", ""),
        ("On the fifth day of the month, see the museum.", None),
        ("Visit the museum on Days 1-3.", None),
    ],
)
def test_only_foreign_days_are_cut_out(text: str, rest: str | None) -> None:
    """Own days, and ordinals that may count something else, stay as they are."""
    assert without_foreign_days(text, REQUEST) == (text if rest is None else rest)


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("I will provide information on which trains require reservations.", True),
        ("In George Town, we will make sure to rest.", True),
        ("Saya akan memastikan ada hari rehat.", True),
        ("Kami akan menyediakan maklumat tentang kereta api.", True),
        ("I will include exercises such as squats and lunges.", False),
        ("We will include a visit to the Perak Museum.", False),
        ("I will provide a rest day on Day 10.", False),
        ("I will take my daughter to the gardens.", False),
        ("Reserve the trains two weeks before.", False),
        ("Saya akan membawa anak ke taman.", False),
    ],
)
def test_promises_without_content_are_told_from_others(text: str, empty: bool) -> None:
    """What names a thing, a day or a place is no empty promise."""
    assert only_promises(text, "a rest day, trains: George Town") is empty
