"""JSON values in the text of a model, also where it is not quite JSON.

First every value that parses as it stands (raw line breaks in texts are allowed). Where none is
what the caller wants, the text is repaired by `json_repair`: inner quotes, single quotes, trailing
commas, lone backslashes, Python literals, keys without quotes. What was repaired is checked for an
end of its own: a repair also closes what a token limit cut off, and half an answer must not pass
for a whole one. Pure functions; time is bounded whatever the text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import json_repair

MOST_FALSE_STARTS = 20
"""How many brackets may turn out not to begin JSON before the search stops: each costs a scan of
the rest, and a model in a loop writes thousands."""

MOST_VALUES = 100
"""Most JSON values read from one answer; a split has at most 32 parts."""

MOST_REPAIRS = 4
"""Most places of one answer at which a repair is tried."""

REPAIRED_CHARS = 32_000
"""Longest text that is repaired."""

_MOST_MARKS = (("{[", 200), ("}])(", 400), ("\"'“”‘’", 1_000))
"""Most marks of each kind in a text that is repaired: with more a repair takes seconds (measured),
and a split of 32 parts has fewer."""

_OPENING = re.compile(r"\[(?:\s*\[)*|\{")
"""Where JSON may begin: after a run of brackets, the last of them most likely."""
_BEGINS = {"[": re.compile(r"\s*\{"), "{": re.compile(r"\s*\"")}
"""What follows a bracket that may begin a split: not a word, as in a note or link in prose, and not
nothing, as in a checklist."""
_BLOCK = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
"""A fenced block, possibly cut off."""
_KEY = r"[\"'“‘]?(?:{})[\"'”’]?\s*:"
_LOOSE_BEGINS = re.compile(r"\[\s*\{\s*[\"'“‘\w]|\{\s*[\"'“‘]|\{\s*\w+\s*:")
"""Where almost-JSON may begin."""


def blocks_first(text: str) -> str:
    """Return a text with its fenced blocks before it: models mark their answer with them."""
    blocks = _BLOCK.findall(text)
    return "\n```\n".join([*blocks, text]) if blocks else text


def strict_values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and arrays that start somewhere in the text, outermost first.

    Fenced blocks come first. Yields at most `MOST_VALUES` values, and stops after
    `MOST_FALSE_STARTS`.
    """
    text = blocks_first(text)
    decoder = json.JSONDecoder(strict=False)
    position = false_starts = values = 0
    while (match := _OPENING.search(text, position)) is not None:
        start = match.end() - 1
        if _BEGINS[text[start]].match(text, match.end()) is None:
            position = match.end()
            continue
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = match.end()
            false_starts += 1
            if false_starts >= MOST_FALSE_STARTS:
                return
            continue
        yield value
        values += 1
        if values >= MOST_VALUES:
            return


def repaired_values(text: str, keys: str) -> Iterator[tuple[Any, bool]]:
    """Yield (value, whether it has an end) for places where almost-JSON may begin.

    Args:
        text: What the model wrote.
        keys: Names, with bars between them, one of which the wanted object has; places that begin
            with one come first.
    """
    wanted = re.compile(r"\{\s*" + _KEY.format(keys), re.IGNORECASE)
    texts = [*_BLOCK.findall(text), text]
    for pattern in (wanted, _LOOSE_BEGINS):
        tried = 0
        for region in texts:
            if (match := pattern.search(region)) is None or tried >= MOST_REPAIRS:
                continue
            tried += 1
            value = _repaired(region[match.start() :])
            if value is not None:
                yield value, has_end(region[match.start() :])


def has_end(text: str) -> bool:
    """Return whether everything that a text opens is closed; brackets in texts count, too."""
    opened = sum(map(text.count, "{[")) - sum(map(text.count, "}]"))
    tail = text[max(text.rfind("}"), text.rfind("]")) + 1 :]
    return opened <= 0 and not tail.lstrip().startswith(",")


def _repaired(text: str) -> Any | None:
    """Return the value of almost-JSON, or None if it is not worth the time or has none."""
    text = text[:REPAIRED_CHARS]
    if any(sum(map(text.count, marks)) > most for marks, most in _MOST_MARKS):
        return None
    if (literal := _python_literal(text)) is not None:
        return literal or None
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, ArithmeticError, LookupError, TypeError):
        return None
    return value or None


def _python_literal(text: str) -> Any | None:
    """Return the value of a Python dictionary or list, which repair reads wrongly at times.

    Backslashes are left to the repair: Python warns of those that it does not know.
    """
    whole = text[: max(text.rfind("}"), text.rfind("]")) + 1]
    if "\\" in whole:
        return None
    try:
        value = ast.literal_eval(whole)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return value if isinstance(value, dict | list) else None
