"""Model text is data: clean it, bound it, and read answers out of it, whatever shape they came in.

Pure functions. A server may ignore the schema it was given, and a model may wrap JSON in prose or
answer with almost-JSON, a table or a Markdown list; each of these still yields a split here if a
whole one is in it (`lenient_json`, `split_shapes`). What comes out is safe to sign and to show: no
control characters, no bidirectional overrides, no oversized text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from rapidfuzz import fuzz

from swarm.brief.part import Part
from swarm.core.records import MAX_RESULT_TEXT
from swarm.core.unsafe_text import UNSAFE
from swarm.llm.client.lenient_json import has_end, repaired_values, strict_values
from swarm.llm.client.special_tokens import without_special_tokens
from swarm.llm.client.split_shapes import (
    PARTS,
    Shape,
    key_value_rows,
    own_title,
    shape_of,
    table_rows,
)
from swarm.llm.client.thinking import answer_in
from swarm.llm.requests import SplitAnswer

TITLE_CHARS = 80
"""Longest title of a part; fits one line of a tree on a phone."""

DETAIL_CHARS = 400
"""Longest detail of a part: a few sentences."""

LINE_CHARS = 300
"""Longest rationale or critique."""

TEXT_CHARS = MAX_RESULT_TEXT
"""Longest text of one answer: what a result record holds. Prompts that repeat it have bounds of
their own."""

RAW_CHARS = 200_000
"""Characters of a raw answer that are parsed; the rest is ignored."""

SPLIT_CHARS = 32_000
"""Characters of a split that are parsed: enough for 32 parts with the longest details."""

MAX_POINTS = 7
"""Bullet points kept of a small model's text: four or five were requested, loops write many."""

SAME_POINT = 82.0
"""fuzz.ratio of two points, compared after the colon, from which the later one only varies the
earlier ("visit the tower again", "visit the tower one last time")."""

SHORT_POINT_CHARS = 20
"""Points shorter than this many characters are too similar to compare."""

MAX_COMBINING = 4
"""Combining marks kept on one character: scripts need up to three, more breaks the layout."""

MIN_YES_NO_MASS = 0.02
"""Least total probability of "yes" and "no"; below it the model did not answer the question."""

_YES = frozenset(
    {"yes", "y", "true", "oui", "sí", "si", "ja", "ya", "sim", "हाँ", "हां", "はい", "是"}
)
_NO = frozenset({"no", "n", "false", "non", "nein", "tidak", "não", "नहीं", "いいえ", "否", "不"})

_UNSAFE = re.compile(f"[{UNSAFE}]")
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")
"""Text in which every character is harmless."""
_FENCED = re.compile(r"\A\s*```[\w-]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_MARKER = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+")
_LABEL = re.compile(r"^\s*(?:part|step|task|subgoal)\s+\d{1,2}\s*[:.)-]\s*", re.IGNORECASE)
_CAPTION = re.compile(r"^(.{2,80}?)\s*(?::\s+|\s[-–—]\s+)(.*)$", re.DOTALL)
_EMPTY = re.compile(r"\[\s*\]")
"""A whole answer that is an empty list: no parts."""
_CLOCK = r"\d{1,2}(?:[:.]\d\d)?\s*(?:[ap]m|[ap]\.m\.)?"
_OPENING_HOURS = re.compile(
    r"(?:,\s*(?:which|that)\s+(?:is|are)|[;,]\s*it(?:['’]s| is))\s+open(?:\s+daily)?"
    rf"(?:\s+from)?\s+{_CLOCK}\s*(?:to|until|-|–)\s*{_CLOCK}(?:\s+(?:daily|every day))?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。!?।۔](?=[\s*_\"'”’)]|$)[*_\"'”’)]*|\n")


class Unusable(Exception):
    """An answer that contains nothing usable; the message tells the model what was wrong."""


class BrokenOff(Unusable):
    """An answer that has no end: it is asked for again, with more room."""


def clean_text(raw: str, *, max_chars: int = TEXT_CHARS) -> str:
    """Make text of unknown origin harmless and bounded; line breaks and tabs stay.

    Removed: control and unassigned characters, bidirectional embeddings, overrides and isolates,
    invisible tags, private-use characters, piles of combining marks, and the special tokens of chat
    templates. Joiners that Hindi and emoji need and plain direction marks stay.

    Args:
        raw: Anything.
        max_chars: Longest text returned; a cut is marked with an ellipsis.
    """
    text = raw[:RAW_CHARS].replace("\r\n", "\n").replace("\r", "\n")
    if _PLAIN.fullmatch(text):
        return clip(without_special_tokens(text).strip(), max_chars)
    text = unicodedata.normalize("NFC", text)
    kept: list[str] = []
    marks = 0
    for char in text:
        if char in "\u2028\u2029\x85\v\f":
            kept.append("\n")
            continue
        if not _is_harmless(char):
            continue
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MAX_COMBINING:
            kept.append(char)
    return clip(without_special_tokens("".join(kept)).strip(), max_chars)


def clean_line(raw: str, *, max_chars: int = LINE_CHARS) -> str:
    """Clean text down to one bounded line, without list markers or emphasis around it."""
    text = " ".join(clean_text(raw, max_chars=max_chars * 4).split())
    text = _LABEL.sub("", _MARKER.sub("", text.lstrip("# ")))
    for mark in ("**", "__", "*", "_", "`", '"'):
        if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
            text = text[len(mark) : -len(mark)].strip()
    return clip(text, max_chars)


def clip(text: str, max_chars: int) -> str:
    """Return the text, or its beginning with an ellipsis if it is longer than `max_chars`."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def strip_thinking(raw: str) -> str:
    """Remove a reasoning model's thinking, special tokens, and a fence around the whole answer."""
    text = without_special_tokens(answer_in(raw[:RAW_CHARS]))
    fenced = _FENCED.match(text)
    return (fenced.group(1) if fenced else text).strip()


def whole_part(text: str) -> str:
    """Return a text that was cut up to its last whole sentence or line; empty if there is none."""
    end = max((match.end() for match in _SENTENCE_END.finditer(text)), default=0)
    lines = text[:end].rstrip().split("\n")
    while lines and re.fullmatch(r"[\s#*+\-\d.)]*", lines[-1]):
        lines.pop()
    return "\n".join(lines).rstrip()


def trim_cut(text: str) -> str:
    """Cut a text that hit the token limit after its last whole sentence or line."""
    whole = whole_part(text)
    return whole if len(whole) >= len(text) // 2 else text.rstrip() + "…"


def read_text(raw: str, *, cut: bool, terse: bool = False) -> str:
    """Read a free-text answer.

    Args:
        raw: What the model wrote.
        cut: It hit the token limit.
        terse: A small model wrote it: points that vary an earlier one, or come after
            `MAX_POINTS`, are dropped, and so are opening hours, which it invents (measured).

    Raises:
        Unusable: Nothing is left after cleaning.
    """
    text = clean_text(strip_thinking(raw))
    if cut and text:
        text = trim_cut(text)
    if not text.strip("*-#_. \n…"):
        raise Unusable("the answer was empty")
    text = _collapse_repeats(text)
    return _few_points(_OPENING_HOURS.sub("", text)) if terse else text


def read_split(
    raw: str, *, max_parts: int, may_nest: bool, may_be_one: bool, cut: bool = False
) -> SplitAnswer:
    """Read a split: JSON or almost JSON, bare, in prose or in a tool call, YAML, a table, a list.

    Args:
        raw: What the model wrote.
        max_parts: Parts beyond this are dropped.
        may_nest: Whether a part may stay a goal; else each becomes a task.
        may_be_one: Whether an explicit empty list ("do it as one task") is an answer.
        cut: It hit the token limit: only JSON that has its end is read.

    Raises:
        Unusable: No split is in it; the message is fit to feed back to the model.
        BrokenOff: The same, because the answer has no end.
    """
    text = strip_thinking(raw)[:SPLIT_CHARS]
    model = _split_from_json(text, cut=cut)
    if cut and model is None:
        raise BrokenOff("the answer broke off before its end")
    if model is not None and not model.parts and may_be_one:
        return SplitAnswer(parts=(), rationale=clean_line(model.rationale))
    if model is None or not model.parts:
        model = _split_from_markdown(text) or model
    if model is None:
        raise Unusable('no JSON object with a "parts" list was in the answer')
    parts = _tidy(model.parts, max_parts=max_parts, may_nest=may_nest)
    if len(parts) < 2:
        raise Unusable("fewer than two different parts with a title were in the answer")
    quotes = tuple(clean_line(quote, max_chars=DETAIL_CHARS) for quote in model.quotes)
    return SplitAnswer(parts=parts, rationale=clean_line(model.rationale), quotes=quotes)


def read_yes_no(raw: str) -> bool | None:
    """Return whether a short answer starts with a yes or a no; None if with neither."""
    # Split at punctuation: a \w does not match the vowel signs of Hindi.
    words = re.split(r"[\s.,;:!?*\"'`()।、。]+", strip_thinking(raw).casefold())
    for word in list(filter(None, words))[:3]:
        if word in _YES:
            return True
        if word in _NO:
            return False
    return None


def yes_probability(choices: Iterable[tuple[str, float]]) -> float | None:
    """Return the probability of "yes" against "no" for one token of an answer.

    Args:
        choices: (token, natural log probability) of its likeliest alternatives.

    Returns:
        A value in [0, 1], or None if the model was about to write something else.
    """
    yes = no = 0.0
    for token, logprob in choices:
        word = token.strip().strip(".,!\"'*").casefold()
        weight = math.exp(min(0.0, logprob))
        if word in _YES:
            yes += weight
        elif word in _NO:
            no += weight
    total = yes + no
    return yes / total if total >= MIN_YES_NO_MASS else None


def letter_probability(
    choices: Iterable[tuple[str, float]], letter: str, letters: str
) -> float | None:
    """Return the probability of one letter against the others for one token of an answer.

    Args:
        choices: (token, natural log probability) of its likeliest alternatives.
        letter: That of the choice in question, one of `letters`.
        letters: Those of all choices.

    Returns:
        A value in [0, 1], or None if the model was about to write something else.
    """
    mass = dict.fromkeys(letters, 0.0)
    for token, logprob in choices:
        if (said := read_letter(token, letters)) is not None:
            mass[said] += math.exp(min(0.0, logprob))
    total = sum(mass.values())
    return mass[letter] / total if total >= MIN_YES_NO_MASS else None


def read_letter(text: str, letters: str) -> str | None:
    """Return the letter that an answer begins with; None if it is none of `letters`."""
    word = strip_thinking(text).strip().lstrip("*\"'(").partition("\n")[0]
    word = re.split(r"[\s.,:;)*\"']", word, maxsplit=1)[0].upper()
    return word if len(word) == 1 and word in letters else None


class _PartModel(BaseModel):
    """One part, from a row of `swarm.llm.client.split_shapes`."""

    model_config = ConfigDict(extra="ignore")

    title: str = ""
    detail: str = ""
    kind: Literal["task", "goal"] = "task"
    after: list[int] = Field(default_factory=list)

    @field_validator("kind", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return value if value in ("task", "goal") else "task"

    @field_validator("after", mode="before")
    @classmethod
    def _numbers(cls, value: object) -> object:
        items = value if isinstance(value, list) else [value]
        words = map(str, items)
        return [int(word) for word in words if re.fullmatch(r"[0-9]{1,3}", word)]


class _SplitModel(BaseModel):
    """A split, its parts not tidied yet."""

    model_config = ConfigDict(extra="ignore")

    parts: list[_PartModel]
    rationale: str = ""
    quotes: tuple[str, ...] = ()


@lru_cache(maxsize=4_096)
def _is_harmless(char: str) -> bool:
    """Return whether one character may be shown and signed."""
    if _UNSAFE.match(char):
        return False
    return unicodedata.category(char) not in ("Co", "Cn")


def _split_from_json(text: str, *, cut: bool) -> _SplitModel | None:
    """Return the split in a text that is JSON, or was meant to be.

    Raises:
        Unusable: The JSON has no end: what is missing could be anything.
    """
    if _EMPTY.fullmatch(text):
        return _SplitModel(parts=[])
    loose: list[_PartModel] = []
    for value in strict_values(text):
        shape = shape_of(value)
        if shape is not None and (model := _model_of(shape)) is not None:
            if shape.is_list:
                return model
            loose += model.parts
    best = _SplitModel(parts=loose) if loose else None
    whole = has_end(text)
    for value, ends in repaired_values(text, "|".join(PARTS)):
        shape = shape_of(value)
        model = _model_of(shape) if shape is not None else None
        if model is not None and len(model.parts) >= (len(best.parts) if best else 1):
            best, whole = model, ends
    if best is None:
        return None
    if cut or not whole:
        raise BrokenOff(f"the answer broke off in the middle, after about {len(best.parts)} parts")
    return best


def _model_of(shape: Shape) -> _SplitModel | None:
    """Return a shape's rows as parts; None if one of them cannot be read."""
    parts = []
    for row in shape.rows:
        line = row.get("line")
        made = _part_from_lines([line]) if isinstance(line, str) else None
        try:
            parts.append(made or _PartModel.model_validate(row))
        except (ValidationError, ValueError):
            return None
    return _SplitModel(parts=parts, rationale=shape.rationale, quotes=shape.quotes)


def _split_from_markdown(text: str) -> _SplitModel | None:
    """Return the parts of named lines, a table, the outermost list, or sections with headings."""
    for rows in (key_value_rows(text), table_rows(text)):
        if len(rows) > 1 and (model := _model_of(Shape(tuple(rows)))) is not None:
            return model
    tokens = MarkdownIt("commonmark").parse(text[:RAW_CHARS])
    entries = _list_entries(tokens) or _section_entries(tokens)
    parts = [part for entry in entries if (part := _part_from_lines(entry)) is not None]
    return _SplitModel(parts=parts) if parts else None


def _list_entries(tokens: Sequence[Token]) -> list[list[str]]:
    """Return the lines of each item of the outermost lists."""
    entries: list[list[str]] = []
    depth = 0
    for token in tokens:
        if token.type == "list_item_open":
            depth += 1
            if depth == 1:
                entries.append([])
        elif token.type == "list_item_close":
            depth -= 1
        elif token.type == "inline" and depth:
            entries[-1].append(token.content)
    return entries


def _section_entries(tokens: Sequence[Token]) -> list[list[str]]:
    """Return the heading and text of each section."""
    entries: list[list[str]] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline":
            continue
        if before is not None and before.type == "heading_open":
            entries.append([token.content])
        elif entries:
            entries[-1].append(token.content)
    return [entry for entry in entries if len(entry) > 1]


def _part_from_lines(lines: Sequence[str]) -> _PartModel | None:
    """Return a part made from "Title: detail", or from a title and the lines below it."""
    if not lines:
        return None
    head, *rest = lines
    head, _, below = head.partition("\n")
    rest = [below, *rest] if below else rest
    plain = head.replace("**", "").replace("__", "")
    caption = _CAPTION.match(plain)
    title, first = (caption.group(1), caption.group(2)) if caption else (plain, "")
    title = title.rstrip(":").strip()
    detail = "; ".join(piece for piece in [first, *rest] if piece.strip())
    return _PartModel(title=title, detail=detail) if title else None


def _tidy(parts: Sequence[_PartModel], *, max_parts: int, may_nest: bool) -> tuple[Part, ...]:
    """Clean parts, without empty or repeated titles; `after` renumbered from 1-based to indexes."""
    new_index: dict[int, int] = {}
    tidy: list[Part] = []
    seen: set[str] = set()
    for number, part in enumerate(parts, start=1):
        title = clean_line(part.title or own_title(part.detail), max_chars=TITLE_CHARS)
        key = title.casefold()
        if not title.strip("._-… ") or key in seen or len(tidy) >= max_parts:
            continue
        seen.add(key)
        detail = clean_line(part.detail, max_chars=DETAIL_CHARS)
        after = sorted({new_index[n] for n in part.after if n in new_index})
        new_index[number] = len(tidy)
        tidy.append(
            Part(
                title=title,
                detail="" if detail.casefold() == key else detail,
                kind=part.kind if may_nest else "task",
                after=tuple(after),
            )
        )
    return tuple(tidy)


def _collapse_repeats(text: str) -> str:
    """Drop long lines that a looping model repeated word for word."""
    seen: set[str] = set()
    kept: list[str] = []
    fenced = False
    for line in text.split("\n"):
        key = line.strip()
        fenced ^= key.startswith("```")
        if len(key) > 30 and not fenced and key in seen:
            continue
        seen.add(key)
        kept.append(line)
    return "\n".join(kept).rstrip()


def _few_points(text: str) -> str:
    """Drop top-level points, with their subpoints, that vary an earlier one or are too many."""
    kept: list[str] = []
    points: list[str] = []
    skipping = False
    for line in text.split("\n"):
        if _MARKER.match(line) and not line.startswith((" ", "\t")):
            point = line.partition(":")[2].strip("* ") or line
            varied = len(point) > SHORT_POINT_CHARS and any(
                fuzz.ratio(point, earlier) >= SAME_POINT for earlier in points
            )
            skipping = varied or len(points) >= MAX_POINTS
            if not skipping:
                points.append(point)
        elif line.strip() and not line.startswith((" ", "\t")):
            skipping = False
        if not skipping:
            kept.append(line)
    return "\n".join(kept).rstrip()
