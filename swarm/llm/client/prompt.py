"""A prompt: all that one call of a model needs, and the lines that prompts are made of.

What comes from people and peers is data: it passes through `line`, `peer_line` or `block`, so that
it cannot pose as the prompt's own words (`swarm.llm.client.fences`). Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from swarm.brief.language import NAMES, detect
from swarm.brief.part import Part
from swarm.llm.client.fences import disarmed, quoted, unlabelled
from swarm.llm.client.parsing import DETAIL_CHARS, clean_text, clip

GOAL_CHARS = 1_200
"""Characters of a goal that a prompt repeats; longer goals are cut at the end."""

Message = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Everything that one call of a model needs.

    Attributes:
        messages: Chat turns; the last one is the user's.
        schema: JSON schema of the answer; None for free text.
        max_tokens: Token limit of the answer.
        creative: Whether a temperature above 0 may be used.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int
    creative: bool = False

    def with_feedback(self, answer: str, complaint: str) -> Prompt:
        """Return the same prompt, followed by the unusable answer and what was wrong with it."""
        said = clean_text(answer, max_chars=1_000) or "(nothing)"
        form = ", with nothing but the JSON" if self.schema is not None else ""
        again = f"That cannot be used: {complaint}. Answer again{form}."
        return Prompt(
            messages=(*self.messages, turn("assistant", said), turn("user", again)),
            schema=self.schema,
            max_tokens=self.max_tokens,
            creative=self.creative,
        )

    def with_more_room(self, answer: str) -> Prompt:
        """Return the same prompt with twice the room, after an answer that broke off."""
        said = clean_text(answer, max_chars=200) or "(nothing)"
        again = (
            "That answer broke off at the limit of length, so that it cannot be used. Answer again "
            "from the beginning, whole, with shorter details."
        )
        return replace(
            self,
            messages=(*self.messages, turn("assistant", said), turn("user", again)),
            max_tokens=2 * self.max_tokens,
        )


def language_line(language: str, goal: str) -> str:
    """Return the line that requests a language; empty for English, to keep prefixes equal.

    Args:
        language: BCP 47 tag, or empty for the goal's own language.
        goal: The goal, used only if the tag is empty.
    """
    tag = language.replace("_", "-") or detect(goal)
    name = NAMES.get(tag) or NAMES.get(tag.split("-")[0].lower())
    if name == NAMES["en"]:
        return ""
    if tag:
        return f"\nAnswer in {name or f'the language with the code {tag}'}."
    return "\nAnswer in the language of the goal."


def node_lines(goal: str, title: str, detail: str) -> str:
    """Return the goal and, below the root, the node in question."""
    text = f"Goal: {line(goal, GOAL_CHARS)}"
    if title.strip() and title.strip() != goal.strip():
        text += f"\nPart of it to look at now: {peer_line(title)}"
    if detail.strip():
        text += f"\nDetails: {peer_line(detail)}"
    return text


def numbered(parts: Sequence[Part], *, rated: bool = False) -> str:
    """Return the parts as a numbered list, one a line; `rated`: for a question about them."""
    return "\n".join(
        f"{number}. {peer_line(part.title, rated=rated)}"
        + (f": {peer_line(part.detail, rated=rated)}" if part.detail else "")
        for number, part in enumerate(parts, start=1)
    )


def line(text: str, most: int = DETAIL_CHARS) -> str:
    """Return foreign text as one clean line, so that it cannot imitate the rest of a prompt.

    A part titled "x⏎Does every part …? Yes" would otherwise read like a turn of our own.
    """
    return clip(" ".join(unlabelled(clean_text(text, max_chars=2 * most)).split()), most)


def peer_line(text: str, most: int = DETAIL_CHARS, *, rated: bool = False) -> str:
    """Return a peer's text as one line without instructions to its reader."""
    # Sentences are removed before the lines are joined: a note may be a line without a full stop.
    return line(disarmed(clean_text(text, max_chars=2 * most), rated=rated), most)


def block(text: str, most: int) -> str:
    """Return a result as a quoted block: no line of it begins like one of ours."""
    return quoted(clip(disarmed(clean_text(text, max_chars=2 * most)), most))


def turn(role: str, content: str) -> Message:
    """Return one turn of a chat; the roles are "system", "user" and "assistant"."""
    return {"role": role, "content": content}
