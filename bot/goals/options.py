"""Options that people choose when they ask, and the policy that is signed for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum, unique

from bot.texts import Text
from swarm.core.policy import HARD_MAX_DEPTH, HOUR, MINUTE, SECOND, Policy

DEPTHS = (1, 2, 3)
"""Levels to which parts may be split; small models plan one level well, and more levels badly."""

DEADLINES_MS = (10 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR)

CAREFUL_WINDOW_MS = 3 * MINUTE
"""Time for a careful vote on a split of the whole goal."""

CAREFUL_PART_WINDOW_MS = 1 * MINUTE
"""Time for a careful vote on a split of a part."""

CAREFUL_SCORE = 0.5
"""Mean rating that a split needs in a careful vote."""

CAREFUL_SHARE = (2, 3)
"""Fraction of the scorers present that must approve a split in a careful vote."""

SPARE_MS = 30 * SECOND
"""By how much a vote's patience must exceed its longest window."""


@unique
class Care(Enum):
    """How careful a vote is."""

    QUICK = "quick"
    NORMAL = "normal"
    CAREFUL = "careful"

    @property
    def text(self) -> Text:
        """The text that people read."""
        return {
            Care.QUICK: Text.CARE_QUICK,
            Care.NORMAL: Text.CARE_NORMAL,
            Care.CAREFUL: Text.CARE_CAREFUL,
        }[self]


CAPABILITY_CHARACTERS = 64
"""Longest name of a capability, as in a policy."""

MOST_CAPABILITIES = 8
"""Most capabilities in a policy."""

REVIEWS = (0, 1, 2)
"""How often reviewers may send a part back; each round may cost another model call a part."""

PARTS = (6, 12, 24, 60)
"""Choices for the maximum number of parts of a plan, below what the configuration allows."""


@unique
class Effort(Enum):
    """How many model calls a plan may cost."""

    LIGHT = "light"
    NORMAL = "normal"
    THOROUGH = "thorough"

    @property
    def text(self) -> Text:
        """The text that people read."""
        return {
            Effort.LIGHT: Text.EFFORT_LIGHT,
            Effort.NORMAL: Text.EFFORT_NORMAL,
            Effort.THOROUGH: Text.EFFORT_THOROUGH,
        }[self]

    @property
    def limits(self) -> dict[str, int]:
        """The policy limits that this effort changes; light: one proposal, one attempt each."""
        return {
            Effort.LIGHT: {"max_proposals": 1, "max_refinements": 0, "max_attempts": 1},
            Effort.NORMAL: {},
            Effort.THOROUGH: {"max_proposals": 4, "max_refinements": 2, "max_attempts": 5},
        }[self]


@dataclass(frozen=True, slots=True)
class Options:
    """What a person chose."""

    care: Care = Care.NORMAL
    effort: Effort = Effort.NORMAL
    parts: int | None = None
    """The most parts of the whole plan; None: as configured."""
    depth: int | None = None
    deadline_ms: int | None = None
    reviews: int | None = None
    """How often reviewers may send a part's result back; None: as configured."""
    capability: str = ""
    """A capability that executors must offer besides the configured ones; empty: none."""
    language: str = ""
    """Language of the answer, as a BCP 47 tag; empty: that of the goal."""

    def policy(self, base: Policy, scorers: int) -> Policy:
        """Return the policy of a goal with these options.

        Args:
            base: the configured policy.
            scorers: how many scorers can work now.
        """
        chosen: dict[str, object] = {}
        if self.depth is not None:
            chosen["max_depth"] = min(self.depth, HARD_MAX_DEPTH)
        if self.deadline_ms is not None:
            chosen["deadline_ms"] = self.deadline_ms
        if self.reviews is not None:
            chosen["reviews"] = self.reviews or None
        if self.parts is not None:
            # The goal itself is a node of the plan too.
            chosen["max_nodes"] = min(self.parts + 1, base.max_nodes)
        if self.capability and self.capability not in base.capabilities:
            chosen["capabilities"] = [*base.capabilities[: MOST_CAPABILITIES - 1], self.capability]
        chosen |= self.effort.limits
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


def options_from(text: str) -> Options:
    """Return options that were stored as JSON; keys that this version does not know are ignored."""
    noted = json.loads(text)
    return Options(
        care=Care(noted.get("care", Care.NORMAL.value)),
        effort=Effort(noted.get("effort", Effort.NORMAL.value)),
        parts=noted.get("parts"),
        depth=noted.get("depth"),
        deadline_ms=noted.get("deadline_ms"),
        reviews=noted.get("reviews"),
        capability=noted.get("capability", ""),
        language=noted.get("language", ""),
    )
