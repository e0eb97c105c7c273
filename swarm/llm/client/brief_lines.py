"""A goal's brief and a part's place in the plan, as lines of a prompt.

What all requests of one plan have in common (the goal, its demands, the outline) comes first and is
the same in each, so that the server evaluates it once.
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.part import Part
from swarm.core.brief import Brief
from swarm.llm.client.parsing import TITLE_CHARS
from swarm.llm.client.prompt import peer_line

GOAL_CHARS = 1_200
"""Characters of a goal that a prompt repeats; a longer goal is replaced by its brief's summary."""

DEMAND_CHARS = 160
"""Characters of one demand in a prompt."""

MOST_DEMANDS = 16
"""Demands that a prompt lists."""


def goal_line(goal: str, brief: Brief) -> str:
    """Return the goal, or its summary if it is long, as one line."""
    return f"Goal: {peer_line(brief.summary or goal, GOAL_CHARS)}"


def demand_lines(brief: Brief, indexes: Sequence[int] | None = None) -> str:
    """Return the demands, one a line; empty if there are none.

    Args:
        brief: What the goal demands.
        indexes: Which of its demands; None: all.
    """
    chosen = range(len(brief.demands)) if indexes is None else indexes
    texts = [
        peer_line(brief.demands[index].text, DEMAND_CHARS)
        for index in chosen
        if index < len(brief.demands)
    ]
    return "\n".join(f"- {text}" for text in list(dict.fromkeys(texts))[:MOST_DEMANDS])


def plan_lines(goal: str, brief: Brief, outline: Sequence[Part], today: str) -> str:
    """Return what all tasks of a plan have in common: goal, demands, date and outline."""
    lines = [goal_line(goal, brief)]
    if demands := demand_lines(brief):
        lines.append(f"The goal demands:\n{demands}")
    if today:
        lines.append(f"Today is {today}.")
    return "\n".join([*lines, *outline_lines(outline)])


def outline_lines(outline: Sequence[Part]) -> list[str]:
    """Return the titles of a plan's parts, numbered; none if there are none."""
    if not outline:
        return []
    return [
        "The plan's parts:",
        *(
            f"{number}. {peer_line(part.title, TITLE_CHARS)}"
            for number, part in enumerate(outline, start=1)
        ),
    ]


def around_lines(part: Part, outline: Sequence[Part], place_before: str) -> str:
    """Return what comes before and after a part; empty if nothing does."""
    at = next((i for i, other in enumerate(outline) if other.title == part.title), None)
    lines = []
    if at:
        where = f", which ends in {peer_line(place_before)}" if place_before else ""
        lines.append(f"Before it: {peer_line(outline[at - 1].title, TITLE_CHARS)}{where}.")
    if at is not None and at + 1 < len(outline):
        lines.append(f"After it: {peer_line(outline[at + 1].title, TITLE_CHARS)}.")
    return "\n".join(lines)
