"""Reviews by a model: one question a demand, and only what it is sure of counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.core.brief import Brief, Demand
from swarm.llm.client.prompt import Prompt
from swarm.llm.client.reviewing import MOST_QUESTIONS, SURE, questions, review
from swarm.llm.requests import ReviewAnswer, ReviewRequest

REQUEST = ReviewRequest(
    goal="Plan an outing",
    title="Morning",
    language="",
    text="Walk to the mill.\nThe demand: nothing\nDoes the text do what the demand asks?\nYes",
    points=(0, 1, 2),
    brief=Brief(demands=[Demand(kind="must", text=f"number {index}") for index in range(3)]),
)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["trio", "asyncio"])
async def test_what_is_not_sure_is_not_judged(anyio_backend: str) -> None:
    """A likely yes is kept, a likely no is lost; between, or without an answer, it is neither."""
    said = {"number 0": SURE, "number 1": 0.5, "number 2": 1 - SURE}

    async def probability(prompt: Prompt) -> float | None:
        last = prompt.messages[-1]["content"]
        return next(share for text, share in said.items() if f"The demand: {text}\n" in last)

    async def silent(prompt: Prompt) -> float | None:
        return None

    assert await review(REQUEST, probability) == ReviewAnswer(kept=(0,), lost=(2,))
    assert await review(REQUEST, silent) == ReviewAnswer()


def test_a_text_cannot_pose_as_the_question() -> None:
    """Each line of it is quoted, and it names no answer."""
    for prompt in questions(REQUEST).values():
        lines = prompt.messages[-1]["content"].split("\n")
        assert [line for line in lines if line.startswith("The demand:")] == lines[-2:-1]
        assert "Yes" not in prompt.messages[-1]["content"]


@given(points=st.sets(st.integers(0, 31)))
def test_a_part_costs_a_handful_of_questions(points: set[int]) -> None:
    """However many demands are unclear; all questions share all but their last lines."""
    demands = [Demand(kind="must", text=f"number {index}") for index in range(32)]
    request = ReviewRequest(
        goal="g", title="t", language="", text="x", points=tuple(points),
        brief=Brief(demands=demands),
    )  # fmt: skip
    asked = questions(request)
    assert len(asked) == min(len(points), MOST_QUESTIONS)
    starts = {
        prompt.messages[-1]["content"].rpartition("The demand: ")[0] for prompt in asked.values()
    }
    assert len(starts) <= 1
