"""Whose goals are served before those of newcomers, in a swarm without an owner.

Keys cost nothing there, so an author that nobody has seen before may be one of thousands that a
stranger made up. Known are the authors that this peer has heard longest, and those for whom others
have done at least as many goals as live now. That takes the work of the swarm, of which newcomers
get a share; and an author that floods the swarm with goals is a newcomer until most are done.
"""

from __future__ import annotations

from collections import Counter

from swarm.core.fold.plan import Plan
from swarm.core.policy import MINUTE

ACTIVE_MS = 1 * MINUTE
"""For how long after a change in a known author's goal it is taken to be active."""


class KnownAskers:
    """How many of the goals held were done for each author by somebody else."""

    def __init__(self) -> None:
        """Start with none."""
        self._author_of: dict[bytes, bytes] = {}
        self._done = Counter[bytes]()

    def done(self, author: bytes) -> int:
        """Return how many goals were done for an author."""
        return self._done[author]

    def ended(self, plan: Plan) -> None:
        """Note that a goal has ended."""
        result, author = plan.root.result, plan.goal.author
        if plan.state == "done" and result is not None and result.author != author:
            self.add(plan.id, author)

    def add(self, goal_id: bytes, author: bytes) -> None:
        """Note that somebody else has done a goal for its author."""
        self._author_of[goal_id] = author
        self._done[author] += 1

    def counts(self, goal_id: bytes) -> bool:
        """Return whether a goal is among those that were done for its author."""
        return goal_id in self._author_of

    def gone(self, goal_id: bytes) -> None:
        """Note that a goal is no longer kept, or has not ended after all."""
        author = self._author_of.pop(goal_id, None)
        if author is not None:
            self._done[author] -= 1
            if not self._done[author]:
                del self._done[author]
