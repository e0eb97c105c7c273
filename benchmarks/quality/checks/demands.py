"""What must be in the plan, and what must not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from benchmarks.quality.checks.verdict import Verdict, verdict
from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import merged
from benchmarks.quality.matching import END, START, is_bengali, is_latin, normal, stems, words
from benchmarks.quality.reading import Document
from benchmarks.quality.wording import WORDINGS
from benchmarks.quality.wording.record import Ban, Demand

BEFORE_WORDS = 6
"""A negation so many words before a forbidden thing rules it out."""

AFTER_WORDS = 5
"""A negation so many words after a forbidden thing rules it out."""

PASSAGE_LINES = 2
"""The groups of words of one demand must stand within so many lines."""

_SENTENCE = re.compile(r"(?<=[.!?;।۔])\s+|\s+\|\s+")
_WORD = re.compile(r"[^\s,:()\"“”]+")


def check(document: Document, goal: Goal) -> Iterator[Verdict]:
    """Check each demand and each ban."""
    for demand in goal.demands:
        yield _present(document, demand)
    for ban in goal.bans:
        yield _absent(document, goal, ban)


def _present(document: Document, demand: Demand) -> Verdict:
    groups = [stems(group.strip()) for group in demand.words.split("&")]
    lines = [line.text for line in document.body]
    name = demand.words.split("|")[0].strip("= ")
    for index in range(len(lines)):
        passage = "\n".join(lines[index : index + PASSAGE_LINES])
        if all(group.search(passage) for group in groups):
            return verdict("demands", True, f"“{name}” is in the plan", about=demand.words)
    return verdict("demands", False, f"“{name}” is missing", about=demand.words)


def _absent(document: Document, goal: Goal, ban: Ban) -> Verdict:
    name = ban.words.split("|")[0]
    forbidden = [words(ban.words), *_english(goal, ban)]
    for line in document.body:
        for sentence in _SENTENCE.split(line.text):
            for pattern in forbidden:
                for match in pattern.finditer(sentence):
                    if not _ruled_out(sentence, match, goal.language):
                        shown = sentence[max(0, match.start() - 30) : match.end() + 20].strip()
                        return verdict("bans", False, f"“{shown}”", about=ban.words)
    return verdict("bans", True, f"no “{name}” is planned", about=ban.words)


def _english(goal: Goal, ban: Ban) -> Iterator[re.Pattern[str]]:
    """Return the English words of the same ban: a plan in English keeps no ban by its language."""
    if goal.language == "en":
        return
    own = WORDINGS[goal.language].families[goal.family].bans
    english = WORDINGS["en"].families[goal.family].bans
    # The bans of a family are not the same in each language; those at other places are no match.
    for mine, theirs in zip(own, english, strict=False):
        if mine == ban and (goal.family, mine.words) not in _OTHER:
            yield words(theirs.words)


_OTHER = frozenset(
    (family, ban.words)
    for code, wording in WORDINGS.items()
    if code != "en"
    for family, index in (("event", 0), ("event", 1), ("move", 1), ("launch", 1))
    for ban in [wording.families[family].bans[index]]
)
"""Bans that no English goal has at the same place."""


@cache
def _negation(language: str, field: str) -> re.Pattern[str]:
    alternatives = []
    for word in merged(language, field):
        word = normal(word)
        ending = "" if is_bengali(word) and len(word) > 2 else END
        alternatives.append(START + re.escape(word) + ending)
    return re.compile("|".join(alternatives))


def _ruled_out(sentence: str, match: re.Match[str], language: str) -> bool:
    """Return whether a sentence says that the thing is not wanted, near its word."""
    before = " ".join(_WORD.findall(sentence[: match.start()])[-BEFORE_WORDS:])
    rest = sentence[match.end() :]
    after = " ".join(_WORD.findall(rest)[:AFTER_WORDS])
    if re.match(r"[-\s]?free\b|less\b", rest):
        return True
    if language in ("hi", "ur", "bn") and not is_latin(match.group()):
        # Postpositions: "मांस के बिना". Before it, only words that negate what follows.
        return bool(
            _negation(language, "no_after").search(after)
            or _negation(language, "no_before").search(" ".join(before.split()[-2:]))
        )
    return bool(
        _negation(language, "no_before").search(before)
        or _negation(language, "no_after").search(after)
    )


def bans_of(family: str, language: str) -> tuple[Ban, ...]:
    """Return every ban that goals of a family may have."""
    return WORDINGS[language].families[family].bans


__all__ = ["check", "stems"]
