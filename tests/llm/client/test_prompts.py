"""Prompts share prefixes, name languages, and stay bounded."""

from __future__ import annotations

from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.llm.client import prompts
from swarm.llm.client.part_prompts import part_prompt
from swarm.llm.client.prompt import Prompt, language_line
from swarm.llm.client.split_prompts import details_prompt, split_prompt, titles_prompt
from swarm.llm.requests import (
    AssembleRequest,
    Critiqued,
    DoRequest,
    RateRequest,
    SplitRequest,
)
from swarm.llm.viewpoints import QUESTIONS

GOAL = "Plan a two week trip to Japan"
PARTS = (Part(title="Tokyo", detail="towers"), Part(title="Kyoto", detail="temples"))


def split_request(**changes: object) -> SplitRequest:
    base: dict[str, object] = {
        "goal": GOAL, "title": GOAL, "detail": "", "path": (), "language": "", "lens": "place",
        "max_parts": 7, "may_nest": False, "brief": read_brief(GOAL),
    }  # fmt: skip
    return SplitRequest(**{**base, **changes})  # type: ignore[arg-type]


def test_the_questions_about_one_split_differ_in_the_last_line_only() -> None:
    """So the server evaluates the split once and one line for each further yes or no."""
    request = RateRequest(goal=GOAL, title=GOAL, detail="", language="", parts=PARTS, atomic=False)
    found = prompts.rate_prompts(request)
    assert {*found} == {*QUESTIONS}
    asked = [prompt for question, prompt in found.items() if question in prompts.YES_NO]
    assert len({prompt.messages[:-1] for prompt in map(_frozen, asked)}) == 1
    assert len({p.messages[-1]["content"].rpartition("\n")[0] for p in asked}) == 1
    assert {prompt.max_tokens for prompt in asked} == {1}


def _frozen(prompt: Prompt) -> Prompt:
    return Prompt(
        messages=tuple(str(dict(m)) for m in prompt.messages),  # type: ignore[misc]
        max_tokens=1,
    )


def test_models_are_given_the_days() -> None:
    """Code divides the fourteen days, so that no model can miscount them."""
    prompt = split_prompt(split_request(lens="day"))
    asked = prompt.messages[-1]["content"]
    for label in ("Days 1-3", "Days 4-6", "Days 7-9", "Days 10-12", "Days 13-14"):
        assert label in asked


def test_polishing_shows_the_criticised_parts_and_the_critique() -> None:
    """The next decomposer sees what was wrong with what, whatever its model's size."""
    polish = Critiqued(parts=PARTS, critiques=("No part covers the days 8 to 14.",))
    for prompt in (split_prompt, titles_prompt):
        asked = prompt(split_request(polish=polish)).messages[-1]["content"]
        assert "1. Tokyo: towers" in asked
        assert "- No part covers the days 8 to 14." in asked


def test_larger_models_may_order_nest_and_refuse() -> None:
    """Order, kind and an empty list are in their schema."""
    large = split_prompt(split_request(may_nest=True, lens="activity")).schema
    assert large is not None
    assert {"after", "kind"} <= set(large["properties"]["parts"]["items"]["properties"])
    assert (large["properties"]["parts"]["minItems"], large["properties"]["parts"]["maxItems"]) == (
        0,
        7,
    )


def test_small_models_are_asked_for_titles_and_then_for_details() -> None:
    """The second question goes on with the chat of the first, so that the server has most of it."""
    request = split_request()
    first = titles_prompt(request)
    titles = ("Tokyo", "Hakone", "Kyoto", "Nara", "Osaka")
    second = details_prompt(request, first, titles)
    assert second.messages[: len(first.messages)] == first.messages
    assert "5. Osaka" in second.messages[-1]["content"]
    assert second.schema is not None
    assert second.schema["properties"]["details"]["minItems"] == 5


def test_the_language_is_asked_for_by_name() -> None:
    """A tag becomes a name; without one the goal's own is requested, or nothing for English."""
    assert language_line("hi-IN", GOAL) == "\nAnswer in Hindi."
    assert language_line("", "जापान यात्रा") == "\nAnswer in Hindi."
    assert language_line("", "Rancang percutian dua minggu") == "\nAnswer in Malay."
    assert language_line("", "Plane eine Hochzeit in Berlin") == "\nAnswer in German."
    assert language_line("", "Zxq") == "\nAnswer in the language of the goal."
    assert language_line("", GOAL) == ""
    assert language_line("en-GB", "जापान") == ""
    assert "code tlh" in language_line("tlh", GOAL)


def test_the_results_a_task_comes_after_are_in_its_prompt_bounded() -> None:
    """Inputs are shown, and a huge one does not fill a small model's context."""
    request = DoRequest(
        goal=GOAL, title="Hotels", detail="", language="", inputs=(("Route", "x" * 50_000),)
    )
    asked = part_prompt(request, small=True).messages[-1]["content"]
    assert "## Route" in asked
    assert len(asked) < 1_000


def test_the_assembly_prompt_brings_parts_and_gaps() -> None:
    """A larger model sees each part under its title and the reasons of what failed."""
    request = AssembleRequest(
        goal=GOAL, title=GOAL, detail="", language="de",
        parts=(("Tokyo", "towers"),), missing=(("Budget", "gave up"),),
    )  # fmt: skip
    asked = prompts.assemble_prompt(request).messages[-1]["content"]
    assert "# Tokyo\ntowers" in asked
    assert "- Budget: gave up" in asked
    assert asked.endswith("Answer in German.")
