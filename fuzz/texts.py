"""Texts: answers of models, and what any text becomes before it reaches a chat."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from typing import Any

from bot.rendering import MESSAGE_LIMIT, chunks, clean, length, pages, plain
from bot.rendering.fitting import ELLIPSIS, MAX_CLUSTER, cut, shorten
from fuzz.choices import Choices
from swarm.core.records import MAX_RECORD, Subgoal, fit_result
from swarm.llm.client.parsing import (
    DETAIL_CHARS,
    LINE_CHARS,
    TEXT_CHARS,
    TITLE_CHARS,
    Unusable,
    clean_line,
    clean_text,
    read_split,
    read_text,
    read_yes_no,
    yes_probability,
)
from swarm.llm.client.split_checks import findings

MENTION = re.compile(r"@everyone|@here|<@[!&]?\d+>", re.IGNORECASE)
POINTER = re.compile(r"(?<!\\)<#\d+>")
"""A link to a channel, which notifies nobody; the character before it makes it literal."""
CODE = re.compile(r"```.*?```|(`+)[^`].*?\1", re.DOTALL)
OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")


TOKENS = (
    "# ", "## ", "\n", "\n\n", "- ", "  - ", "1. ", "9) ", "> ", ">> ", "```", "```py\n", "~~~\n",
    "`",
    "``", "*", "**", "***", "_", "__", "~~", "||", "|a|b|\n|-|-|\n", "|", "---\n", "[", "](", ")",
    "[a](https://a.example/b)", "![a](x)", "<https://a.example>", "https://a.example/@everyone",
    "javascript:alert(1)", "@everyone", "@here", "<@1>", "<@!12>", "<@&3>", "<#4>", "<:a:5>",
    "<t:0:R>", "</plan:6>", "<id:browse>", "\\", "&amp;", "&#64;", "<br>", "<b>", "<!--", "&nbsp;",
    "\u200d", "\ufe0f", "\u200b", "\u2067", "\u202e", "\ufeff", "\u2028", "\x1b[31m", "\x00", "\r",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1ea\U0001f1fa", "\u0915\u094d\u0937",
    "e\u0301", "\u0301" * 70, "\u0645\u0631\u062d\u0628\u0627", "\u65e5\u672c", "\U000e0041",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f", "word ", "a" * 50, " " * 30, "\t", "    code\n",
    "{goal}", "{0}", "%s", "a_b_c", "2 * 3", "#tag", ":)", "\ue000", "\ufdd0",
)  # fmt: skip
"""Characters with a meaning in Markdown, Discord, terminals and scripts."""

MARKS = ("Mn", "Me")
"""Unicode categories of characters that combine with the one before."""


def harmless(text: str) -> None:
    """Assert that a text may be signed and shown."""
    for char in text:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn") or char in "\n\t"
    assert not OVERRIDES.search(text)
    text.encode()


def answers(data: bytes) -> None:
    """Any answer of a model comes out clean and bounded, or as `Unusable`."""
    choices = Choices(data)
    most = 2 + choices.byte() % 8
    nest, one, cut, terse = (choices.chance() for _ in range(4))
    if choices.chance():
        raw = _answer(choices)
    else:
        rest = choices.rest()
        raw = "".join(map(chr, rest)) if nest else rest.decode("utf-8", "replace")
    try:
        split = read_split(raw, max_parts=most, may_nest=nest, may_be_one=one)
    except Unusable:
        pass
    else:
        assert len(split.parts) <= most
        harmless(split.rationale)
        for index, part in enumerate(split.parts):
            assert 0 < len(part.title) <= TITLE_CHARS
            assert len(part.detail) <= DETAIL_CHARS
            assert all(0 <= other < index for other in part.after)
            harmless(part.title + part.detail)
            Subgoal(title=part.title, detail=part.detail, after=list(part.after))
        assert len(parts := {part.title.casefold() for part in split.parts}) == len(split.parts)
        assert all(title.strip() for title in parts)
        findings(goal=raw[:200], title="a title", parts=split.parts)
    try:
        text = read_text(raw, cut=cut, terse=terse)
    except Unusable:
        pass
    else:
        assert len(text) <= TEXT_CHARS + 1
        harmless(text)
        assert len(fit_result(text).encode()) < MAX_RECORD
    read_yes_no(raw)
    chance = yes_probability([(raw[:20], -0.5), (raw[20:40], 3.0), ("yes", -9.0)])
    assert chance is None or 0 <= chance <= 1
    harmless(clean_text(raw))
    line = clean_line(raw)
    assert "\n" not in line
    assert len(line) <= LINE_CHARS


def _answer(choices: Choices) -> str:
    """An answer as models write them: JSON of about the right shape, in prose, cut, repeated."""
    parts = []
    for index in range(choices.byte() % 8):
        part: dict[str, Any] = {choices.pick(("title", "name", "task", "x")): _said(choices)}
        if choices.chance():
            part[choices.pick(("detail", "details", "description", "text"))] = _said(choices)
        if choices.chance(4):
            part["after"] = choices.pick((1, [1], ["1", index], [2**70, -1], "2", None, [[1]], {}))
        if choices.chance(4):
            part["kind"] = choices.pick(("goal", "task", 1, None))
        parts.append(choices.pick((part, part, part, part, _said(choices))))
    names = ("parts", "subgoals", "tasks", "steps", "other")
    whole: Any = {choices.pick(names): parts, "rationale": _said(choices)}
    if choices.chance(4):
        whole = parts
    text = json.dumps(whole, ensure_ascii=choices.chance())
    match choices.byte() % 6:
        case 1:
            text = f"<think>{_said(choices)}</think>\n```json\n{text}\n```"
        case 2:
            text = f"{_said(choices)}\n{text}\n{_said(choices)}"
        case 3:
            text = text[: choices.number(len(text))]
        case 4:
            mark = choices.pick(("- ", "1. ", "## ", "* **", "  - "))
            text = "\n".join(f"{mark}{_said(choices)}" for _ in range(1 + choices.byte() % 9))
    return text


def _said(choices: Choices) -> Any:
    """Something that a model writes in place of a text."""
    match choices.byte() % 6:
        case 0:
            return choices.text(30)
        case 1:
            return choices.pick((None, 1, 2.5, True, [], {}, ["a", "b"], [None]))
    return "".join(choices.pick(TOKENS) for _ in range(choices.byte() % 5))


def rendering(data: bytes) -> None:
    """Whatever is shown fits Discord, mentions nobody and reverses no text."""
    choices = Choices(data)
    how = choices.byte() % 3
    if how == 2:
        text = "".join(
            choices.pick(TOKENS) * choices.pick((1, 1, 1, 1, 2, 9, 120))
            if choices.byte() % 4
            else choices.text(20)
            for _ in range(choices.byte() % 60)
        )
    else:
        rest = choices.rest()
        text = "".join(map(chr, rest)) if how else rest.decode("utf-8", "surrogateescape")
    shown = chunks(text)
    _check_cuts(text[:3_000])
    line = plain(text, 100)
    assert length(line) <= 200
    assert "\n" not in line
    for message in [*shown, *pages([line, line]), line]:
        assert length(message) <= MESSAGE_LIMIT
        assert not MENTION.search(message), message
        assert not POINTER.search(CODE.sub("", message)), message
        assert not OVERRIDES.search(message)
        message.encode()
    for message in shown:
        assert message.strip()
        fences = re.findall(r"(?m)^(?:> )?```", message)
        assert len(fences) % 2 == 0, message
    assert clean(clean(text)) == clean(text)


def _check_cuts(text: str) -> None:
    """A text cut in pieces stays whole, and no cut is inside a visible character."""
    rest, pieces = text, []
    while rest:
        head, rest = cut(rest, 2 * MAX_CLUSTER)
        assert 0 < length(head) <= 2 * MAX_CLUSTER
        pieces.append(head)
    assert "".join(pieces) == text
    for before, after in itertools.pairwise(pieces):
        if unicodedata.category(after[0]) in MARKS or after[0] == "\u200d":
            # Only a stack of marks higher than in any script is cut, or one without a base.
            assert before[-1] in "\n\t\r " or _pile(before) + _pile(after, front=True) >= 8
    short = shorten(text, MAX_CLUSTER)
    assert length(short) <= MAX_CLUSTER
    if length(text) > MAX_CLUSTER:
        assert short.endswith(ELLIPSIS)
        assert text.startswith(short[:-1])


def _pile(text: str, *, front: bool = False) -> int:
    """Marks and joined characters at one end of a text."""
    count = 0
    for char in text if front else reversed(text):
        if unicodedata.category(char) not in (*MARKS, "Cf", "So", "Sk", "Mc"):
            break
        count += 1
    return count
