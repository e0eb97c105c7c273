"""What a text lacks of what its part, or the whole plan, has to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from swarm.brief.part import Part
from swarm.core.brief import Brief, Cost

Standing = Literal["met", "not met", "not checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How a text stands to one point.

    Attributes:
        point: What was checked, for a stable name: a demand's kind, or "days", "repeats", "cut".
        demand: Index of the demand in the brief; None: a general point.
        standing: Whether the text meets it; "not checked" if code cannot tell.
        text: One sentence, human-readable: what is wrong, or how it is met.
        steps: The days or weeks concerned, if any.
    """

    point: str
    standing: Standing
    text: str
    demand: int | None = None
    steps: tuple[int, ...] = ()


def check_part(brief: Brief, part: Part, text: str) -> tuple[Check, ...]:
    """Return how a part's text stands to what the part has to keep.

    Args:
        brief: What the goal demands.
        part: The part with its skeleton.
        text: Its Markdown.
    """
    return ()


def check_plan(brief: Brief, text: str, costs: Sequence[Cost] = ()) -> tuple[Check, ...]:
    """Return how a whole plan stands to every demand of its brief, and to the general points.

    Args:
        brief: What the goal demands.
        text: The plan's Markdown, without the report.
        costs: Its items of cost, as data.
    """
    return ()


def share_kept(checks: Sequence[Check]) -> float:
    """Return the share of the checked points that are met, in [0, 1]; 1 if none was checked."""
    counted = [check for check in checks if check.standing != "not checked"]
    return sum(check.standing == "met" for check in counted) / len(counted) if counted else 1.0
