"""The language of the text: its script, and its most frequent words."""

from __future__ import annotations

import unicodedata
from collections import Counter

from benchmarks.quality.checks.verdict import Verdict, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import LEXICONS, Lexicon
from benchmarks.quality.matching import either
from benchmarks.quality.reading import Document

IN_SCRIPT = 0.7
"""Least share of letters in the language's script; names and units may be in Latin letters."""

COMMON = 0.03
"""Least share of words that are among the language's most frequent ones; lists have few of them."""

LINE_LETTERS = 25
"""Lines with fewer letters say nothing about their language."""

FOREIGN_LINES = 0.2
"""Greatest share of lines that may be in another script or language; one always may."""


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check script and words."""
    name = "language"
    lexicon = LEXICONS[goal.language]
    lines = [line.text for line in document.lines]
    text = "\n".join(lines)
    share = _share(text, lexicon.script)
    if share < IN_SCRIPT:
        said = f"{share:.0%} of the letters are {lexicon.script.title()}"
        return [verdict(name, False, said)]
    long = [line for line in lines if sum(map(str.isalpha, line)) >= LINE_LETTERS]
    foreign = [line for line in long if _is_foreign(line, lexicon)]
    if len(foreign) > max(1, FOREIGN_LINES * len(long)):
        said = f"{len(foreign)} of {len(long)} lines are in another language"
        return [verdict(name, False, said)]
    rates = {
        code: _rate(text, other.common)
        for code, other in LEXICONS.items()
        if other.script == lexicon.script
    }
    best = max(rates, key=lambda code: rates[code])
    kept = rates[goal.language] >= COMMON and best == goal.language
    said = f"{rates[goal.language]:.0%} of the words are frequent in {lexicon.name}"
    if best != goal.language:
        said += f", {rates[best]:.0%} in {LEXICONS[best].name}"
    return [verdict(name, kept, said)]


def _is_foreign(line: str, lexicon: Lexicon) -> bool:
    """Return whether a line is in another script, or has only another language's words."""
    if _share(line, lexicon.script) < 0.5:
        return True
    if _rate(line, lexicon.common) > 0:
        return False
    return any(
        _rate(line, other.common) > 0
        for other in LEXICONS.values()
        if other is not lexicon and other.script == lexicon.script
    )


def _share(text: str, script: str) -> float:
    """Return the share of a text's letters that are of a script."""
    scripts = Counter(
        unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha()
    )
    return scripts[script] / max(1, scripts.total())


def _rate(text: str, common: str) -> float:
    """Return the share of a text's words that are among the given ones."""
    return len(either(*common.split("|")).findall(text)) / max(1, len(text.split()))
