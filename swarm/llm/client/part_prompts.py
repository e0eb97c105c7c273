"""The prompts for one task: a part of the plan, or a whole draft of it.

A small model answers as JSON that its grammar forces into the right form: two short things for each
day or week of the part. So no day is missing or comes twice, and code writes the Markdown
(`swarm.llm.client.part_answers`). What follows (a line for each demand that the part has to keep,
the costs) is asked in the same chat, whose beginning the server has evaluated. A larger model
writes Markdown itself; code checks it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from swarm.brief.language import detect
from swarm.brief.part import Part
from swarm.brief.skeleton import range_of, route_of, steps_of
from swarm.brief.steps import step_label
from swarm.brief.subject import subject_of
from swarm.core.brief import Brief, Demand
from swarm.llm.client.brief_lines import (
    DEMAND_CHARS,
    around_lines,
    demand_lines,
    goal_line,
    outline_lines,
    plan_lines,
)
from swarm.llm.client.parsing import TITLE_CHARS, clip
from swarm.llm.client.prompt import Prompt, block, language_line, line, peer_line, turn
from swarm.llm.client.split_prompts import has_meals
from swarm.llm.requests import DoRequest

SMALL_INPUT_CHARS = 400
"""Characters of each earlier result that a small model gets."""

INPUT_CHARS = 4_000
"""Characters of each earlier result that a larger model gets."""

LINE_CHARS = 200
"""Longest line that a small model may write, in characters: one or two sentences."""

LINE_TOKENS = 50
"""Tokens of such a line, at most, in English."""

THING_CHARS = 90
"""Longest thing to do in a day or week: a few words."""

THING_TOKENS = 24
"""Tokens of such a thing, at most, in English."""

FREE_LINES = 4
"""Lines of a part without days."""

SPARE_THINGS = 3
"""Further things to do, which replace those that a small model names twice."""

MOST_STEPS = 12
"""Most days or weeks in one answer: about half a minute on two cores. A longer part is asked for in
several."""

MOST_POINTS = 4
"""Most demands that get a line of their own in one part: about three seconds each on two cores."""

MOST_POINTS_WHOLE = 8
"""The same in a whole draft."""

LABEL_CHARS = 90
"""Longest label of such a line: a demand in the goal's words."""

COST_ITEMS = (2, 4)
"""Fewest and most items of cost in one answer."""

COST_TOKENS = 120
"""Token limit of the items of cost."""

PLAIN_TOKENS = 500
"""Token limit of a small model's answer to a goal without days."""

FIELDS = {
    "day": ("morning", "afternoon"),
    "week": ("first", "then", "finally"),
    "meals": ("breakfast", "lunch", "dinner"),
}
"""What an answer has for each step, by unit; for each day of a meal plan it has the meals."""

LARGE_TOKENS = 1_600
"""Token limit of a larger model's part; a whole draft gets twice as much."""

OWN_LINE = frozenset(("must", "count", "place", "people"))
"""Kinds of demands for which a part has a line."""

SYSTEM = (
    "You write one part of a larger plan, concrete and useful: what to do, where, in which order. "
    "Do not invent opening hours, phone numbers or links. "
)
_SMALL = "Every day is different. Answer as JSON."
_LARGE = (
    "Write only this part, as Markdown bullet points, at most 400 words, no title. "
    "Keep every demand that is listed for it."
)
_PLAIN = (
    "You do what the goal asks, completely and to the point. Answer with the result alone, as "
    "Markdown, without an introduction. Do not invent opening hours, phone numbers or links."
)
_LARGE_WHOLE = (
    "Write the whole plan as Markdown with headings, at most 900 words. Keep every demand."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A demand that gets a line of its own.

    Attributes:
        demand: Index of the demand in the brief.
        wanted: The demand in the goal's words.
        label: What stands before the line; empty if the goal is in another language than the plan.
    """

    demand: int
    wanted: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What the answer of a small model has to hold.

    Attributes:
        unit: "day" or "week"; empty: the part has no steps.
        steps: The numbers of its steps, in order.
        lines: How many free lines, if it has no steps.
        meals: Whether each of its days has meals.
    """

    unit: str = ""
    steps: tuple[int, ...] = ()
    lines: int = 0
    meals: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """What the answer has for each step."""
        return FIELDS["meals"] if self.meals else FIELDS.get(self.unit, FIELDS["day"])


def forms_of(request: DoRequest) -> tuple[Form, ...]:
    """Return the forms of the answers for a task: more than one if it has very many steps."""
    span = range_of(request.brief, request.part)
    if span is None:
        return (Form(lines=FREE_LINES),)
    unit, _ = steps_of(request.brief)
    steps = tuple(range(span[0], span[1] + 1))
    meals = has_meals(request.goal, request.brief)
    return tuple(
        Form(unit=unit, steps=steps[at : at + MOST_STEPS], meals=meals)
        for at in range(0, len(steps), MOST_STEPS)
    )


def points_of(request: DoRequest) -> tuple[Point, ...]:
    """Return the demands that get a line of their own in a text, each once."""
    brief, part = request.brief, request.part
    kept = range(len(brief.demands)) if part is None else part.keeps
    points = {
        point.wanted: point
        for index in kept
        if index < len(brief.demands) and _needs_line(brief, brief.demands[index], part)
        for point in [_point_of(request, index)]
    }
    most = MOST_POINTS if part is not None else MOST_POINTS_WHOLE
    return tuple(points.values())[:most]


def _point_of(request: DoRequest, index: int) -> Point:
    """Return the line that a demand gets."""
    wanted = peer_line(request.brief.demands[index].text, DEMAND_CHARS)
    language = request.language or request.brief.language
    same = not language or detect(request.goal).split("-")[0] in ("", language.split("-")[0])
    label = clip(wanted.rstrip(".!:;,।۔ "), LABEL_CHARS) if same else ""
    return Point(demand=index, wanted=wanted, label=label[:1].upper() + label[1:])


def _needs_line(brief: Brief, demand: Demand, part: Part | None) -> bool:
    """Return whether a demand needs a line of its own: a place in the part's title does not."""
    if demand.kind not in OWN_LINE:
        return False
    if demand.kind != "place":
        return True
    # The aim of the whole journey needs none either.
    stop = any(demand is other for other in route_of(brief))
    named = part is not None and demand.name is not None and demand.name in part.title
    return stop and not named


def money_of(request: DoRequest) -> tuple[str, int | None] | None:
    """Return the currency of a task's costs and the most they may come to; None: not wanted."""
    budget = request.brief.first("budget")
    if budget is None and request.brief.first("costs") is None:
        return None
    limit = budget.value if budget is not None else None
    if request.part is not None and request.part.share is not None:
        limit = request.part.share
    return (budget.unit if budget is not None else None) or "EUR", limit


def part_prompt(request: DoRequest, *, small: bool) -> Prompt:
    """Return the first prompt for a task."""
    return small_prompt(request, forms_of(request)[0]) if small else large_prompt(request)


def small_prompt(request: DoRequest, form: Form) -> Prompt:
    """Return the prompt for a small model, with an example that has the same form.

    Args:
        request: The task.
        form: What the answer has to hold.
    """
    example_ask, example = _example(form)
    lines = _small_lines(request, form)
    place = request.part.place if request.part is not None else ""
    lines.append(_ask(form, f" in or near {peer_line(place)}" if place else ""))
    language = language_line(request.language or request.brief.language, request.goal)
    tokens = LINE_TOKENS * form.lines + 30
    if form.steps:
        things = len(form.fields) * len(form.steps)
        tokens += (THING_TOKENS + 5) * things + THING_TOKENS * SPARE_THINGS
    return Prompt(
        messages=(
            turn("system", SYSTEM + _SMALL),
            turn("user", example_ask),
            turn("assistant", json.dumps(example, ensure_ascii=False)),
            turn("user", "\n".join(lines) + language),
        ),
        schema=_schema(form),
        max_tokens=tokens,
        creative=True,
    )


def large_prompt(request: DoRequest) -> Prompt:
    """Return the prompt for a larger model."""
    form = forms_of(request)[0]
    span = range_of(request.brief, request.part)
    lines = _task_lines(request, INPUT_CHARS)
    if span is not None:
        label = step_label(form.unit, request.brief.language or "en", span[0])
        lines.append(
            f"One bullet point for each {form.unit} from {span[0]} to {span[1]}, "
            f"each beginning like this: **{label}:**"
        )
    if request.part is not None and (kept := demand_lines(request.brief, request.part.keeps)):
        lines.append(f"This part has to keep:\n{kept}")
    if request.earlier:
        lines.append(f"An earlier version:\n{block(request.earlier, INPUT_CHARS)}")
        lines.append("What was wrong with it:")
        lines += [f"- {peer_line(text, 300)}" for text in request.critiques[:8]]
        lines.append("Write a better version.")
    language = language_line(request.language or request.brief.language, request.goal)
    whole = request.whole
    return Prompt(
        messages=(
            turn("system", SYSTEM + (_LARGE_WHOLE if whole else _LARGE)),
            turn("user", "\n".join(lines) + language),
        ),
        max_tokens=LARGE_TOKENS * (2 if whole else 1),
        creative=True,
    )


def plain_prompt(request: DoRequest) -> Prompt:
    """Return the prompt for a whole goal without days, as a person would type it into a chat.

    A form of steps would be wrong for "write a haiku", and a small model knows such tasks.
    """
    lines = [goal_line(request.goal, request.brief)]
    if demands := demand_lines(request.brief):
        lines.append(f"It demands:\n{demands}")
    lines += _wish_lines(request)
    if request.critiques:
        lines.append("What was wrong with an earlier version:")
        lines += [f"- {peer_line(text, 200)}" for text in request.critiques[:4]]
    language = language_line(request.language or request.brief.language, request.goal)
    return Prompt(
        messages=(turn("system", _PLAIN), turn("user", "\n".join(lines) + language)),
        max_tokens=PLAIN_TOKENS,
        creative=True,
    )


def more_prompt(prompt: Prompt, answer: str, ask: str) -> Prompt:
    """Return the prompt for one more line, in the chat that wrote the part.

    Args:
        prompt: The part's prompt.
        answer: The model's answer to it, as it was.
        ask: What the line has to be; see `ask_point` and `ask_step`.
    """
    ask = f'{ask} As JSON with the key "sentence".'
    return _after(prompt, answer, ask, {"sentence": _text(20, LINE_CHARS)}, LINE_TOKENS + 10)


def ask_point(point: Point) -> str:
    """Return what asks for the line of a demand."""
    return (
        f'The person who asked wants this: "{point.wanted}". Write one sentence that says how your '
        "part does it, with names and numbers."
    )


def ask_step(form: Form, step: int) -> str:
    """Return what asks for the line of a day or week that has none yet."""
    label = step_label(form.unit, "en", step)
    what = "a dish for" if form.meals else "something to do in"
    return f"Write one more sentence: {what} {label} that no other {form.unit} has."


def costs_prompt(prompt: Prompt, answer: str, currency: str, limit: int | None) -> Prompt:
    """Return the prompt for the items of cost of a part, in the chat that wrote it.

    Args:
        prompt: The part's prompt.
        answer: The model's answer to it.
        currency: ISO 4217.
        limit: The most that they may come to, in whole units; None: no limit.
    """
    fewest, most = COST_ITEMS
    at_most = f", together at most {limit:,}" if limit is not None else ""
    ask = (
        f"What in your part costs money? {fewest} to {most} items with whole amounts in "
        f'{currency}{at_most}. As JSON with the key "costs".'
    )
    amount: dict[str, Any] = {"type": "integer", "minimum": 0}
    if limit is not None:
        amount["maximum"] = limit
    items = {
        "type": "array",
        "items": _object({"what": _text(3, 50), "amount": amount}),
        "minItems": fewest,
        "maxItems": most,
    }
    return _after(prompt, answer, ask, {"costs": items}, COST_TOKENS)


def _after(
    prompt: Prompt, answer: str, ask: str, properties: dict[str, Any], tokens: int
) -> Prompt:
    return Prompt(
        messages=(*prompt.messages, turn("assistant", answer), turn("user", ask)),
        schema=_object(properties),
        max_tokens=tokens,
        creative=True,
    )


def _task_lines(request: DoRequest, input_chars: int) -> list[str]:
    lines = [plan_lines(request.goal, request.brief, request.outline, request.today)]
    lines += _input_lines(request, input_chars)
    return [*lines, *_part_lines(request, around=True), *_wish_lines(request)]


def _part_lines(request: DoRequest, *, around: bool) -> list[str]:
    """Return what the task is.

    Args:
        request: The task.
        around: Whether to say what comes before and after it.
    """
    if request.whole:
        return ["Write the whole plan."]
    lines = [f"Your part: {peer_line(request.title)}"]
    if request.detail:
        lines.append(f"It should cover: {peer_line(request.detail)}")
    if around and request.part is not None:
        beside = around_lines(request.part, request.outline, request.place_before)
        lines += [beside] if beside else []
    return lines


def _input_lines(request: DoRequest, most: int) -> list[str]:
    if not request.inputs:
        return []
    return [
        "Already done:",
        *(f"## {line(title, TITLE_CHARS)}\n{block(text, most)}" for title, text in request.inputs),
    ]


def _wish_lines(request: DoRequest) -> list[str]:
    if not request.wishes:
        return []
    return [
        "The person who asked wants it changed:",
        *(f"- {peer_line(wish, 300)}" for wish in request.wishes),
    ]


def _small_lines(request: DoRequest, form: Form) -> list[str]:
    """Return what a small model is told of its task: the subject, and the demands of this part.

    The demands of other parts are left out, or it would write of them in every part (measured), and
    so is the outline where parts have no days. Demands that get a line of their own are asked for
    one by one afterwards.
    """
    brief, dated = request.brief, bool(form.steps)
    lines = [f"Goal: {peer_line(subject_of(request.goal, brief))}"]
    lines += outline_lines(request.outline) if dated else []
    lines += _input_lines(request, SMALL_INPUT_CHARS)
    lines += _part_lines(request, around=dated)
    if banned := [peer_line(demand.text, DEMAND_CHARS) for demand in brief.of("must_not")]:
        lines.append(f"To respect: {'; '.join(dict.fromkeys(banned))}.")
    lines += _wish_lines(request)
    if request.critiques:
        lines.append("What was wrong with it:")
        lines += [f"- {peer_line(text, 200)}" for text in request.critiques[:4]]
    return lines


def _ask(form: Form, where: str = "") -> str:
    lines = ["Write as JSON:"]
    if form.steps:
        label = step_label(form.unit, "en", form.steps[0], form.steps[-1])
        *most, last = (f'"{field}"' for field in form.fields)
        thing = "one dish with its main ingredients" if form.meals else f"one thing to do{where}"
        named = "" if form.meals else ", with its name"
        lines.append(
            f'"{form.unit}s": for each of {label} {", ".join(most)} and {last}: {thing}{named}, '
            "in a few words, never twice."
        )
        lines.append(f'"spare": {SPARE_THINGS} more such {"dishes" if form.meals else "things"}.')
    else:
        lines.append(
            f'"lines": the {form.lines} steps of your part in order, one sentence each, with names '
            "and numbers."
        )
    return "\n".join(lines)


def _text(least: int, most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": least, "maxLength": most}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(item: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def _schema(form: Form) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if form.steps:
        step = _object({field: _text(6, THING_CHARS) for field in form.fields})
        properties[f"{form.unit}s"] = _list_of(step, len(form.steps))
        properties["spare"] = _list_of(_text(6, THING_CHARS), SPARE_THINGS)
    else:
        properties["lines"] = _list_of(_text(20, LINE_CHARS), form.lines)
    return _object(properties)


_TOUR = (
    "Goal: Plan a nine {unit} tour of a puppet theatre through Iceland\nThe plan's parts:\n"
    "1. {unit}s 1-3: Reykjavík\n2. {unit}s 4-5: Vík\n3. {unit}s 6-7: Höfn\n"
    "4. {unit}s 8-9: Akureyri\nYour part: {unit}s 4-5: Vík\n"
    "It should cover: A show for schools, repairs of the stage.\n"
    "Before it: {unit}s 1-3: Reykjavík.\nAfter it: {unit}s 6-7: Höfn.\n"
)
_Rows = tuple[tuple[str, ...], ...]

_TOUR_THINGS: _Rows = (
    ("Bolt the stage together in the fish hall", "Test the lamps with the ropemaker"),
    ("Play the wolf tale at ten", "Mend the torn velvet curtain"),
)
_TOUR_SPARE = (
    "Hang posters at the lighthouse",
    "Paint the wolf puppet's ears",
    "Grease the wheels of the stage wagon",
)
_DOGS = (
    "Goal: Feed the sled dogs on a nine day race\nYour part: Days 4-5: Breakfast, lunch, dinner\n"
)
_DOG_DISHES: _Rows = (
    ("Warm lamb broth with barley", "Frozen lamb fat in slices", "Kale and rice in lamb broth"),
    ("Oat mash with lamb liver", "Dried whitefish", "Lamb stew with carrots"),
)
_DOG_SPARE = ("Barley mash with egg", "Whitefish soup", "Lamb tripe with turnips")
_TOUR_WEEKS: _Rows = (
    (
        "Reserve the fish hall by letter",
        "Bolt the stage together and test the lamps",
        "Play the wolf tale twice",
    ),
    (
        "Mend the torn velvet curtain",
        "Write to the next harbour",
        "Pack the puppets in straw",
    ),
)
_BOAT = (
    "Goal: Restore an old rowing boat\nYour part: Paint and oil\n"
    "It should cover: Sand it, two coats outside, linseed oil inside.\n"
)
_BOAT_LINES = (
    "Sand the outside with grain 80 and then 120, and vacuum every seam.",
    "Brush on two thin coats of grey marine paint, a dry day apart, on trestles.",
    "Warm the linseed oil, rub it into the planks with a cloth, wipe off the rest.",
    "Draw the letters on the stern with a stencil once the second coat is hard.",
)


def _example(form: Form) -> tuple[str, dict[str, Any]]:
    """Return a worked example with the same fields as the form."""
    if not form.steps:
        return _BOAT + _ask(Form(lines=len(_BOAT_LINES))), {"lines": list(_BOAT_LINES)}
    if form.meals:
        question, things, spare = _DOGS, _DOG_DISHES, _DOG_SPARE
    else:
        unit = form.unit
        question = _TOUR.replace("{unit}s", f"{unit.capitalize()}s").replace("{unit}", unit)
        spare = _TOUR_SPARE
        things = _TOUR_WEEKS if unit == "week" else _TOUR_THINGS
    days = [dict(zip(form.fields, row, strict=True)) for row in things]
    example = Form(unit=form.unit, steps=(4, 5), meals=form.meals)
    return question + _ask(example), {f"{form.unit}s": days, "spare": list(spare)}


EXAMPLE_WORDS = frozenset(
    (
        *("puppet", "puppets", "iceland", "reykjavík", "vík", "höfn", "akureyri"),
        *("oars", "rudder", "keel", "rowlocks", "thwarts", "caulk", "trestles"),
        *("rowing", "linseed", "ropemaker", "bagpipes", "sled", "whitefish", "tripe"),
    )
)
"""Words of the worked examples that belong into no other plan, unless its goal has them."""


def example_lines() -> tuple[str, ...]:
    """Return the lines of the worked examples, which must not come back as an answer."""
    rows = (*_TOUR_THINGS, *_TOUR_WEEKS, *_DOG_DISHES)
    things = tuple(thing for row in rows for thing in row)
    return (*things, *_TOUR_SPARE, *_DOG_SPARE, *_BOAT_LINES)
