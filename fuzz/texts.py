"""Texts: what models answer, and what anything is turned into before it reaches a chat."""

from __future__ import annotations

import re
import unicodedata

from bot.rendering import MESSAGE_LIMIT, chunks, clean, length, pages, plain
from fuzz.choices import Choices
from swarm.core.records import MAX_RECORD, Subgoal, fit_result
from swarm.llm.checks import findings
from swarm.llm.parsing import (
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

MENTION = re.compile(r"@everyone|@here|<(?:@[!&]?|#)\d+>", re.IGNORECASE)
OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> None:
    """Assert that a text may be signed and shown."""
    for char in text:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn") or char in "\n\t"
    assert not OVERRIDES.search(text)
    text.encode()


def answers(data: bytes) -> None:
    """Whatever a model says comes out clean and bounded, or as `Unusable`."""
    choices = Choices(data)
    most = 2 + choices.byte() % 8
    nest, one, cut, terse = (choices.chance() for _ in range(4))
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
    yes_probability([(raw[:20], -0.5), (raw[20:40], 3.0)])
    harmless(clean_text(raw))
    line = clean_line(raw)
    assert "\n" not in line
    assert len(line) <= LINE_CHARS


def rendering(data: bytes) -> None:
    """Whatever is shown fits Discord, mentions nobody and turns nothing around."""
    choices = Choices(data)
    latin = choices.chance()
    rest = choices.rest()
    text = "".join(map(chr, rest)) if latin else rest.decode("utf-8", "surrogateescape")
    shown = chunks(text)
    line = plain(text, 100)
    assert length(line) <= 200
    assert "\n" not in line
    for message in [*shown, *pages([line, line]), line]:
        assert length(message) <= MESSAGE_LIMIT
        assert not MENTION.search(message), message
        assert not OVERRIDES.search(message)
        message.encode()
    for message in shown:
        assert message.strip()
        fences = re.findall(r"(?m)^(?:> )?```", message)
        assert len(fences) % 2 == 0, message
    assert clean(clean(text)) == clean(text)
