"""The prompt for a split: by a lens, with the brief's demands and the skeleton that code made.

Code divides the days, places and parts (`swarm.brief.skeleton`); the model says what each part is
about. The worked example has the same form as the question and is of a far domain. A small model is
asked in two steps, titles first: so it repeats none, and code can put in those that the goal names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from swarm.brief.goal_kind import goal_kind
from swarm.brief.part import Part
from swarm.brief.passage import Passage
from swarm.brief.phrases import phrases
from swarm.brief.quotes import MOST_QUOTES
from swarm.brief.read import read_brief
from swarm.brief.skeleton import count_for, frame, steps_of
from swarm.brief.steps import step_label
from swarm.brief.subject import subject_of
from swarm.core.brief import Brief
from swarm.llm.client.brief_lines import demand_lines, goal_line
from swarm.llm.client.parsing import DETAIL_CHARS, TITLE_CHARS
from swarm.llm.client.prompt import Message, Prompt, language_line, line, numbered, peer_line, turn
from swarm.llm.lenses import Lens, lens_named
from swarm.llm.requests import Critiqued, SplitRequest

SMALL_MAX_PARTS = 5
"""Most parts requested from a small model: each further part makes splits worse and slower."""

SMALL_TITLE_CHARS = 50
"""Longest title that a small model may write, in characters: a few words."""

SMALL_DETAIL_CHARS = 200
"""Longest detail that a small model may write, in characters."""

_SYSTEM = (
    "You split a goal into a few parts that different people can work on at the same time. "
    "Each part has a short title and one concrete sentence of detail. "
    "Parts do not overlap and together cover the goal and all that it demands. Answer as JSON."
)
_SYSTEM_MORE = (
    _SYSTEM + ' Where a part needs the results of earlier ones, list their numbers in "after"'
    ' (the first part is 1). Say in one sentence in "rationale" why you split it so. '
    'If it is one simple task that should not be split, answer with an empty list of "parts".'
)
_QUOTE = (
    ' If the goal demands something that is not in the list of its demands, copy it into "quotes", '
    "word for word from the goal; otherwise leave that list empty."
)
_NEST = ' Give a part the kind "goal" if it is large enough to be split again, else "task".'


def parts_wanted(request: SplitRequest, *, small: bool) -> int:
    """Return how many parts a prompt asks for; a larger model may choose fewer."""
    most = min(request.max_parts, SMALL_MAX_PARTS) if small else request.max_parts
    return count_for(request.brief, most, whole=request.part)


def split_prompt(request: SplitRequest) -> Prompt:
    """Return the prompt for a larger model: a split by a lens, or a better version of one."""
    lens = lens_named(request.lens)
    ordered = lens.ordered and steps_of(request.brief)[1] > 0
    count = parts_wanted(request, small=False)
    most = count if ordered else request.max_parts
    system = _SYSTEM_MORE + (_NEST if request.may_nest else "")
    # Below the root the brief has been accepted, and a split cannot change it.
    quotes = request.part is None
    system += _QUOTE if quotes else ""
    lines = [*_about(request), _ask(lens, request.brief, count, whole=request.part, exact=ordered)]
    example = read_brief(lens.goal, "en") if ordered else Brief()
    return Prompt(
        messages=(
            turn("system", system),
            turn(
                "user",
                f"Goal: {lens.goal}\n{_ask(lens, example, len(lens.parts), exact=ordered)}",
            ),
            turn("assistant", _as_json(lens.parts, quotes=quotes)),
            turn("user", "\n".join(lines) + _language(request)),
        ),
        schema=_schema(most, may_nest=request.may_nest, quotes=quotes),
        max_tokens=400 + 150 * most,
        creative=True,
    )


def known_titles(request: SplitRequest) -> tuple[str, ...]:
    """Return the titles that code knows: the goal's places, or meals; empty where it knows none."""
    count = parts_wanted(request, small=True)
    if has_meals(request.goal, request.brief):
        word = phrases(request.language or request.brief.language)
        return (f"{word.breakfast}, {word.lunch}, {word.dinner}",) * count
    if request.lens != "place":
        return ("",) * count
    return tuple(part.title for part in frame(request.brief, count, whole=request.part))


def has_meals(goal: str, brief: Brief) -> bool:
    """Return whether a plan has meals on each of its days."""
    return steps_of(brief)[0] == "day" and goal_kind(Passage.of(goal, brief.language)) == "meals"


def titles_prompt(request: SplitRequest, *, example: bool = True) -> Prompt:
    """Return the prompt that asks a small model for the titles of a split.

    Args:
        request: What is split.
        example: Whether a worked example comes first; a model that copies it is asked without it.
    """
    lens = lens_named(request.lens)
    titles = known_titles(request)
    asked = _ask_titles(lens, titles)
    if not example:
        asked += " They are of doing it, not of planning it."  # Which examples say by themselves.
    return Prompt(
        messages=(
            turn("system", _SYSTEM),
            *(_titles_example(lens, known=any(titles)) if example else ()),
            turn("user", "\n".join([*_subject(request), asked]) + _language(request)),
        ),
        schema=_list_schema("titles", len(titles), 2, SMALL_TITLE_CHARS),
        max_tokens=20 * len(titles) + 20,
        creative=True,
    )


def _titles_example(lens: Lens, *, known: bool) -> tuple[Message, ...]:
    """Return a worked example of titles and details; `known`: with two titles given."""
    titles = [part.title for part in lens.parts]
    details = [part.detail for part in lens.parts]
    shown = [titles[0], *[""] * (len(titles) - 2), titles[-1]] if known else [""] * 4
    return (
        turn("user", f"Goal: {lens.goal}\n{_ask_titles(lens, shown)}"),
        turn("assistant", json.dumps({"titles": titles}, ensure_ascii=False)),
        turn("user", _ask_details(titles)),
        turn("assistant", json.dumps({"details": details}, ensure_ascii=False)),
    )


def details_prompt(request: SplitRequest, prompt: Prompt, titles: Sequence[str]) -> Prompt:
    """Return the prompt that asks a small model for a sentence about each part."""
    said = json.dumps({"titles": list(titles)}, ensure_ascii=False)
    return Prompt(
        messages=(
            *prompt.messages,
            turn("assistant", said),
            turn("user", _ask_details(titles) + _language(request)),
        ),
        schema=_list_schema("details", len(titles), 20, SMALL_DETAIL_CHARS),
        max_tokens=60 * len(titles) + 20,
        creative=True,
    )


def _about(request: SplitRequest) -> list[str]:
    """Return what is split: the goal, the node, the demands, and what was criticised."""
    lines = [goal_line(request.goal, request.brief)]
    if request.title.strip() != request.goal.strip():
        lines.append(f"Part of it to look at now: {peer_line(request.title)}")
    if request.detail.strip():
        lines.append(f"Details: {peer_line(request.detail)}")
    if request.path[1:]:
        steps = " > ".join(line(step, TITLE_CHARS) for step in request.path)
        lines.append(f"It belongs to: {steps}")
    if demands := demand_lines(request.brief, None if request.part is None else request.part.keeps):
        lines.append(f"It demands:\n{demands}")
    if request.polish is not None:
        lines += _criticised(request.polish)
    return lines


def _criticised(polish: Critiqued) -> list[str]:
    return [
        f"This split was criticised:\n{numbered(polish.parts)}\nCritique:",
        *(f"- {peer_line(text, 200)}" for text in polish.critiques[:5]),
        "Write a better one.",
    ]


def _language(request: SplitRequest) -> str:
    return language_line(request.language or request.brief.language, request.goal)


def _subject(request: SplitRequest) -> list[str]:
    """Return what is split, for a small model: its subject and not what it demands."""
    lines = [f"Goal: {peer_line(subject_of(request.goal, request.brief))}"]
    if request.title.strip() != request.goal.strip():
        lines.append(f"Part of it to look at now: {peer_line(request.title)}")
    if request.polish is not None:
        lines += _criticised(request.polish)
    return lines


def _ask_titles(lens: Lens, titles: Sequence[str]) -> str:
    """Return the request for titles, with those that are known."""
    ask = f"Name the {len(titles)} most important {lens.names}, all different, a few words each"
    for word, title in (("first", titles[0]), ("last", titles[-1])):
        if title:
            ask += f". The {word} is {peer_line(title)}"
    if between := [title for title in titles[1:-1] if title]:
        ask += f". Among them: {', '.join(map(peer_line, between))}"
    return ask + "."


def _ask_details(titles: Sequence[str]) -> str:
    listed = "; ".join(f"{number}. {peer_line(title)}" for number, title in enumerate(titles, 1))
    return f"Write one sentence about each, concrete, in this order: {listed}."


def _list_schema(key: str, count: int, least: int, most: int) -> dict[str, Any]:
    text = {"type": "string", "minLength": least, "maxLength": most}
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": text, "minItems": count, "maxItems": count}},
        "required": [key],
        "additionalProperties": False,
    }


def _ask(lens: Lens, brief: Brief, count: int, *, exact: bool, whole: Part | None = None) -> str:
    """Return the request for parts; with the days and places that code has given them."""
    ask = f"Split it {lens.ask}. "
    unit, total = steps_of(brief)
    bones = frame(brief, count, whole=whole) if lens.ordered and total else ()
    if not bones or bones[0].first is None:
        return ask + (f"Exactly {count} parts." if exact else f"2 to {count} parts.")
    rows = []
    for number, bone in enumerate(bones, start=1):
        assert bone.first is not None
        assert bone.last is not None
        where = f", in {peer_line(bone.place)}" if bone.place else ""
        label = step_label(unit, "en", bone.first, bone.last)
        rows.append(f"{number}. {label}{where}")
    return (
        f"{ask}Exactly {count} parts, in this order:\n"
        + "\n".join(rows)
        + f"\nLeave the {unit}s out of the titles."
    )


def _schema(most: int, *, may_nest: bool, quotes: bool) -> dict[str, Any]:
    part: dict[str, Any] = {
        "title": {"type": "string", "minLength": 2, "maxLength": TITLE_CHARS},
        "detail": {"type": "string", "maxLength": DETAIL_CHARS},
        "after": {"type": "array", "items": {"type": "integer"}},
    }
    if may_nest:
        part["kind"] = {"type": "string", "enum": ["task", "goal"]}
    parts = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": part,
            "required": list(part),
            "additionalProperties": False,
        },
        "minItems": 0,
        "maxItems": most,
    }
    fields: dict[str, Any] = {"parts": parts, "rationale": {"type": "string", "maxLength": 300}}
    if quotes:
        text = {"type": "string", "maxLength": DETAIL_CHARS}
        fields["quotes"] = {"type": "array", "items": text, "maxItems": MOST_QUOTES}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _as_json(parts: Sequence[Part], *, quotes: bool) -> str:
    rows = [{"title": part.title, "detail": part.detail, "after": []} for part in parts]
    answer: dict[str, Any] = {
        "parts": rows,
        "rationale": "Each part can be worked on alone.",
    }
    if quotes:
        answer["quotes"] = []
    return json.dumps(answer, ensure_ascii=False)
