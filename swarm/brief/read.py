"""Read a brief from a goal's text."""

from __future__ import annotations

from swarm.core.brief import MAX_SUMMARY, Brief


def read_brief(goal: str, language: str = "") -> Brief:
    """Return what a goal demands, as far as code can read it.

    Args:
        goal: The text, as the person typed it.
        language: BCP 47 tag of the language to answer in; empty: the goal's own, which is detected.
    """
    line = " ".join(goal.split())
    return Brief(language=language, summary=line[:MAX_SUMMARY] if len(line) > MAX_SUMMARY else "")
