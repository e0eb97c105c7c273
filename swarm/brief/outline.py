"""A plan that code alone can make: its days, places and the goal's own demands, in its language.

It stands in where a model cannot write the language of the goal (the embedded one writes no Hindi,
Urdu or Bengali; see docs/measurements.md) or gave nothing usable. It invents nothing but general
advice, and the plan says that code made it.
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.part import Part
from swarm.brief.phrases import full_stop, phrases
from swarm.brief.skeleton import range_of, route_of, steps_of
from swarm.brief.steps import StepUnit, step_label
from swarm.core.brief import Brief

FREE_LINES = 3
"""Lines of general advice in a part without days."""


def outline_titles(brief: Brief, count: int) -> tuple[str, ...]:
    """Return titles of parts that follow each other: the goal's places, else general stages.

    Args:
        brief: What the goal demands; its language is the titles'.
        count: How many parts are wanted; fewer if there are not so many titles.
    """
    route = [demand.name or "" for demand in route_of(brief)]
    if len(route) >= min(2, count):
        return tuple(route[: max(2, count)])
    stages = phrases(brief.language).stages
    count = max(2, min(count, len(stages)))
    # The first and the last stage are in every plan.
    return (*stages[: count - 1], stages[-1])


def outline_text(
    brief: Brief,
    part: Part | None,
    language: str,
    *,
    demands: Sequence[str],
    number: int = 0,
    before: str = "",
) -> str:
    """Return a part's text without a model: one line for each of its steps and demands.

    Args:
        brief: What the goal demands.
        part: The part with its skeleton; None: the whole plan.
        language: BCP 47 tag of the words that code adds.
        demands: The demands that get a line, in the goal's words.
        number: Index of the part in the plan, so that parts do not repeat each other.
        before: Where the plan is when the part begins; empty: not known.

    Returns:
        Markdown bullet points.
    """
    word = phrases(language)
    place = part.place if part is not None else ""
    span = range_of(brief, part)
    if span is None:
        advice = [
            word.work[(number * FREE_LINES + at) % len(word.work)] for at in range(FREE_LINES)
        ]
        return "\n".join(f"- {text}" for text in (*advice, *demands))
    unit: StepUnit = "week" if steps_of(brief)[0] == "week" else "day"
    steps = range(span[0], span[1] + 1)
    wanted = list(demands)
    each = -(-len(wanted) // len(steps))
    rows = []
    for step in steps:
        if place:
            advice = [word.travel[(step - span[0]) % len(word.travel)].format(place)]
        else:
            advice = [word.work[step % len(word.work)]]
        if step == span[0] and place and before and before != place:
            advice = [word.leg.format(before, place)]
        advice += wanted[:each]
        del wanted[:each]
        stop = full_stop(language)
        rows.append(f"- **{step_label(unit, language, step)}:** {f'{stop} '.join(advice)}{stop}")
    return "\n".join(rows)
