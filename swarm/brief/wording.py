"""What is wrong with a text whatever it is about: repeats, cuts, remains of prompts, empty talk.

Each function finds what is certainly wrong and nothing else: a false alarm costs a good text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from swarm.brief.check import Check, met, not_met

LONG_LINE = 40
"""Characters of a line, without its label, from which a second one like it is a repetition. Shorter
lines ("Breakfast: oatmeal with milk") come back for good reasons."""

REPEATED_SHARE = 0.25
"""Share of repeated lines among all long lines from which a text counts as repetitive. A training
plan has one easy run in each week."""

CHANT = 4
"""How often a phrase follows itself in a looping text."""

FULL_STOPS = ".!?…。؟۔।॥"
"""Characters that end a sentence, in the scripts of the seeds' languages."""

MOST_CHARS = 100_000
"""Characters of a text that are searched for chants."""

_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?think(?:ing)?>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>"
    r"|<\uff5c[^\uff5c\n]{1,40}\uff5c>",
    re.IGNORECASE,
)
"""Special tokens of chat templates."""

_ROLE = re.compile(
    r"^\s*(?:\*\*)?(?:system|user|assistant|human|instruction|response|your part|your task|"
    r"earlier results?|the finished parts|part of it to look at now)\s*(?:\*\*)?:",
    re.IGNORECASE,
)
"""Beginnings of lines that belong to a prompt or a chat."""

_INSTRUCTION = re.compile(r"^\s*#{2,4}\s*(?:instruction|response|input|output)\s*:?\s*$", re.I)

_JSON = re.compile(r"^\s*(?:[{\[]\s*|[}\]]+,?|[{\[]?\s*\"\w{1,20}\"\s*:.*)$")
"""A line of JSON."""

_TALK = re.compile(
    r"^\s*(?:sure|certainly|of course|absolutely|great)\b[^\n]{0,60}[:!.]\s*$"
    r"|^\s*(?:sure|certainly|of course|absolutely)[,!.]?\s*(?:here|below|i\b|let)[^\n]*$"
    r"|^\s*here(?:'s| is| are)\s+(?:a|an|the|your|my)\s[^\n]{0,80}(?:plan|itinerary|schedule|part|"
    r"section|draft|answer|text|version)[^\n]{0,60}:\s*$"
    r"|^\s*(?:i hope (?:this|you)|let me know|feel free to|please let me know|if you have any "
    r"(?:other )?questions|is there anything else|as an ai\b|as a language model)[^\n]*$"
    r"|^\s*(?:enjoy|happy|have a (?:great|good|nice|wonderful|safe))\s[^\n]{0,60}!\s*$"
    r"|^\s*(?:tentu|baiklah|berikut adalah|semoga (?:bermanfaat|membantu))\b[^\n]{0,80}[:!.]\s*$",
    re.IGNORECASE,
)
"""Lines that talk to the reader and say nothing."""

_REFUSAL = re.compile(
    r"\b(?:i['’]?m|i am) (?:really |very |so )?(?:sorry|afraid)\b[^.\n]{0,40}\b(?:can['’]?t|cannot|"
    r"can not|unable|not able)\b"
    r"|\b(?:i|we) (?:can['’]?t|cannot|can not|am unable to|are unable to|won['’]?t be able to) "
    r"(?:assist|help|fulfil|fulfill|provide|create|complete|comply|do that|continue)\b"
    r"|\bas an ai\b|\bas a (?:large )?language model\b"
    r"|\b(?:maaf|mohon maaf),? (?:saya|kami) (?:tidak (?:bisa|dapat|boleh))\b"
    r"|मुझे (?:खेद|क्षमा|माफ़)|मैं (?:इसमें )?(?:मदद|सहायता) नहीं कर"
    r"|معذرت[،,]? (?:میں|لیکن)|দুঃখিত[,]? (?:আমি|কিন্তু)",
    re.IGNORECASE,
)

_HANGING = re.compile(
    r"(?:[,;–—-]|\b(?:and then|and|or|but|because|including|which|into|"
    r"the|a|an|of|to|in|at|with|for|from|by|on|your|their|its|is|are|will|"
    r"dan|atau|yang|di|ke|dari|untuk|dengan|oleh)|(?:^|\s)(?:और|या|का|की|के|में|से|को|اور|یا|کا|"
    r"کی|کے|میں|سے|کو|এবং|ও|বা|থেকে|জন্য))\s*$",
    re.IGNORECASE,
)
"""An end that no sentence has."""

_CHANT = re.compile(rf"(?<!\w)(\w[^\n|]{{2,40}}?)(?:[\s,;.:/-]{{1,3}}\1(?!\w)){{{CHANT - 1},}}")
_MARKS = re.compile(r"^[\s>#*_+•|-]*(?:\d{1,2}[.)]\s+)?")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_URL = re.compile(r"^\s*(?:[-*+]\s+)?\S*://\S+\s*$")


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number, from 0, and text of each line outside code blocks that is not empty."""
    fenced = False
    for number, line in enumerate(text.split("\n")):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and line.strip():
            yield number, line


def said(line: str) -> str:
    """Return a line's words for a comparison: no list marker, emphasis, case or punctuation."""
    return " ".join(re.findall(r"[^\W_]+", _MARKS.sub("", line).casefold()))


def repeated_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of long lines that say word for word what an earlier line said."""
    seen: set[str] = set()
    found = []
    for number, line in prose_lines(text):
        key = said(line)
        if len(key) < LONG_LINE or _TABLE.match(line):
            continue
        if key in seen:
            found.append(number)
        seen.add(key)
    return tuple(found)


def talk_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of lines that talk to the reader and say nothing."""
    return tuple(number for number, line in prose_lines(text) if _TALK.match(line))


def remains_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of lines that are remains of a prompt, a chat or JSON."""
    found = []
    for number, line in prose_lines(text):
        if _ROLE.match(line) or _INSTRUCTION.match(line) or _JSON.match(line):
            found.append(number)
    return tuple(found)


def without_tokens(text: str) -> str:
    """Return a text without the special tokens of chat templates."""
    before = None
    while before != text:  # Removing one may join the halves of another.
        before, text = text, _TOKEN.sub("", text)
    return text


def has_tokens(text: str) -> bool:
    """Return whether special tokens of a chat template are in a text."""
    return _TOKEN.search(text) is not None


def refuses(text: str) -> bool:
    """Return whether a text begins by saying that its author cannot help."""
    return _REFUSAL.search(text[:400]) is not None


def cut_at_end(text: str) -> bool:
    """Return whether a text certainly stops in the middle."""
    if sum(line.lstrip().startswith("```") for line in text.split("\n")) % 2:
        return True
    lines = [line for _, line in prose_lines(text)]
    if not lines or text.rstrip().endswith("```"):
        return False
    last = lines[-1].rstrip()
    if _TABLE.match(last) or _URL.match(last):
        return False
    if (
        last.startswith("|")
        and not last.endswith("|")
        and len(lines) > 1
        and _TABLE.match(lines[-2])
    ):
        return True
    bare = last.strip("*_` ")
    if not bare or bare.endswith(("…", "...")):
        return True
    if (
        last.count("**") % 2
        or last.count("(") > last.count(")")
        or last.count("[") > last.count("]")
    ):
        return True
    if _HANGING.search(bare) and len(said(bare).split()) > 1:
        return True
    if bare.endswith(":") and not last.lstrip().startswith("#"):
        return True
    if last.lstrip().startswith("#"):
        return len(lines) > 1
    return _alone_without_stop(lines)


def _alone_without_stop(lines: Sequence[str]) -> bool:
    """Return whether the last line alone lacks a full stop, where all other sentences have one."""
    sentences = [line.rstrip("*_` ") for line in lines if len(said(line)) >= LONG_LINE]
    if len(sentences) < 3 or lines[-1].rstrip("*_` ") != sentences[-1]:
        return False
    *others, last = (line.rstrip(")]\"”’'").endswith(tuple(FULL_STOPS)) for line in sentences)
    return all(others) and not last


def chanted(text: str) -> str:
    """Return a phrase that a looping text says again and again; empty if there is none."""
    for _, line in prose_lines(text[:MOST_CHARS]):
        if (match := _CHANT.search(line[:2_000])) is not None and any(
            char.isalpha() for char in match.group(1)
        ):
            return match.group(1).strip()
    return ""


def check_wording(text: str) -> tuple[Check, ...]:
    """Return how a text stands to the points that do not depend on its subject."""
    return (_repeats(text), _cut(text), _remains(text), _empty(text))


def _repeats(text: str) -> Check:
    if phrase := chanted(text):
        return not_met("repeats", f"“{phrase[:60]}” is said again and again.")
    again = repeated_lines(text)
    long = sum(len(said(line)) >= LONG_LINE for _, line in prose_lines(text))
    if again and (len(again) >= REPEATED_SHARE * long or len(again) >= 3):
        lines = text.split("\n")
        shown = Counter(lines[number].strip() for number in again).most_common(1)[0][0]
        return not_met("repeats", f"Said more than once: “{shown[:80]}”.")
    return met("repeats", "No long line is repeated.")


def _cut(text: str) -> Check:
    if cut_at_end(text):
        return not_met("cut", "The text stops in the middle.")
    return met("cut", "The text ends with a whole sentence.")


def _remains(text: str) -> Check:
    if has_tokens(text):
        return not_met("remains", "Special tokens of the model are in the text.")
    if numbers := remains_lines(text):
        line = text.split("\n")[numbers[0]].strip()
        return not_met("remains", f"This line is not part of a plan: “{line[:60]}”.")
    return met("remains", "Nothing but the plan is in the text.")


def _empty(text: str) -> Check:
    if refuses(text):
        return not_met("empty", "The text says that its author cannot help.")
    talk = set(talk_lines(text))
    content = [line for number, line in prose_lines(text) if number not in talk]
    if not any(said(line) for line in content if not line.lstrip().startswith("#")):
        return not_met("empty", "The text has no content.")
    return met("empty", "The text has content.")
