"""The gate before votes: a split or text that cannot be meant for the goal is not acceptable."""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.part import Part
from swarm.core.brief import Brief


def refuse_split(
    brief: Brief, goal: str, parts: Sequence[Part], *, examples: Sequence[Part] = ()
) -> str:
    """Return why a split is not acceptable whatever its rating, in one sentence; empty: it is.

    Args:
        brief: What the goal demands.
        goal: The text of the goal.
        parts: The proposed parts.
        examples: Parts of the prompts' worked examples, which must not come back as an answer.
    """
    return ""


def refuse_text(brief: Brief, goal: str, text: str, *, examples: Sequence[str] = ()) -> str:
    """Return why a text is not acceptable as (a part of) the plan; empty: it is.

    Args:
        brief: What the goal demands.
        goal: The text of the goal.
        text: Markdown.
        examples: Texts of the prompts' worked examples, which must not come back as an answer.
    """
    return ""
