"""How a small model revises a text that reviewers sent back: only the lines that they criticised.

Written anew, the text would lose what was good about it, and at temperature 0 the rest would come
back much as it was. A larger model gets the text and the critiques and rewrites it (`write_large`).
"""

from __future__ import annotations

from swarm.core.brief import Cost
from swarm.llm.client.part_chat import Ask, Chat, Listener
from swarm.llm.client.part_prompts import Point, forms_of, money_of, points_of
from swarm.llm.client.part_writer import finished, write_small
from swarm.llm.requests import DoRequest


async def revise_small(
    request: DoRequest, ask: Ask, on_text: Listener | None
) -> tuple[str, tuple[Cost, ...]]:
    """Revise a part; return its Markdown and its items of cost.

    Where the reviewers name no demand that has a line of its own, the part is written anew.

    Args:
        request: The task, with the earlier version and what reviewers found not kept in it.
        ask: Calls the model.
        on_text: Called with each piece of text.

    Raises:
        BadAnswer: As for `write_small`.
    """
    wanted = [point for point in points_of(request) if point.demand in request.unkept]
    if not request.earlier.strip() or not wanted:
        return await write_small(request, ask, on_text)
    chat = Chat(ask, request)
    chat.resume(forms_of(request)[0], request.earlier)
    text = request.earlier
    for point in wanted:
        if line := await chat.point(point):
            text = with_line(text, point, line)
    costs = request.earlier_costs
    if not costs and (money := money_of(request)) is not None:
        costs = await chat.costs(*money)
    return finished(request, text, costs)


def with_line(text: str, point: Point, line: str) -> str:
    """Return a text with the line about a demand, in place of the line that it had."""
    label = f"- **{point.label}" if point.label else ""
    kept = [row for row in text.rstrip().split("\n") if not (label and row.startswith(label))]
    new = f"- **{point.label}:** {line}" if point.label else f"- {line}"
    return "\n".join([*kept, new])
