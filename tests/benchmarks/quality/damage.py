"""Ways to damage a perfect plan in one respect, each with the one check that must find it."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.quality import perfect
from benchmarks.quality.gazetteer import Place
from benchmarks.quality.goals import Goal, Money, date_text, number_text, written
from benchmarks.quality.wording import WORDINGS


@dataclass(frozen=True, slots=True)
class Damage:
    """A damage.

    Attributes:
        name: What is done.
        check: The check that must find it.
        apply: Returns the damaged text, or None if a goal has nothing to damage in this way.
    """

    name: str
    check: str
    apply: Callable[[Goal], str | None]


def _drop_label(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    _, lines = draft.stages.pop(2)
    draft.stages[1][1].extend(lines)
    return draft.text(goal)


def _swap_labels(goal: Goal) -> str | None:
    if goal.length < 4:
        return None
    draft = perfect.draft(goal)
    (a, first), (b, second) = draft.stages[1:3]
    draft.stages[1:3] = [(b, first), (a, second)]
    return draft.text(goal)


def _label(goal: Goal, number: int) -> str:
    frame = goal.wording.frame
    form = frame.day if goal.unit == "day" else frame.week
    return form.format(n=written(number, goal.language))


def _filler(goal: Goal, number: int, language: str = "") -> str:
    frame = WORDINGS[language or goal.language].frame
    return f"{frame.first[number % 7]}, {frame.second[(number + 2) % 6]}"


def _stop(goal: Goal) -> str:
    return {"hi": "।", "bn": "।", "ur": "۔"}.get(goal.language, ".")


def _with_stage(goal: Goal, number: int) -> str:
    draft = perfect.draft(goal)
    draft.stages.append((_label(goal, number), [_filler(goal, 9) + _stop(goal)]))
    return draft.text(goal)


def _double_label(goal: Goal) -> str | None:
    return _with_stage(goal, 2)


def _one_too_many(goal: Goal) -> str | None:
    return _with_stage(goal, goal.length + 1)


def _wrong_date(goal: Goal) -> str | None:
    if goal.start is None:
        return None
    draft = perfect.draft(goal)
    size = 1 if goal.unit == "day" else 7
    date = goal.start + datetime.timedelta(days=size + 9)
    heading = f"{_label(goal, 2)} ({date_text(date, goal.wording)})"
    draft.stages[1] = (heading, draft.stages[1][1])
    return draft.text(goal)


def _unused(goal: Goal) -> Place:
    assert goal.country is not None
    text = perfect.write(goal)
    return next(
        town
        for town in reversed(goal.country.towns)
        if not any(name in text for name in town.names)
    )


def _renamed(goal: Goal, place: Place | None) -> str | None:
    if not goal.is_trip or place is None:
        return None
    other = _unused(goal).name(goal.language)
    return perfect.write(goal).replace(place.name(goal.language), other)


def _other_start(goal: Goal) -> str | None:
    return _renamed(goal, goal.start_place)


def _other_end(goal: Goal) -> str | None:
    return _renamed(goal, goal.end_place)


def _other_visit(goal: Goal) -> str | None:
    return _renamed(goal, goal.visits[0] if goal.visits else None)


def _broken_leg(goal: Goal) -> str | None:
    if not goal.is_trip:
        return None
    draft = perfect.draft(goal)
    assert goal.country is not None
    leg = goal.wording.frame.leg
    for _, lines in draft.stages[2:]:
        for a, b in itertools.permutations(goal.country.towns, 2):
            named = leg.format(a=a.name(goal.language), b=b.name(goal.language))
            if lines[0].startswith(named):
                wrong = leg.format(a=_unused(goal).name(goal.language), b=b.name(goal.language))
                lines[0] = lines[0].replace(named, wrong)
                return draft.text(goal)
    return None


def _wrong_count(goal: Goal) -> str | None:
    counted = goal.counts[0]
    text = perfect.write(goal)
    right = number_text(counted.number, goal.wording, word=True)
    wrong = number_text(counted.number + 4, goal.wording, word=True)
    line = counted.count.done.format(n=right)
    return text.replace(line, counted.count.done.format(n=wrong))


def _few_costs(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    if draft.total is None:
        return None
    draft.costs = draft.costs[:2]
    draft.total = Money(sum(m.amount for _, m in draft.costs), draft.total.currency)
    return draft.text(goal)


def _wrong_total(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    if draft.total is None:
        return None
    draft.total = Money(draft.total.amount * 21 // 20, draft.total.currency)
    return draft.text(goal)


def _too_dear(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    if draft.total is None:
        return None
    draft.costs = [(name, Money(2 * m.amount, m.currency)) for name, m in draft.costs]
    draft.total = Money(2 * draft.total.amount, draft.total.currency)
    return draft.text(goal)


def _without_line(goal: Goal, line: str) -> str:
    return perfect.write(goal).replace(f"- {line}\n", "").replace(f"\n- {line}", "")


def _drop_demand(goal: Goal) -> str | None:
    return _without_line(goal, goal.demands[-1].done)


def _drop_first_demand(goal: Goal) -> str | None:
    return _without_line(goal, goal.demands[0].done)


def _break_ban(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[1][1].append(goal.bans[0].broken)
    return draft.text(goal)


def _break_last_ban(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[0][1].append(goal.bans[-1].broken)
    return draft.text(goal)


def _cut(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[1][1].append(_filler(goal, 3)[:-4])
    return draft.text(goal)


def _cut_at_comma(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[1][1].append(_filler(goal, 3).split(",")[0] + ",")
    return draft.text(goal)


def _pasted(line: str) -> Callable[[Goal], str | None]:
    def apply(goal: Goal) -> str:
        draft = perfect.draft(goal)
        draft.stages[1][1].append(line)
        return draft.text(goal)

    return apply


def _echoed_goal(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[1][1].insert(0, f"Goal: {goal.text}")
    return draft.text(goal)


def _translated(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    other = "en" if goal.language != "en" else "ms"
    for number, (_, lines) in enumerate(draft.stages[:10]):
        lines[:0] = [f"{_filler(goal, 4 * number + k, other)}." for k in range(4)]
    return draft.text(goal)


def _repeated(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    line = f"{_filler(goal, 1)}{_stop(goal)} {_filler(goal, 2)}{_stop(goal)}"
    if goal.family in ("meals", "training"):
        return None  # They repeat on purpose.
    for _, lines in draft.stages[:3]:
        lines.append(line)
    draft.rest.append((goal.wording.frame.second[0], [line]))
    return draft.text(goal)


def _looped(goal: Goal) -> str | None:
    draft = perfect.draft(goal)
    draft.stages[1][1].append(", ".join([goal.wording.frame.first[0]] * 6) + _stop(goal))
    return draft.text(goal)


DAMAGES = (
    Damage("a label is dropped", "covered once", _drop_label),
    Damage("a label comes twice", "covered once", _double_label),
    Damage("a day or week too many", "covered once", _one_too_many),
    Damage("two labels are swapped", "in order", _swap_labels),
    Damage("a date is wrong", "dates", _wrong_date),
    Damage("it starts elsewhere", "start place", _other_start),
    Damage("it ends elsewhere", "end place", _other_end),
    Damage("a place is left out", "visits", _other_visit),
    Damage("a leg starts where nobody is", "legs", _broken_leg),
    Damage("a number is wrong", "counts", _wrong_count),
    Damage("two costs only", "costs listed", _few_costs),
    Damage("the total is wrong", "adds up", _wrong_total),
    Damage("it is too dear", "within budget", _too_dear),
    Damage("the last demand is dropped", "demands", _drop_demand),
    Damage("the first demand is dropped", "demands", _drop_first_demand),
    Damage("the first ban is ignored", "bans", _break_ban),
    Damage("the last ban is ignored", "bans", _break_last_ban),
    Damage("a sentence is cut", "whole", _cut),
    Damage("a sentence is cut at a comma", "whole", _cut_at_comma),
    Damage("a special token", "markers", _pasted("<|im_end|>")),
    Damage("a label of a prompt", "markers", _pasted("Your part: Sintra.")),
    Damage("remains of JSON", "markers", _pasted('{"title": "A", "detail": "B"}.')),
    Damage("the goal as a prompt has it", "markers", _echoed_goal),
    Damage(
        "an example",
        "examples",
        _pasted("Unload the van, two evening shows in the harbour theatre."),
    ),
    Damage("another language", "language", _translated),
    Damage("a line in every section", "repetition", _repeated),
    Damage("a loop", "repetition", _looped),
)
"""Every damage."""
