"""The parts of a split in the shapes in which models write them, as rows of named fields.

JSON values: an object with a list of parts under one of several names, a bare list, an object that
names the parts by its keys, a tool call around any of these, texts that hold JSON. Texts: lines of
"title: ..." and "detail: ..." (YAML, TOML or loose), and Markdown tables. YAML is not read by a
library on purpose: models write "detail: Days 1-2: Lisbon", which is no YAML. Pure functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

Row = Mapping[str, Any]
"""The fields of one part, by the names that the model used."""

PARTS = ("parts", "subgoals", "tasks", "steps", "subtasks", "items", "plan", "split")
"""Names of the list of parts, likeliest first."""

TITLE = ("title", "name", "task", "subgoal", "heading", "part", "step")
"""Names of a part's title, likeliest first."""

DETAIL = ("detail", "details", "description", "text", "summary", "desc")
"""Names of a part's detail, likeliest first."""

MOST_DEPTH = 5
"""How deep a list of parts may lie: a tool call has it under "function", "arguments", "parts"."""

MOST_ROWS = 200
"""Most rows read; a split has at most 32 parts."""

OWN_TITLE_CHARS = 60
"""Longest title made of the beginning of a detail, for a part without one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What was found.

    Attributes:
        rows: The parts.
        rationale: Why it is split so; may be empty.
        is_list: Whether the rows stood together as a list of parts; if not, it is a single part.
        quotes: Further demands of the goal, as the model quotes them.
    """

    rows: tuple[Row, ...]
    rationale: str = ""
    is_list: bool = True
    quotes: tuple[str, ...] = ()


def shape_of(value: Any, depth: int = 0) -> Shape | None:
    """Return the parts in a JSON value, or None if there are none in it."""
    if depth > MOST_DEPTH:
        return None
    if isinstance(value, str):
        return _in_text(value, depth)
    if isinstance(value, list):
        return _in_list(value, depth)
    return _in_object(value, depth) if isinstance(value, dict) else None


def key_value_rows(text: str) -> list[Row]:
    """Return the parts written as lines of "title: ..." and "detail: ...", as YAML and TOML do."""
    rows: list[dict[str, Any]] = []
    field = ""
    for line in text.split("\n"):
        if (match := _FIELD.match(line)) is not None:
            name = match.group("name").lower()
            value = _plain(match.group("value"))
            if name in TITLE:
                rows.append({"title": value})
                field = "title"
            elif name in DETAIL or name in ("after", "kind"):
                field = "detail" if name in DETAIL else name
                if rows:
                    rows[-1][field] = value if field != "after" else re.findall(r"\d+", value)
            else:
                field = ""
        elif line.strip() and line[:1] in " \t" and rows and field == "after":
            rows[-1]["after"] = [*rows[-1].get("after", ()), *re.findall(r"\d+", line)]
        elif line.strip() and line[:1] in " \t" and rows and field in ("title", "detail"):
            rows[-1][field] = f"{rows[-1].get(field, '')} {_plain(line)}".strip()
        if len(rows) >= MOST_ROWS:
            break
    return list(rows)


def table_rows(text: str) -> list[Row]:
    """Return the parts in the first Markdown table that has at least two columns of text."""
    table = _cells(MarkdownIt("commonmark").enable("table").parse(text))
    if len(table) < 2:
        return []
    head, *body = table
    names = [cell.strip("*_` ").casefold() for cell in head]
    texts = [
        column
        for column in range(len(head))
        if any(not re.fullmatch(r"[\s\d.,#()-]*", row[column]) for row in body if column < len(row))
    ]
    title = next((c for c in texts if names[c] in TITLE), texts[0] if texts else None)
    if title is None:
        return []
    details = [c for c in texts if c != title and names[c] in DETAIL]
    details = details or [c for c in texts if c != title]
    others = [c for c in texts if c != title and c not in details and names[c] not in _NO_TEXT]
    after = next((c for c, name in enumerate(names) if name in ("after", "depends on")), None)
    rows: list[Row] = []
    for cells in body[:MOST_ROWS]:
        said = [cells[c] for c in (*others, *details) if c != after and cells[c]]
        row: dict[str, Any] = {"title": cells[title], "detail": "; ".join(said)}
        if after is not None:
            row["after"] = re.findall(r"\d+", cells[after])
        rows.append(row)
    return rows


def own_title(detail: str) -> str:
    """Return a title for a part that has only a detail: its beginning."""
    begin = re.split(r"[.:;!?\n।。]", detail.strip(), maxsplit=1)[0].strip()
    if len(begin) <= OWN_TITLE_CHARS:
        return begin
    return begin[:OWN_TITLE_CHARS].rsplit(" ", 1)[0]


_FIELD_NAMES = "|".join((*TITLE, *DETAIL, "after", "kind", "rationale", *PARTS))
_FIELD = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?[\"'*_`]{0,3}"
    rf"(?P<name>{_FIELD_NAMES})[\"'*_`]{{0,3}}[ \t]*[:=][\"'*_`]{{0,3}}(?:[ \t]+|$)(?P<value>.*)$",
    re.IGNORECASE,
)
_NO_TEXT = frozenset({"after", "depends on", "kind", "#", "no", "no.", "nr"})
_CALL = frozenset({"arguments", "parameters", "function", "tool_calls"})
"""Fields of a tool call: its "name" is no title."""
_NULLS = frozenset({"null", "none", "~", "|", ">", "|-", ">-"})


def _in_text(value: str, depth: int) -> Shape | None:
    """Return the parts in a text that holds JSON, as the arguments of a tool call do."""
    if not value.lstrip().startswith(("{", "[")):
        return None
    try:
        inner = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None
    return shape_of(inner, depth + 1)


def _in_list(value: list[Any], depth: int) -> Shape | None:
    rows = [row for item in value[:MOST_ROWS] if (row := _row(item)) is not None]
    if rows:
        return Shape(tuple(rows))
    for item in value[:MOST_ROWS]:
        if (shape := shape_of(item, depth + 1)) is not None:
            return shape
    return None


def _in_object(value: dict[Any, Any], depth: int) -> Shape | None:
    named = {str(key).casefold(): inner for key, inner in value.items()}
    said = named.get("rationale")
    rationale = said if isinstance(said, str) else ""
    listed = named.get("quotes")
    listed = listed if isinstance(listed, list) else []
    quotes = tuple(text for text in listed[:MOST_ROWS] if isinstance(text, str))
    for name in PARTS:
        inner = named.get(name)
        if isinstance(inner, list) and not inner:
            return Shape((), rationale, quotes=quotes)
        if isinstance(inner, dict) and (rows := _keyed(inner)):
            return Shape(tuple(rows), rationale, quotes=quotes)
        if isinstance(inner, (list, dict, str)) and (shape := shape_of(inner, depth + 1)):
            rationale = rationale or shape.rationale
            return Shape(shape.rows, rationale, shape.is_list, quotes or shape.quotes)
    if not any(isinstance(inner, (dict, list)) for key, inner in named.items() if key != "after"):
        row = _row(value)
        held = [inner for inner in named.values() if isinstance(inner, str)]
        inside = next((s for text in held if (s := _in_text(text, depth)) is not None), None)
        return inside or (Shape((row,), is_list=False) if row is not None else None)
    for inner in named.values():
        if isinstance(inner, (dict, list)) and (shape := shape_of(inner, depth + 1)):
            return shape
    row = _row(value)
    return Shape((row,), is_list=False) if row is not None else None


def _keyed(value: dict[Any, Any]) -> list[Row]:
    """Return the parts of an object that has a title or number as the key of each part."""
    rows: list[Row] = []
    for key, inner in list(value.items())[:MOST_ROWS]:
        number = re.fullmatch(r"\W*(?:part|step|task)?[\s_]*\d{1,3}\W*", str(key), re.IGNORECASE)
        if isinstance(inner, dict):
            row = _row(inner)
            if row is None:
                return []
            rows.append(row if number or row.get("title") else {**row, "title": str(key)})
        elif isinstance(inner, str):
            rows.append({"title": inner} if number else {"title": str(key), "detail": inner})
        else:
            return []
    return rows if len(rows) > 1 else []


def _row(item: Any) -> Row | None:
    """Return one part as a row with "title" and "detail"; None if it is none."""
    if isinstance(item, str):
        return {"title": "", "detail": "", "line": item} if item.strip() else None
    if not isinstance(item, dict):
        return None
    named = {str(key).casefold(): inner for key, inner in item.items()}
    if not _CALL.isdisjoint(named):
        return None
    title = next((named[name] for name in TITLE if _says(named.get(name))), "")
    detail = next((named[name] for name in DETAIL if _says(named.get(name))), "")
    if isinstance(detail, list):
        detail = "; ".join(str(piece) for piece in detail[:MOST_ROWS])
    if not _says(title) and not _says(detail):
        return None
    rest = {key: inner for key, inner in named.items() if key not in (*TITLE, *DETAIL)}
    return {**rest, "title": str(title), "detail": str(detail)}


def _says(value: Any) -> bool:
    """Return whether a field has content: text, a number or a list of texts."""
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, (int, float, list)) and not isinstance(value, bool) and value != []


def _plain(value: str) -> str:
    """Return the value of a line without quotes, emphasis, block marks and trailing commas."""
    value = value.strip().rstrip(",").strip()
    if value.casefold() in _NULLS:
        return ""
    for mark in ("**", '"', "'", "`"):
        if len(value) > 2 * len(mark) and value.startswith(mark) and value.endswith(mark):
            return value[len(mark) : -len(mark)]
    return value


def _cells(tokens: Sequence[Token]) -> list[list[str]]:
    """Return the first table's cells, row by row, each row as long as the head."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content.replace("\\|", "|"))
        elif token.type == "table_close":
            break
    if not rows:
        return []
    width = len(rows[0])
    return [(row + [""] * width)[:width] for row in rows[: MOST_ROWS + 1]]
