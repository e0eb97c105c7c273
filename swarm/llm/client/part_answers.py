"""Read a small model's answer to a task, and write it as Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz, utils

from swarm.brief.mentions import named
from swarm.brief.phrases import LANGUAGES, full_stop, phrases, primary
from swarm.brief.steps import step_label
from swarm.core.brief import MAX_AMOUNT, Cost
from swarm.llm.client.parsing import Unusable, clean_line, strip_thinking, trim_cut
from swarm.llm.client.part_prompts import LINE_CHARS, THING_CHARS, Form

SAME_THING = 85.0
"""token_set_ratio from which two things to do are the same: "the castle", "visit the castle"."""

SAME_DISH = 85.0
"""token_sort_ratio from which two dishes are the same: "eggs on toast" is not "ham on toast"."""

RECENT_DISHES = 6
"""Dishes within which none comes twice: those of two days. A week later it may come again."""

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_STEP = re.compile(rf'\{{((?:\s*"\w+"\s*:\s*{_QUOTED}\s*,?)+)\s*\}}')
_FIELD = re.compile(rf'"\w+"\s*:\s*{_QUOTED}')
_ENDS = re.compile(r"[.!?।۔…]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A part as lines.

    Attributes:
        steps: The things to do in each step that has some, by its number; each at the place of its
            field, empty where it is missing.
        free: What to do, of a part without steps.
        points: (label, text) of lines about demands; the label may be empty.
        spare: Further things to do.
    """

    steps: tuple[tuple[int, tuple[str, ...]], ...] = ()
    free: tuple[str, ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    spare: tuple[str, ...] = ()

    def with_step(self, number: int, *things: str) -> Lines:
        """Return the lines with one step added or replaced."""
        return replace(self, steps=tuple(sorted({**dict(self.steps), number: things}.items())))

    def with_point(self, label: str, text: str) -> Lines:
        """Return the lines with one more line about a demand."""
        return replace(self, points=(*self.points, (label, text)))

    def joined(self, other: Lines) -> Lines:
        """Return these lines followed by those of another answer about the same part."""
        return Lines(
            steps=(*self.steps, *other.steps),
            free=(*self.free, *other.free),
            points=(*self.points, *other.points),
            spare=(*self.spare, *other.spare),
        )


def read_lines(raw: str, form: Form) -> Lines:
    """Return the lines of an answer; what is missing or empty is left out.

    Args:
        raw: What the model wrote: JSON of the form, possibly cut short.
        form: What was asked for.

    Raises:
        Unusable: There is not one line in it.
    """
    found = _object_in(raw)
    key = f"{form.unit}s" if form.steps else "lines"
    rows: list[tuple[str, ...]] = []
    if found and form.steps:
        rows = [_row(item, form.fields) for item in _list(found.get(key))]
    if found is None:  # Cut short: what is whole is used.
        rows = [
            tuple(_thing(_unescaped(field[1])) for field in _FIELD.finditer(match[1]))
            for match in _STEP.finditer(raw)
        ]
    steps = tuple(
        (number, things)
        for number, row in zip(form.steps, rows, strict=False)
        if any(things := row)
    )
    lines = Lines(
        steps=steps,
        free=() if form.steps or not found else _texts(found.get(key)),
        spare=_texts(found.get("spare")) if found else (),
    )
    if not lines.steps and not lines.free:
        raise Unusable("no lines were in the answer")
    return lines


def read_line(raw: str) -> str:
    """Return the single line of an answer.

    Raises:
        Unusable: There is none.
    """
    found = _object_in(raw)
    line = _sentence(str(found.get("sentence", ""))) if found else ""
    if not line:
        raise Unusable("the line was empty")
    return line


def read_costs(raw: str) -> tuple[Cost, ...]:
    """Return the items of cost of an answer, each once; those that are none are left out.

    Raises:
        Unusable: There is no list of costs.
    """
    found = _object_in(raw)
    if not found or not isinstance(found.get("costs"), list):
        raise Unusable("no list of costs was in the answer")
    items: dict[str, Cost] = {}
    for item in found["costs"]:
        if not isinstance(item, dict):
            continue
        what, amount = clean_line(str(item.get("what", "")), max_chars=60), item.get("amount")
        if what and isinstance(amount, int) and not isinstance(amount, bool) and amount > 0:
            items.setdefault(what.casefold(), Cost(what=what, amount=min(amount, MAX_AMOUNT)))
    return tuple(items.values())


def repeats(lines: Lines, text: str) -> bool:
    """Return whether a text only names something again that is in the lines."""
    known = [thing for _, things in lines.steps for thing in things if thing]
    return any(_same(text, other, dishes=False) for other in known)


def without_repeats(lines: Lines, *, dishes: bool = False) -> Lines:
    """Return the lines with each thing once; spare things stand in for those named again.

    Args:
        lines: The lines.
        dishes: Whether the things are dishes, many of which have ingredients in common.
    """
    seen: list[str] = []
    spare = [thing for thing in lines.spare if thing]

    def known_things() -> list[str]:
        """Return what may not come again: of dishes, only those of the last days."""
        return seen[-RECENT_DISHES:] if dishes else seen

    def fresh(thing: str) -> str:
        if not any(_same(thing, other, dishes=dishes) for other in known_things()):
            seen.append(thing)
            return thing
        while spare:
            other = spare.pop(0)
            if not any(_same(other, known, dishes=dishes) for known in known_things()):
                seen.append(other)
                return other
        return ""

    steps = []
    for number, things in lines.steps:
        kept = tuple(fresh(thing) if thing else "" for thing in things)
        if any(kept):
            steps.append((number, kept))
    return replace(
        lines,
        steps=tuple(steps),
        free=tuple(filter(None, (fresh(text) for text in lines.free))),
        points=tuple(dict.fromkeys(lines.points)),
        spare=tuple(spare),
    )


def free_time(where: str, language: str) -> str:
    """Return what a step says for which nothing was found: that it is free, and where if known."""
    return phrases(language).free_time.format(where).rstrip(": ")


def as_markdown(lines: Lines, form: Form, language: str, *, place: str = "") -> str:
    """Return a part's lines as Markdown bullet points.

    Args:
        lines: The lines.
        form: What was asked for.
        language: BCP 47 tag of the labels of days and weeks.
        place: Where the part is: a day or week that does not name it begins with it. Empty: none.
    """
    words = phrases(language)
    # A language without phrases of its own gets none, rather than English ones between its lines.
    known = form.unit == "day" and primary(language or "en") in LANGUAGES
    names = [str(getattr(words, field)) for field in form.fields] if known else []
    stop = full_stop(language)
    rows = []
    for number, things in lines.steps:
        texts = [_capital(thing).rstrip(f".{stop}") for thing in things]
        if len(texts) == len(names):
            texts = [
                f"{name}: {text}" if text else "" for name, text in zip(names, texts, strict=True)
            ]
        texts = list(filter(None, texts))
        if place and not named(place, " ".join(things)):
            texts.insert(0, place)  # Alone, as its case endings differ from language to language.
        label = step_label(form.unit, language, number)
        rows.append(f"- **{label}:** {f'{stop} '.join(texts)}{stop}")
    rows += [f"- {text}" for text in lines.free]
    rows += [_labelled(label, text) for label, text in lines.points]
    return "\n".join(rows)


def _labelled(label: str, text: str) -> str:
    if not text:
        return f"- **{label}**"
    return f"- **{label}:** {text}" if label else f"- {text}"


def _same(one: str, other: str, *, dishes: bool) -> bool:
    alike, least = (
        (fuzz.token_sort_ratio, SAME_DISH) if dishes else (fuzz.token_set_ratio, SAME_THING)
    )
    return alike(one, other, processor=utils.default_process) >= least


def _object_in(raw: str) -> dict[str, Any] | None:
    try:
        found = json.loads(strip_thinking(raw))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _row(item: object, names: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(item, dict):
        return ()
    return tuple(_thing(str(item.get(name, ""))) for name in names)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(filter(None, (_sentence(str(item)) for item in _list(value))))


def _thing(text: str) -> str:
    """Return a thing to do in one piece; one that filled its room loses its last words."""
    line = clean_line(text, max_chars=2 * THING_CHARS)
    if len(text) < THING_CHARS - 1:
        return line
    comma = max(line.rfind(mark) for mark in (",", ";", "،", " ("))
    return line[:comma] if comma > THING_CHARS // 3 else line.rpartition(" ")[0]


def _sentence(text: str) -> str:
    """Return a line that ends; one that filled its room is cut back to a sentence or clause."""
    line = clean_line(text, max_chars=2 * LINE_CHARS)
    if not line or _ENDS.search(line):
        return line
    if len(text) < LINE_CHARS - 2:
        return line + "."
    cut = trim_cut(line)
    if not cut.endswith("…"):
        return cut
    clause = max(line.rfind(mark) for mark in (",", ";", "،"))
    return line[:clause] + "." if clause > LINE_CHARS // 2 else cut


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
