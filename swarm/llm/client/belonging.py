"""The question for which of several goals a split was made.

Asked whether a split suits its goal, a small model says yes to nearly all. Shown the parts and four
goals, it picks theirs: it rates a split of another goal, even one with this goal's days and places,
below the goal's own in 99 of 100 pairs, and vague parts below good ones (`benchmarks.raters`).
"""

from __future__ import annotations

from swarm.brief.goal_kind import goal_kind
from swarm.brief.passage import Passage
from swarm.brief.skeleton import without_label
from swarm.brief.subject import subject_of
from swarm.llm.client.prompt import Message, line, peer_line, turn
from swarm.llm.other_goals import BY_LANGUAGE, KINDS
from swarm.llm.requests import RateRequest

LETTERS = "ABCD"
"""What the goals are called in the question."""

_SYSTEM = (
    "You are given the parts of a plan and several goals. "
    "Answer with the letter of the goal that the parts were made for."
)


def asked(request: RateRequest) -> tuple[Message, ...]:
    """Return the question about a split; its turn chooses the other goals and the letters."""
    others, at = _others(request), LETTERS.index(letter_of(request))
    options = [*others[:at], _own(request), *others[at:]]
    goals = "\n".join(f"{letter}. {goal}" for letter, goal in zip(LETTERS, options, strict=True))
    parts = "\n".join(
        f"- {peer_line(without_label(part.title), rated=True)}: "
        f"{peer_line(part.detail, rated=True)}"
        for part in request.parts
    )
    question = f"Parts:\n{parts}\n\nGoals:\n{goals}\n\nWhich goal? Answer with one letter."
    return turn("system", _SYSTEM), turn("user", question)


def letter_of(request: RateRequest) -> str:
    """Return what a split's own goal is called in the question: another letter at each turn."""
    return LETTERS[(request.viewpoint.turn + 1) % len(LETTERS)]


def _own(request: RateRequest) -> str:
    """Return what the node is about: the goal without its demands, and which part of it."""
    subject = line(subject_of(request.goal, request.brief))
    title = request.title.strip()
    if not title or title == request.goal.strip():
        return subject
    return f"{peer_line(without_label(title))} ({subject})"


def _others(request: RateRequest) -> list[str]:
    """Return three goals of other kinds, others at each turn."""
    language = request.language or request.brief.language
    goals = BY_LANGUAGE.get(language.partition("-")[0], BY_LANGUAGE["en"])
    kind = goal_kind(Passage.of(request.goal, request.brief.language))
    # Work is of so many kinds that the goal is hardly one of these.
    other = [goal for goal, its in zip(goals, KINDS, strict=True) if its != kind or kind == "work"]
    first = (request.viewpoint.turn + 1) % len(other)
    return (other[first:] + other[:first])[: len(LETTERS) - 1]
