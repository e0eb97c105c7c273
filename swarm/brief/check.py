"""What a check of a text says: one point, how the text stands to it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


def met(point: str, text: str, demand: int | None = None) -> Check:
    """Return that a text meets a point."""
    return Check(point=point, standing="met", text=text, demand=demand)


def not_met(point: str, text: str, demand: int | None = None, steps: tuple[int, ...] = ()) -> Check:
    """Return that a text does not meet a point, and what is wrong."""
    return Check(point=point, standing="not met", text=text, demand=demand, steps=steps)


def not_checked(point: str, text: str, demand: int | None = None) -> Check:
    """Return that code cannot tell whether a text meets a point, and why."""
    return Check(point=point, standing="not checked", text=text, demand=demand)
