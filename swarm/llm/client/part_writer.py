"""How a task is written: the model drafts, code checks, the model repairs what code found.

A small model corrects itself badly, so it is never asked to review. Code finds what is missing and
asks for that one line; a repair that does not pass the check is not used. A larger model gets the
findings and rewrites its text once; the version that keeps more is used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import structlog

from swarm.brief.checks import Check, check_part, check_plan, share_kept
from swarm.brief.costs import fit_costs
from swarm.brief.gate import refuse_text
from swarm.brief.mend import mend_plan, mend_text
from swarm.brief.mentions import named
from swarm.brief.outline import outline_text
from swarm.brief.part import Part
from swarm.brief.phrases import LANGUAGES, phrases, primary
from swarm.brief.rest_day import is_rest_day, rest_day_of
from swarm.brief.skeleton import without_label
from swarm.core.brief import Cost
from swarm.llm.client.parsing import Unusable
from swarm.llm.client.part_answers import (
    Lines,
    as_markdown,
    free_time,
    read_lines,
    repeats,
    without_repeats,
)
from swarm.llm.client.part_chat import Ask, Chat, Listener, costs_of
from swarm.llm.client.part_filter import fitting
from swarm.llm.client.part_prompts import (
    Form,
    ask_step,
    costs_prompt,
    example_lines,
    forms_of,
    large_prompt,
    money_of,
    points_of,
)
from swarm.llm.client.prompt import Prompt
from swarm.llm.errors import BadAnswer, LLMError
from swarm.llm.requests import DoRequest

log = structlog.get_logger(__name__)

T = TypeVar("T")

MOST_REPAIRS = 4
"""Lines that a small model is asked for again in one task: about four seconds each on two cores."""


async def write_small(
    request: DoRequest, ask: Ask, on_text: Listener | None
) -> tuple[str, tuple[Cost, ...]]:
    """Write a task with a small model; return its Markdown and its items of cost.

    Where the model gives nothing usable, code writes an outline, which says so.

    Args:
        request: The task.
        ask: Calls the model.
        on_text: Called with each piece of text.

    Raises:
        BadAnswer: The model gave nothing usable in a language of which code has no words.
    """
    forms = forms_of(request)
    chat = Chat(ask, request)
    whole = forms[0]
    try:
        lines = await _draft(request, whole, chat, on_text)
    except BadAnswer:
        if primary(_language(request) or "en") not in LANGUAGES:
            raise  # Code has no words of this language.
        log.info("part_by_code", title=request.title)
        return write_outline(request, note=phrases(_language(request)).outline_note)
    for form in forms[1:]:
        whole = replace(whole, steps=(*whole.steps, *form.steps))
        try:
            lines = lines.joined(await _draft(request, form, chat, on_text))
        except BadAnswer:
            log.info("steps_without_lines", title=request.title)
        lines = without_repeats(lines, dishes=form.meals)
    lines = _with_leg(request, lines)
    lines, rested = _with_rest(request, lines)
    for point in points_of(request):
        if point.demand == rested:
            continue
        line = await chat.point(point)
        # Without a line of the model's the demand itself stands there, as a reminder.
        if line or point.label:
            lines = lines.with_point(point.label, line)
    lines = await _mended(request, whole, lines, chat)
    costs: tuple[Cost, ...] = ()
    if (money := money_of(request)) is not None:
        costs = await chat.costs(*money)
    place = request.part.place if request.part is not None else ""
    text = as_markdown(lines, whole, _language(request), place=place)
    return finished(request, text, costs)


def _with_leg(request: DoRequest, lines: Lines) -> Lines:
    """Return the lines with the journey to the part's place on its first day."""
    part, before = request.part, request.place_before
    if part is None or not part.place or not before or named(before, part.place):
        return lines
    if part.first is None or not lines.steps:
        return lines
    if primary(_language(request) or "en") not in LANGUAGES:
        return lines
    leg = phrases(_language(request)).leg.format(before, part.place)
    return lines.with_step(part.first, leg, *dict(lines.steps).get(part.first, ())[1:])


def _with_rest(request: DoRequest, lines: Lines) -> tuple[Lines, int | None]:
    """Return the lines with the day of rest that the part has to keep, and that demand's index."""
    part = request.part
    if part is None or not lines.steps:
        return lines, None
    before = request.place_before
    arrives = bool(part.place and before and not named(before, part.place))
    for index in part.keeps:
        demand = request.brief.demands[index]
        if is_rest_day(demand) and (day := rest_day_of(request.brief, part, arrives=arrives)):
            return lines.with_step(day, demand.name or demand.text), index
    return lines, None


def write_outline(request: DoRequest, *, note: str = "") -> tuple[str, tuple[Cost, ...]]:
    """Write a task by code alone: its steps, its demands, its share of the budget.

    Args:
        request: The task.
        note: What to say first; empty: nothing.
    """
    titles = [part.title for part in request.outline]
    text = outline_text(
        request.brief,
        request.part,
        _language(request),
        demands=[point.label or point.wanted for point in points_of(request)],
        number=titles.index(request.title) if request.title in titles else 0,
        before=request.place_before,
    )
    return finished(request, f"*{note}*\n\n{text}" if note else text, ())


async def write_large(
    request: DoRequest,
    write: Callable[[Prompt, Listener | None], Awaitable[str]],
    ask: Ask,
    on_text: Listener | None,
) -> tuple[str, tuple[Cost, ...]]:
    """Write a task with a larger model; return its Markdown and its items of cost.

    Args:
        request: The task.
        write: Calls the model for a text.
        ask: Calls the model for data.
        on_text: Called with each piece of the first version.

    Raises:
        BadAnswer: The model gave nothing usable.
    """
    prompt = large_prompt(request)
    text = await write(prompt, on_text)
    if faults := _findings(request, text):
        complaint = " ".join(check.text for check in faults[:6])
        try:
            second = await write(prompt.with_feedback(text, complaint), None)
        except LLMError:
            second = text
        if _share(request, second) > _share(request, text):
            text = second
    costs: tuple[Cost, ...] = ()
    if (money := money_of(request)) is not None:
        costs = await costs_of(ask, costs_prompt(prompt, text, *money), money[0])
    return finished(request, text, costs)


def finished(
    request: DoRequest, text: str, costs: tuple[Cost, ...]
) -> tuple[str, tuple[Cost, ...]]:
    """Return a text and its costs with everything mended that code can mend."""
    if request.part is None:
        mended = mend_plan(request.brief, text) if request.whole else text
        return mended or text, fit_costs(request.brief, _everything(request), costs)
    mended = mend_text(request.brief, request.part, text)
    return mended or text, fit_costs(request.brief, request.part, costs)


def _everything(request: DoRequest) -> Part:
    """Return the whole plan as one part, which may cost as much as the budget."""
    budget = request.brief.first("budget")
    share = budget.value if budget is not None else None
    return Part(title=request.title, detail=request.detail, share=share)


async def _draft(request: DoRequest, form: Form, chat: Chat, on_text: Listener | None) -> Lines:
    def read(text: str) -> Lines:
        lines = without_repeats(fitting(read_lines(text, form), request), dishes=form.meals)
        if not lines.steps and not lines.free:
            raise Unusable("no line of it can stand in the plan")
        shown = as_markdown(lines, form, _language(request))
        if why := refuse_text(request.brief, request.goal, shown, examples=example_lines()):
            raise Unusable(why)
        return lines

    return await chat.draft(form, read, on_text)


async def _mended(request: DoRequest, form: Form, lines: Lines, chat: Chat) -> Lines:
    """Return the lines with those that code found missing, where the model writes them."""
    language = _language(request)
    for step in [step for step in form.steps if step not in dict(lines.steps)][:MOST_REPAIRS]:
        line = await chat.line(ask_step(form, step))
        if line and not repeats(lines, line):
            lines = lines.with_step(step, line)
    for step in form.steps:
        if step not in dict(lines.steps):
            cooked = [row for row in lines.steps if len(row[1]) == len(form.fields)]
            others = [row for row in cooked if abs(row[0] - step) > 2] or cooked
            if form.meals and others:
                lines = lines.with_step(step, *others[step % len(others)][1])  # They come again.
            else:
                # Said plainly rather than left out.
                lines = lines.with_step(step, free_time(_where(request), language))
    return lines


def _where(request: DoRequest) -> str:
    if request.part is None:
        # The whole plan is nowhere in particular: its title is the goal's whole text.
        return next((place.name for place in request.brief.of("place") if place.name), "")
    return request.part.place or without_label(request.part.title)


def _language(request: DoRequest) -> str:
    return request.language or request.brief.language


def _checks(request: DoRequest, text: str) -> tuple[Check, ...]:
    if request.part is None:
        return check_plan(request.brief, text)
    return check_part(request.brief, request.part, text)


def _findings(request: DoRequest, text: str) -> list[Check]:
    return [check for check in _checks(request, text) if check.standing == "not met"]


def _share(request: DoRequest, text: str) -> float:
    return share_kept(_checks(request, text))
