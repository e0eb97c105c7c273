"""The prompts for ratings and assembly. Pure functions from a request to chat turns and limits.

They are written for a 1.5-billion-parameter model on two cores, and good enough for large ones:
short, one question at a time, with one worked example. What requests of a kind have in common comes
first, so that the server evaluates it once (its prompt cache works on prefixes): the questions
about one split differ only in the last line. Larger models get the same prompts and may do more
(`small=False`): order parts, nest goals, refuse to split, write longer texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.part import Part
from swarm.llm.client import belonging
from swarm.llm.client.fences import disarmed
from swarm.llm.client.parsing import TITLE_CHARS
from swarm.llm.client.prompt import (
    Message,
    Prompt,
    language_line,
    line,
    node_lines,
    numbered,
    turn,
)
from swarm.llm.requests import AssembleRequest, RateRequest
from swarm.llm.viewpoints import Question

# --- ratings --------------------------------------------------------------------------------

_RATE_SYSTEM = "You judge plans strictly. Answer each question with Yes or No only."

YES_NO: dict[Question, str] = {
    "concrete": "Does every part say something specific to do, not just general words?",
    "complete": "Do the parts together cover the goal, with nothing important missing?",
}
"""The questions that are answered by yes or no; yes is good."""

ATOMIC_QUESTION = "Is this so small that one person should do it in one go, without splitting it?"
"""The question about a proposal not to split."""

_GOOD = (
    "Goal: Plan a birthday dinner\nParts:\n"
    "1. Guests: write the list of twelve and send invitations by Friday\n"
    "2. Menu: choose three courses, one of them without meat\n"
    "3. Shopping and cooking: list what to buy, who cooks what and when\n"
    "4. Table and music: seats, candles and a playlist of two hours"
)
_VAGUE = (
    "Goal: Plan a birthday dinner\nParts:\n1. Preparation: prepare everything that is needed\n"
    "2. Planning: plan all the things\n3. Other: do the rest"
)
_SAME = (
    "Goal: Repaint the kitchen\nParts:\n1. Buy paint: get four litres of white paint\n"
    "2. Get the paint: buy white wall paint in the shop\n3. Paint the walls: two coats by roller"
)
_OVERLAP = "Are the parts really different, so that no work would be done twice?"
"""A question that only the examples answer: with them the others are answered better (measured)."""

_SHOTS = (
    (_GOOD, YES_NO["concrete"], "Yes"),
    (_VAGUE, YES_NO["concrete"], "No"),
    (_GOOD, _OVERLAP, "Yes"),
    (_SAME, _OVERLAP, "No"),
    (_SAME, YES_NO["complete"], "No"),
    (_GOOD, YES_NO["complete"], "Yes"),
)


def one_step_prompt(node: str) -> Prompt:
    """Return the question whether a node is small enough for one task.

    Args:
        node: The goal and the node, as `node_lines` writes them.
    """
    shots = [
        turn("user", f"Goal: Plan a wedding\n{ATOMIC_QUESTION}"),
        turn("assistant", "No"),
        turn("user", f"Goal: Write a two-line thank-you note\n{ATOMIC_QUESTION}"),
        turn("assistant", "Yes"),
    ]
    return _yes_no(shots, f"{node}\n{ATOMIC_QUESTION}")


def rate_prompts(request: RateRequest) -> dict[Question, Prompt]:
    """Return the questions of the request's viewpoint; for an atomic proposal only `complete`."""
    node = node_lines(request.goal, request.title, request.detail)
    if request.atomic:
        return {"complete": one_step_prompt(node)}
    shots = [
        shown
        for split, question, answer in _SHOTS
        for shown in (turn("user", f"{split}\n{question}"), turn("assistant", answer))
    ]
    split = f"{node}\nParts:\n{numbered(_turned(request), rated=True)}"
    return {
        question: _yes_no(shots, f"{split}\n{YES_NO[question]}")
        if question in YES_NO
        else Prompt(messages=belonging.asked(request), max_tokens=RATE_TOKENS)
        for question in request.viewpoint.questions
    }


def _turned(request: RateRequest) -> list[Part]:
    """Return the parts, at each turn beginning with another one: their order sways a model."""
    first = request.viewpoint.turn % max(1, len(request.parts))
    return [*request.parts[first:], *request.parts[:first]]


def _yes_no(shots: Sequence[Message], question: str) -> Prompt:
    """Return the prompt of one question after worked examples."""
    messages = (turn("system", _RATE_SYSTEM), *shots, turn("user", question))
    return Prompt(messages=messages, max_tokens=RATE_TOKENS)


def critique_prompt(request: RateRequest) -> Prompt:
    """Return the prompt that asks a larger model what would improve a split most."""
    node = node_lines(request.goal, request.title, request.detail)
    user = (
        f"{node}\nParts:\n{numbered(request.parts)}\n"
        "Say in one sentence what is wrong with this split and how to improve it."
        + language_line(request.language, request.goal)
    )
    system = turn("system", "You review plans. Be concrete and brief.")
    return Prompt(messages=(system, turn("user", user)), max_tokens=120)


RATE_TOKENS = 1
"""The first token decides, or the first word if there are no log probabilities."""


# --- texts ----------------------------------------------------------------------------------

_ASSEMBLE_SYSTEM = (
    "You put the finished parts of a plan together into one clear Markdown document with headings. "
    "Keep the facts of the parts, remove repetition, add nothing that is not in them. "
    "Say plainly what is missing."
)
_INTRO_SYSTEM = (
    "You write a short introduction to a plan: two plain sentences that say what it covers. "
    "No list, no heading, no promises."
)


_INTRO_EXAMPLE = (
    "Goal: Plan a nine day tour of a puppet theatre through Iceland\n"
    "The plan has these parts: Reykjavík, Vík, Höfn, Akureyri",
    "This is a tour of nine days from Reykjavík along the south coast to Akureyri. Each part below "
    "says where the theatre plays and what it has to carry there.",
)
"""Of a far domain, as all examples are: a small model copies a near one."""


def assemble_prompt(request: AssembleRequest) -> Prompt:
    """Return the prompt that asks a larger model for the whole document."""
    node = node_lines(request.goal, request.title, request.detail)
    # Not quoted: a larger model copies from it, quotes and all.
    parts = "\n\n".join(f"# {line(title)}\n{disarmed(text)}" for title, text in request.parts)
    missing = "".join(f"\n- {line(title)}: {line(why)}" for title, why in request.missing)
    user = f"{node}\n\nThe finished parts:\n\n{parts}"
    if missing:
        user += f"\n\nCould not be done:{missing}"
    user += language_line(request.language, request.goal)
    return Prompt(
        messages=(turn("system", _ASSEMBLE_SYSTEM), turn("user", user)),
        max_tokens=3_000,
        creative=True,
    )


def intro_prompt(request: AssembleRequest) -> Prompt:
    """Return the prompt for an introduction; the parts follow it word for word."""
    node = node_lines(request.goal, request.title, request.detail)
    titles = ", ".join(line(title, TITLE_CHARS) for title, _ in request.parts)
    user = f"{node}\nThe plan has these parts: {titles}"
    user += language_line(request.language, request.goal)
    question, answer = _INTRO_EXAMPLE
    return Prompt(
        messages=(
            turn("system", _INTRO_SYSTEM),
            turn("user", question),
            turn("assistant", answer),
            turn("user", user),
        ),
        max_tokens=200,
        creative=True,
    )
