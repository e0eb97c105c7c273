"""Nothing of the machinery shows: special tokens, labels of prompts, remains of JSON, examples.

The product's prompts and examples are read from its modules, so that the checks follow them.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache

from benchmarks.quality.checks.verdict import Verdict, verdict
from benchmarks.quality.gazetteer import COUNTRIES
from benchmarks.quality.goals import Goal
from benchmarks.quality.matching import normal
from benchmarks.quality.reading import Document, plain

RUN = 6
"""So many words in a row as in a prompt or example are copied from it."""

NAMES = 2
"""So many different names of an example do not come by chance."""

_TOKENS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?(?:think|thinking|s|im_start|im_end|assistant|user|system|tool_call)>"
    r"|\[/?INST\]|<<SYS>>|<start_of_turn>|<end_of_turn>|###\s*(?:Instruction|Response|Assistant):",
    re.IGNORECASE,
)
_JSON = re.compile(
    r"[{\[,]\s*[\"'](?:title|detail|parts|rationale|kind|after|text|items|summary)[\"']\s*[:,\]]"
    r"|^\s*[\"'](?:title|detail|parts|rationale)[\"']\s*:|^\s*[}\]]\s*,?\s*$|^```json",
    re.MULTILINE | re.IGNORECASE,
)
_LABELS = re.compile(
    r"^\W*(?:your part|the whole plan|it should cover|already done|answer in \w+|"
    r"split it by|exactly \d+ parts|critique|the plan has these parts|the finished parts)\s*:?"
    r"(?=\s|$)",
    re.MULTILINE,
)
_GOAL = re.compile(r"^\W*goal\s*:\s*(.{15,})$", re.MULTILINE)
_PROMPT_MODULES = re.compile(r"prompt|lens|example|shots")


def check(document: Document, goal: Goal) -> list[Verdict]:
    """Check for markers and for examples."""
    return [_markers(document, goal), _examples(document, goal)]


def _markers(document: Document, goal: Goal) -> Verdict:
    name = "markers"
    text = "\n".join(line.text for line in document.lines)
    for what, match in (
        ("a special token", _TOKENS.search(document.raw)),
        ("remains of JSON", _JSON.search(document.raw)),
        ("a label of a prompt", _LABELS.search(text)),
        ("the goal as a prompt has it", _echo(document, goal)),
    ):
        if match is not None:
            return verdict(name, False, f"{what}: “{match.group().strip()[:40]}”", kind="form")
    return verdict(name, True, "nothing of the machinery shows", kind="form")


def _echo(document: Document, goal: Goal) -> re.Match[str] | None:
    text = "\n".join(line.text for line in (*document.copies, *document.lines))
    start = plain(goal.text)[:30]
    return next((match for match in _GOAL.finditer(text) if start in match.group()), None)


def _examples(document: Document, goal: Goal) -> Verdict:
    name = "examples"
    words = _words(" ".join(line.text for line in document.lines))
    asked = set(plain(goal.text).split())
    for index in range(len(words) - RUN + 1):
        run = tuple(words[index : index + RUN])
        if run in copied_runs() and not set(run) <= asked:
            return verdict(name, False, f"copied: “{' '.join(run)}”", kind="form")
    found = sorted((example_names() - asked) & set(words))
    if len(found) >= NAMES:
        return verdict(name, False, f"names of an example: {', '.join(found[:4])}", kind="form")
    return verdict(name, True, "nothing of the examples", kind="form")


def _words(text: str) -> list[str]:
    """Return the words of a text without the signs around them."""
    return [word for part in text.split() if (word := re.sub(r"^\W+|\W+$", "", part))]


@cache
def product_texts() -> tuple[str, ...]:
    """Return every constant text of the product's modules of prompts and examples."""
    found: dict[str, None] = {}
    package = importlib.import_module("swarm.llm")
    for info in pkgutil.walk_packages(package.__path__, "swarm.llm."):
        if _PROMPT_MODULES.search(info.name):
            for name, value in vars(importlib.import_module(info.name)).items():
                if not name.startswith("__"):
                    found.update(dict.fromkeys(_texts(value, 0)))
    return tuple(found)


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one, depth + 1)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from _texts(one, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        for entry in fields(value):
            yield from _texts(getattr(value, entry.name), depth + 1)


@cache
def copied_runs() -> frozenset[tuple[str, ...]]:
    """Return every run of `RUN` words in the product's prompts and examples."""
    runs = set()
    for text in product_texts():
        for line in normal(text).splitlines():
            words = _words(plain(line))
            runs |= {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    return frozenset(runs)


@cache
def example_names() -> frozenset[str]:
    """Return the proper names in the examples: words that only ever begin with a capital letter."""
    capital: set[str] = set()
    lower: set[str] = set()
    for text in product_texts():
        for match in re.finditer(r"[^\W\d_]+", text):
            word = match.group()
            if word[:1].isupper() and not word.isupper():
                before = text[: match.start()].rstrip(' *“"(-')
                # The first word of a sentence says nothing.
                if before and before[-1] not in ".:!?\n#":
                    capital.add(normal(word))
            elif word.islower():
                lower.add(normal(word))
    known = {
        part
        for country in COUNTRIES
        for name in (*country.names.values(), *(n for town in country.towns for n in town.names))
        for part in normal(name).split()
    }
    return frozenset(word for word in capital - lower - known - _COMMON_NAMES if len(word) > 3)


_COMMON_NAMES = frozenset(
    re.findall(
        r"\w+",
        "monday tuesday wednesday thursday friday saturday sunday january february "
        "march april june july august september october november december "
        "json markdown answer english malay hindi urdu bengali arabic "
        "german spanish persian french hebrew indonesian italian japanese korean "
        "dutch polish portuguese russian swahili tamil turkish ukrainian vietnamese "
        "chinese days exactly goal split plan write parts your "
        "each list part ",
    )
)
"""Capitalised words of prompts that are no names of examples."""
