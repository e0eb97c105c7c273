"""What people can choose when they ask, and the policy that is signed for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique

from bot.texts import Text
from swarm.core.policy import HARD_MAX_DEPTH, HOUR, MINUTE, SECOND, Policy

DEPTHS = (1, 2, 3)
"""How often parts may be split; small models plan one level well and more badly."""

DEADLINES_MS = (10 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR)

CAREFUL_WINDOW_MS = 3 * MINUTE
"""Time to vote on a careful split of the whole goal."""

CAREFUL_PART_WINDOW_MS = 1 * MINUTE
"""Time to vote on a careful split of a part."""

CAREFUL_SCORE = 0.5
"""Mean rating that a careful split needs."""

CAREFUL_SHARE = (2, 3)
"""Part of the scorers present that has to approve a careful split."""

SPARE_MS = 30 * SECOND
"""What a vote's patience exceeds its longest window by, at least."""


@unique
class Care(Enum):
    """How careful a vote is."""

    QUICK = "quick"
    NORMAL = "normal"
    CAREFUL = "careful"

    @property
    def text(self) -> Text:
        """What people read."""
        return {
            Care.QUICK: Text.CARE_QUICK,
            Care.NORMAL: Text.CARE_NORMAL,
            Care.CAREFUL: Text.CARE_CAREFUL,
        }[self]


@dataclass(frozen=True, slots=True)
class Options:
    """What somebody chose."""

    care: Care = Care.NORMAL
    depth: int | None = None
    deadline_ms: int | None = None
    language: str = ""
    """Of the answer, as a BCP 47 tag; empty: that of the goal."""

    def policy(self, base: Policy, scorers: int) -> Policy:
        """Return the rules of the goal.

        Args:
            base: the configured ones.
            scorers: how many can work now.
        """
        chosen: dict[str, object] = {}
        if self.depth is not None:
            chosen["max_depth"] = min(self.depth, HARD_MAX_DEPTH)
        if self.deadline_ms is not None:
            chosen["deadline_ms"] = self.deadline_ms
        if self.care is Care.QUICK:
            chosen["vote_window_ms"] = [0]
        elif self.care is Care.CAREFUL:
            windows = [CAREFUL_WINDOW_MS, CAREFUL_PART_WINDOW_MS]
            chosen["vote_window_ms"] = windows
            chosen["min_score"] = max(base.min_score, CAREFUL_SCORE)
            chosen["patience_ms"] = max(base.patience_ms, max(windows) + SPARE_MS)
            most, of = CAREFUL_SHARE
            wanted = -(-scorers * most // of)
            if base.electorate:
                chosen["quorum"] = max(base.quorum, -(-len(base.electorate) * most // of))
            elif base.quorum == 1 and wanted > 1:
                chosen["quorum"] = wanted
        return Policy.model_validate(base.model_dump() | chosen)
