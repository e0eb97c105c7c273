"""Peers' text as data in a prompt: it can be read, but it cannot pose as the prompt's own words.

Goals, titles, details, critiques and results come from people and from other peers. In a prompt
each is one clean line, or a block whose every line is quoted. The labels with which our prompts
introduce things ("Your part:") lose their colon inside it, special tokens are removed, and so are
sentences that tell a scorer how to rate or that the earlier instructions no longer hold: a plan
needs none of these. Pure functions.
"""

from __future__ import annotations

import re

from swarm.llm.client.special_tokens import without_special_tokens

QUOTE = "> "
"""What begins each line of a quoted block, as in Markdown."""

REMOVED = "[removed]"
"""What stands in place of a removed sentence, so that readers see that there was one."""

_LABELS = (
    "the whole plan|your part|it should cover|already done|part of it to look at now|it belongs to|"
    "the finished parts|could not be done|the plan has these parts|this split was criticised|"
    "the goal demands|it demands|the plan's parts|before it|after it|"
    "this part has to keep|an earlier version|what was wrong with it|"
    "the person who asked wants it changed|write as json"
)
_LABEL = re.compile(rf"(?<!\w)({_LABELS})[ \t]*[:\uff1a]", re.IGNORECASE)

_YES = r"[\"'“‘*]*(?:yes|no)\b"
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|abaikan)\b[^.!?\n]{0,40}"
    r"\b(?:instructions?|rules?|prompts?|above|previous|earlier|arahan|peraturan|instruksi)\b"
    r"|\b(?:note|message|nota|pesan|catatan)\s+(?:to|for|kepada|untuk)\s+(?:the\s+)?"
    r"(?:judge|scorer|rater|reviewer|model|assistant|ai|llm|hakim|penilai)s?\b",
    re.IGNORECASE,
)
"""Text that takes its reader for a model."""
_VERDICT = re.compile(
    rf"\b(?:answer|say|reply|respond|jawab|balas|katakan)\b[^.!?\n]{{0,40}}?{_YES}"
    r"|\b(?:correct|right|only|best|true)\s+(?:answer|rating|verdict)s?\b[^.!?\n]{0,30}?"
    rf"{_YES}"
    r"|\b(?:rate|score|approve)\s+(?:this|it)\b[^.!?\n]{0,30}"
    r"\b(?:yes|1\.0|10|highest|high|best|always)\b"
    rf"|\?\s*{_YES}(?=\s*(?:[.,;!\"'”*]|$|[A-Z]))"
    rf"|^\s*{_YES}[.!\"'”’*\s]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Text that tells its reader how to rate."""
_BARE_YES = re.compile(r"(?<!\w)(?:Yes|YES)(?!\w)")
"""The very answer that a scorer is asked for, in a note of whatever language."""
_SENTENCE = re.compile(r"[^.!?।。\n]*(?:[.!?।。]+|\n|\Z)")


def tells_how_to_rate(text: str) -> bool:
    """Return whether a text tells its reader how to answer, or to ignore instructions."""
    return _VERDICT.search(text) is not None or _OVERRIDE.search(text) is not None


def disarmed(text: str, *, rated: bool = False) -> str:
    """Return a peer's text without what could steer a model; the rest is unchanged.

    Args:
        text: Anything.
        rated: Whether the model rates it: then sentences that name an answer go too. Elsewhere they
            may belong to the matter ("reply yes or no by Friday").
    """
    text = unlabelled(text)
    spans = [match.span() for match in _OVERRIDE.finditer(text)]
    if rated:
        spans += [match.span() for match in _VERDICT.finditer(text)]
    text = _without_sentences(text, spans) if spans else text
    return _BARE_YES.sub(REMOVED, text) if rated else text


def unlabelled(text: str) -> str:
    """Return a text without special tokens, and with our prompts' labels made plain words."""
    return _LABEL.sub(r"\1 -", without_special_tokens(text))


def quoted(text: str) -> str:
    """Return a block of text with every line quoted, so that none begins like ours."""
    return "\n".join(f"{QUOTE}{line}".rstrip() for line in text.split("\n"))


def _without_sentences(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with `REMOVED` for each run of sentences that a span touches."""
    kept: list[str] = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        if start == end:
            continue
        if any(first < end and start < last for first, last in spans):
            mark = f" {REMOVED}" + ("\n" if match.group().endswith("\n") else "")
            if not kept or kept[-1].strip() != REMOVED:
                kept.append(mark)
        else:
            kept.append(match.group())
    return "".join(kept).strip()
