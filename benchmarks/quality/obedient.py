"""A model of perfect obedience: a server that writes perfect plans, to prove the benchmark itself.

A request that contains a goal is answered from that goal's truth: the whole plan for a single call,
a split into stages for a decomposer, and one part for an executor. With it each arm must keep all
demands; what is then missing was lost on the way.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.quality import perfect
from benchmarks.quality.goals import Goal
from swarm.testing import script
from swarm.testing.scripted_server import Behaviour, ScriptedServer, serving_in_thread

MODEL = "obedient"

YES = 0.95
"""The probability of "yes" to every question."""

MOST_PARTS = 4
"""Most stages of a split; the costs are one more."""

FOUND_CHARS = 60
"""A request is about a goal if it contains so many of the goal's first characters."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a perfect plan: its title, what it covers, and its text."""

    title: str
    detail: str
    text: str


class Obedient:
    """Answers requests about some goals.

    Args:
        goals: The goals that it knows.
    """

    def __init__(self, goals: Sequence[Goal]) -> None:
        self._goals = list(goals)

    def __call__(self, body: dict[str, Any]) -> str | None:
        """Return the answer to a chat; None if it is a question, or about no known goal."""
        messages = body.get("messages") or [{}]
        asked = str(messages[-1].get("content", ""))
        every = "\n".join(str(message.get("content", "")) for message in messages)
        goal = self._goal_in(asked) or self._goal_in(every)
        system = str(messages[0].get("content", ""))
        rates = script.ASKS_FOR_LETTER in system or "Yes or No" in system
        if goal is None or rates or "The finished parts:" in asked:
            return None
        schema = body.get("format")
        if isinstance(schema, dict):
            return _split(goal, schema)
        if "The plan has these parts:" in asked:
            return goal.wording.frame.intro
        if (part := _part_in(asked, goal)) is not None:
            return part.text
        return perfect.write(goal)

    def _goal_in(self, text: str) -> Goal | None:
        flat = " ".join(text.split())
        known = (goal for goal in self._goals if " ".join(goal.text.split())[:FOUND_CHARS] in flat)
        return next(known, None)


def pieces(goal: Goal) -> list[Piece]:
    """Return a perfect plan in parts: runs of days or weeks, and the costs."""
    draft = perfect.draft(goal)
    frame = goal.wording.frame
    label = frame.day if goal.unit == "day" else frame.week
    count = min(MOST_PARTS, goal.length)
    found = []
    first = 0
    for index in range(count):
        last = goal.length * (index + 1) // count
        title = label.format(n=f"{first + 1}-{last}" if last > first + 1 else str(last))
        text = "\n\n".join(
            f"### {heading}\n\n" + "\n".join(f"- {line}" for line in lines)
            for heading, lines in draft.stages[first:last]
        )
        found.append(Piece(title, draft.stages[first][1][0], text))
        first = last
    if draft.costs:
        costs = perfect.Draft(intro="", costs=draft.costs, total=draft.total).text(goal)
        table = costs.split("\n\n", 1)[1]
        found.append(Piece(frame.costs, ", ".join(name for name, _ in draft.costs), table))
    return found


def _split(goal: Goal, schema: dict[str, Any]) -> str | None:
    if "parts" not in schema.get("properties", {}):
        return None
    parts = [{"title": piece.title, "detail": piece.detail} for piece in pieces(goal)]
    return json.dumps({"parts": parts, "rationale": "In order."}, ensure_ascii=False)


def _part_in(asked: str, goal: Goal) -> Piece | None:
    match = re.search(r"^Your part: (.+)$", asked, re.MULTILINE)
    if match is None:
        return None
    title = match.group(1).strip()
    return next((piece for piece in pieces(goal) if piece.title == title), None)


@contextlib.contextmanager
def serving(goals: Sequence[Goal]) -> Iterator[ScriptedServer]:
    """Run a server that obeys about the given goals, in a thread of its own."""
    behaviour = Behaviour(yes=YES, models=[f"{MODEL}:latest"])
    with serving_in_thread(behaviour, Obedient(goals)) as server:
        yield server
