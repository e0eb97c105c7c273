"""The labelled goals of goals.txt, and how a reader's demands compare with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from swarm.brief.read import read_brief
from swarm.brief.words import tokens
from swarm.core.brief import Demand

TODAY = "2026-12-01"
HELD_BACK = 3
"""Every third goal is only measured."""

MORE_WORDS = 5
"""Words that a wish's name may have beyond those that matter."""


@dataclass(frozen=True)
class Goal:
    """A goal with all its demands."""

    text: str
    language: str
    demands: tuple[str, ...]
    held: bool


@dataclass(frozen=True)
class Outcome:
    """What a reader made of a goal: demands by their lines in the file."""

    goal: Goal
    found: tuple[str, ...]
    missed: tuple[str, ...]
    wrong: tuple[str, ...]
    language: str


def goals() -> tuple[Goal, ...]:
    """Return all labelled goals."""
    lines = Path(__file__).with_name("goals.txt").read_text(encoding="utf-8").splitlines()
    read: list[Goal] = []
    for line in lines:
        if "\t" in line:
            language, text = line.split("\t")
            held = len(read) % HELD_BACK == HELD_BACK - 1
            read.append(Goal(text, language, (), held))
        elif line and not line.startswith("#"):
            last = read[-1]
            read[-1] = Goal(last.text, last.language, (*last.demands, line), last.held)
    return tuple(read)


def outcome(goal: Goal) -> Outcome:
    """Read a goal and compare."""
    brief = read_brief(goal.text, today=TODAY)
    left = list(brief.demands)
    found, missed = [], []
    for line in goal.demands:
        match = next((demand for demand in left if _same(line, demand)), None)
        if match is None:
            missed.append(line)
        else:
            left.remove(match)
            found.append(line)
    wrong = tuple(_line(demand) for demand in left)
    return Outcome(goal, tuple(found), tuple(missed), wrong, brief.language)


def kind_of(line: str) -> str:
    """Return the kind of a demand's line."""
    return line.split(" ", 1)[0]


def _same(line: str, demand: Demand) -> bool:
    """Return whether a demand is the one of a line; a wish's name may have a few words more."""
    if demand.kind not in ("must", "must_not"):
        return line == _line(demand)
    kind, _, name = line.partition(" ")
    wanted = [token.word for token in tokens(name)]
    have = [token.word for token in tokens(demand.name or "")]
    return (
        kind == demand.kind
        and all(word in have for word in wanted)
        and len(have) <= len(wanted) + MORE_WORDS
    )


def _line(demand: Demand) -> str:
    parts = [demand.kind]
    if demand.value is not None:
        parts.append(str(demand.value))
    if demand.unit and demand.kind != "place":
        parts.append(demand.unit)
    if demand.date or demand.name:
        parts.append(demand.date or demand.name or "")
    return " ".join(parts)
