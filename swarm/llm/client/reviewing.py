"""Reviews by a model: yes or no to each demand that code cannot check, read by its probability.

Code has looked before: a model is asked only about what code cannot tell, and only a larger one. A
small model says yes to anything (measured), so its review would be worse than none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from swarm.llm.client.brief_lines import goal_line
from swarm.llm.client.fences import disarmed, quoted
from swarm.llm.client.parsing import TITLE_CHARS, clean_text, clip
from swarm.llm.client.prompt import Prompt, peer_line, turn
from swarm.llm.errors import LLMError
from swarm.llm.requests import ReviewAnswer, ReviewRequest

MOST_QUESTIONS = 4
"""Demands that a model is asked about in one text: a part rarely has more that code cannot tell."""

TEXT_CHARS = 6_000
"""Characters of a text that a model reads."""

DEMAND_CHARS = 200
"""Characters of a demand in a question."""

SURE = 0.65
"""Probability of yes from which a demand counts as kept; as much of no, and it is not kept. What is
between is not judged. One word of a model without probabilities is worth 2/3."""

SYSTEM = "You check plans strictly. Answer each question with Yes or No only."

_QUESTION = "Does the text do what the demand asks?"

_EXAMPLE = (
    "Goal: Take a puppet theatre through Iceland\nThe part to check: Vík\nIt says:\n"
    "> - Play for the school at ten.\n> - Have soup with the choir, then mend the curtain.\n"
)
"""Of a far domain, as all examples are."""

_SHOTS = (
    ("Eat with people who live there", "Yes"),
    ("Keep an evening free for repairs of the lamps", "No"),
)


def questions(request: ReviewRequest) -> dict[int, Prompt]:
    """Return one yes-or-no question for each demand; they differ only in their last lines."""
    shots = [
        message
        for demand, answer in _SHOTS
        for message in (
            turn("user", f"{_EXAMPLE}The demand: {demand}\n{_QUESTION}"),
            turn("assistant", answer),
        )
    ]
    lines = [goal_line(request.goal, request.brief)]
    if request.outline:
        lines.append("The plan's parts:")
        lines += [
            f"{number}. {peer_line(part.title, TITLE_CHARS, rated=True)}"
            for number, part in enumerate(request.outline, start=1)
        ]
    shown = disarmed(clean_text(request.text, max_chars=2 * TEXT_CHARS), rated=True)
    lines.append(f"The part to check: {peer_line(request.title, TITLE_CHARS, rated=True)}")
    lines.append(f"It says:\n{quoted(clip(shown, TEXT_CHARS))}")
    before = "\n".join(lines)
    return {
        index: Prompt(
            messages=(
                turn("system", SYSTEM),
                *shots,
                turn("user", f"{before}\nThe demand: {_demand(request, index)}\n{_QUESTION}"),
            ),
            max_tokens=1,
        )
        for index in request.points[:MOST_QUESTIONS]
    }


async def review(
    request: ReviewRequest, probability: Callable[[Prompt], Awaitable[float | None]]
) -> ReviewAnswer:
    """Ask a model about each demand of a request; return what it is sure of.

    Args:
        request: The text and the demands.
        probability: Returns the model's probability of yes; None: its answer was of no use.

    Raises:
        LLMError: The model could not be asked.
    """
    yes: dict[int, float] = {}
    errors: list[LLMError] = []

    async def ask(index: int, prompt: Prompt) -> None:
        try:
            found = await probability(prompt)
        except LLMError as error:
            errors.append(error)
            return
        if found is not None:
            yes[index] = found

    async with anyio.create_task_group() as group:
        for index, prompt in questions(request).items():
            group.start_soon(ask, index, prompt)
    if errors:
        raise errors[0]
    return ReviewAnswer(
        kept=tuple(sorted(index for index, value in yes.items() if value >= SURE)),
        lost=tuple(sorted(index for index, value in yes.items() if value <= 1 - SURE)),
    )


def _demand(request: ReviewRequest, index: int) -> str:
    return peer_line(request.brief.demands[index].text, DEMAND_CHARS, rated=True)
