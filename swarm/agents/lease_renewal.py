"""How often an executor renews its leases: as seldom as keeps them, and never without end.

Each renewal is a record, and a peer keeps so many of one author in one goal. Renewals that filled
that room would push out the claims and results for the sake of which they are said.
"""

from __future__ import annotations

from swarm.agents.base import View
from swarm.core.fold.plan import Plan
from swarm.core.records import Progress, Record

RENEW_AT = 2, 3
"""Part of a lease (2/3) after which it is renewed: a third is left for the news to travel and be
repaired, 20 s of a lease of a minute, and no record is said that an earlier one makes needless."""

LATEST_AT = 5, 6
"""Part of a lease (5/6) after which it is renewed at the latest, however long the goal lives."""

MOST_SPREAD = 500
"""Renewals are spread so that there are no more between a claim and the goal's deadline, as far as
the lease allows."""

RENEWALS_PER_GOAL = 1_500
"""Renewals of one executor in one goal: three quarters of the room that its records have there
(`Limits.records_per_author`). The rest stays for claims and results, 250 tasks' worth; with the
usual lease of a minute so many renewals are more than sixteen hours of work."""


class Renewals:
    """Counts one executor's renewals, and says when the next is due."""

    def __init__(self) -> None:
        self._said: dict[bytes, int] = {}
        """By goal."""

    def left(self, plan: Plan, view: View) -> bool:
        """Return whether another may be said in a goal."""
        if plan.id not in self._said:
            # Once in a life: what was said before a restart takes room as well.
            self._said[plan.id] = sum(
                record.author == view.me and isinstance(record.body, Progress)
                for record in view.store.records(plan.id)
            )
        return self._said[plan.id] < RENEWALS_PER_GOAL

    def said(self, goal: bytes) -> None:
        """Count one."""
        self._said[goal] = self._said.get(goal, 0) + 1

    def used_up(self, goal: bytes) -> None:
        """Note that no more are kept in a goal."""
        self._said[goal] = RENEWALS_PER_GOAL


def every_ms(plan: Plan, claim: Record) -> int:
    """Return how long after its last renewal a claim's lease is renewed, in ms."""
    lease_ms = plan.policy.lease_ms
    spread_ms = (plan.deadline_ms - claim.stamp.ms) // MOST_SPREAD
    latest_ms = lease_ms * LATEST_AT[0] // LATEST_AT[1]
    return max(lease_ms * RENEW_AT[0] // RENEW_AT[1], min(spread_ms, latest_ms))
