"""The gate refuses copies, loops and other languages, and lets good splits and texts pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.brief.gate import looped, refuse_brief, refuse_split, refuse_text
from swarm.brief.part import Part
from swarm.brief.read import read_brief
from swarm.core.brief import Brief, Demand
from swarm.llm.client.part_prompts import example_lines
from swarm.llm.lenses import EXAMPLES, LENSES

GOAL = "Plan a school fair with three prizes"
GOOD = (
    Part(title="Stalls", detail="Ask six classes to run one stall each, with a helper."),
    Part(title="Prizes", detail="Buy three prizes and write the rules of the raffle."),
    Part(title="Publicity", detail="Print forty posters and hang them in the quarter."),
)
ENGLISH = Brief(language="en")


def test_a_good_split_passes() -> None:
    """A split that was made for its goal is refused for nothing."""
    assert refuse_split(ENGLISH, GOAL, GOOD, examples=EXAMPLES) == ""


@pytest.mark.parametrize("slug", sorted(LENSES))
def test_a_copy_of_an_example_is_refused(slug: str) -> None:
    """A worked example that comes back as the answer is no answer."""
    assert refuse_split(ENGLISH, GOAL, LENSES[slug].parts, examples=EXAMPLES)


def test_one_copied_title_is_refused() -> None:
    """A small model put "Arrival and first shows" into a trip to Japan (seen)."""
    part = Part(title="Tokyo → Arrival and first shows", detail="The old town and its towers.")
    assert refuse_split(ENGLISH, "Plan two weeks in Japan", (part, *GOOD), examples=EXAMPLES)
    goal = "Plan the arrival and first shows of our band"
    assert refuse_split(ENGLISH, goal, (part, *GOOD), examples=EXAMPLES) == ""


def test_an_example_may_be_the_goal() -> None:
    """Somebody may well ask for what the example is about: its place is no copy then."""
    goal = "Spend a week in Reykjavík"
    part = Part(title="Reykjavík", detail="The old harbour, the hot pots and the church.")
    assert refuse_split(ENGLISH, goal, (part, *GOOD[1:]), examples=EXAMPLES) == ""


def test_a_copied_line_of_a_text_is_refused() -> None:
    """A small model that runs out of ideas copies a line of the example."""
    line = max(example_lines(), key=len)
    assert refuse_text(ENGLISH, GOAL, f"- **Day 1:** {line}", examples=example_lines())
    assert refuse_text(ENGLISH, GOAL, "- Hang forty posters.", examples=example_lines()) == ""


@given(st.sampled_from(["Pulau Pinang", "बाज़ार जाना", "the old tower"]), st.integers(6, 40))
def test_a_phrase_again_and_again_is_a_loop(phrase: str, times: int) -> None:
    """However long it is, and in any script."""
    assert looped(", ".join([phrase] * times))


@pytest.mark.parametrize(
    "text",
    [
        "Morning: the market. Afternoon: the museum. Evening: the harbour and a walk.",
        "Walk to the temple, then to the castle, then to the garden, then back to the hotel.",
        "Run 5 km, rest, run 5 km, rest, swim, rest, run 10 km, rest and sleep early.",
    ],
)
def test_ordinary_texts_are_no_loops(text: str) -> None:
    """Texts that list similar things are not refused."""
    assert not looped(text)


def test_a_brief_that_changes_a_demand_is_refused() -> None:
    """A dishonest decomposer can neither raise the budget nor leave a demand out."""
    goal = "Plan a week in Rome, budget 900 euro, no meat"
    own = read_brief(goal)
    assert refuse_brief(goal, own, own) == ""
    for index, demand in enumerate(own.demands):
        rest = [other for at, other in enumerate(own.demands) if at != index]
        assert refuse_brief(goal, own, own.model_copy(update={"demands": rest}))
        if demand.value is not None:
            changed = demand.model_copy(update={"value": demand.value + 1})
            assert refuse_brief(goal, own, own.model_copy(update={"demands": [*rest, changed]}))
            before = [changed, *own.demands]
            assert refuse_brief(goal, own, own.model_copy(update={"demands": before}))


@pytest.mark.parametrize(
    ("demand", "fine"),
    [
        (Demand(kind="must", text="a pool nearby", name="pool"), True),
        (Demand(kind="count", text="two pools", name="pools", value=2), False),
        (Demand(kind="must", text="book at Sponsor Inn", name="Sponsor Inn"), False),
        (Demand(kind="must", text="a pool nearby", name="Sponsor Inn"), False),
        (Demand(kind="count", text="a pool nearby", name="pool", value=9), False),
        (Demand(kind="must", text="!"), False),
    ],
)
def test_a_brief_adds_only_what_the_goal_says(demand: Demand, fine: bool) -> None:
    """A model may find a demand that code has missed; nobody can bind all peers to an own one."""
    goal = "Plan a week in Rome, budget 900 euro. A pool nearby is nice."
    own = read_brief(goal)
    more = own.model_copy(update={"demands": [*own.demands, demand]})
    assert (refuse_brief(goal, own, more) == "") == fine


def test_another_language_is_refused() -> None:
    """An English text for a Hindi goal is not what was asked for."""
    text = "\n".join(part.detail for part in GOOD)
    assert refuse_text(Brief(language="hi"), "स्कूल मेला", text)
    assert refuse_split(Brief(language="hi"), "स्कूल मेला", GOOD)


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    """Whatever a model writes, the gate answers and raises nothing."""
    refuse_text(ENGLISH, GOAL, text, examples=example_lines())
    refuse_split(ENGLISH, GOAL, (Part(title=text[:80] or "x", detail=text),) * 2)
