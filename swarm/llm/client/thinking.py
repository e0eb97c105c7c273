"""Telling what a reasoning model answers from what it thinks. Pure functions.

Ollama returns the thinking of models that it knows apart from the answer. Others write it into the
answer: between tags, before a closing tag whose opening the chat template wrote, or in a channel of
the harmony format (gpt-oss), with its markers or with what is left of them. A model that thinks
needs room for it, even for one word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

THINKING_TOKENS = 1_024
"""Tokens added to the limit of an answer for the thinking before it; a rating that thinks briefly
takes 50 to 400. An answer that still ends within the thinking is asked for again with more."""

_TAG = r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think)"
_OPEN = rf"(?:<{_TAG}>|\[THINK\]|\u25c1think\u25b7)"
_CLOSE = rf"(?:</{_TAG}>|\[/THINK\]|\u25c1/think\u25b7)"
_EITHER = re.compile(f"(?P<open>{_OPEN})|(?P<close>{_CLOSE})", re.IGNORECASE)
_CHANNEL = re.compile(
    r"<\|channel\|?>\s*(\w+)[^<\n]{0,80}(?:<\|constrain\|>\w*)?\s*(?:<\|message\|>)?"
)
_MARK = re.compile(r"<\|channel\|?>")
_MESSAGE_END = re.compile(r"<\|(?:end|return|call|start|channel)\|?>")
_BARE_HARMONY = re.compile(
    r"\A\s*(?:assistant)?analysis(?=[A-Z\s\"'(]).*assistant\s?final", re.DOTALL
)
"""What is left of harmony if a server removes the special tokens only."""


def answer_in(raw: str) -> str:
    """Return a model's text without its thinking; empty if it did not get beyond thinking."""
    text = _final_channel(raw) if _MARK.search(raw) else raw
    text = _BARE_HARMONY.sub("", text, count=1)
    return _outside_tags(text).strip()


def is_only_thinking(raw: str) -> bool:
    """Return whether a text has content, but all of it is thinking."""
    return bool(raw.strip()) and not answer_in(raw)


def has_thinking(raw: str) -> bool:
    """Return whether a text contains thinking."""
    marked = _MARK.search(raw) is not None or _EITHER.search(raw) is not None
    return marked or _BARE_HARMONY.match(raw) is not None


def index_of_answer(tokens: Sequence[str], answer: str) -> int | None:
    """Return which of the tokens that a model wrote begins its answer; None if none does.

    Args:
        tokens: All tokens, those of the thinking included if the server counts them.
        answer: The answer without the thinking.
    """
    written = "".join(tokens)
    at = written.rfind(answer.strip())
    if at < 0 or not answer.strip():
        return None
    end = 0
    for index, token in enumerate(tokens):
        end += len(token)
        if end > at:
            return index
    return None


def _final_channel(raw: str) -> str:
    """Return the last message for the user or for a tool; empty if there is only analysis."""
    messages = []
    for match in _CHANNEL.finditer(raw):
        end = _MESSAGE_END.search(raw, match.end())
        text = raw[match.end() : end.start() if end is not None else len(raw)]
        messages.append((match.group(1).lower(), text))
    for wanted in ("final", "commentary"):
        found = [text for channel, text in messages if channel == wanted and text.strip()]
        if found:
            return found[-1]
    return ""


def _outside_tags(text: str) -> str:
    """Return what stands outside thinking tags; before a close without an opening all is inside."""
    kept: list[str] = []
    position = depth = 0
    for match in _EITHER.finditer(text):
        if match.group("open"):
            if not depth:
                kept.append(text[position : match.start()])
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        position = match.end()
    if not depth:
        kept.append(text[position:])
    return "".join(kept)
