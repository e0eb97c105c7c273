"""How often an executor renews its leases: as seldom as keeps them, and not without limit.

Each renewal is a record, and peers keep a limited number of records of one author in one goal.
Renewals that filled that limit would leave no room for the claims and results they are for.
"""

from __future__ import annotations

from swarm.agents.base import View
from swarm.core.fold.plan import Plan
from swarm.core.records import Progress, Record

RENEW_AT = 2, 3
"""Fraction of a lease (2/3) after which it is renewed: a third, 20 s of a one-minute lease, is left
for the renewal to spread and be repaired, and few records are published."""

LATEST_AT = 5, 6
"""Fraction of a lease (5/6) after which it is renewed at the latest, in goals of any length."""

MOST_SPREAD = 500
"""Most renewals between a claim and the goal's deadline, as far as the lease allows."""

RENEWALS_PER_GOAL = 1_500
"""Most renewals of one executor in one goal: three quarters of the records kept of it there
(`Limits.records_per_author`). The rest is left for claims and results, enough for 250 tasks. With
the usual lease of a minute this is more than sixteen hours of work."""


class Renewals:
    """Counts one executor's renewals in each goal."""

    def __init__(self) -> None:
        self._published: dict[bytes, int] = {}
        """By goal."""

    def left(self, plan: Plan, view: View) -> bool:
        """Return whether another renewal may be published in a goal."""
        if plan.id not in self._published:
            # Counted once a run: records published before a restart take room too.
            self._published[plan.id] = sum(
                record.author == view.me and isinstance(record.body, Progress)
                for record in view.store.records(plan.id)
            )
        return self._published[plan.id] < RENEWALS_PER_GOAL

    def published(self, goal: bytes) -> None:
        """Count one renewal."""
        self._published[goal] = self._published.get(goal, 0) + 1

    def used_up(self, goal: bytes) -> None:
        """Note that a goal keeps no more renewals."""
        self._published[goal] = RENEWALS_PER_GOAL


def every_ms(plan: Plan, claim: Record) -> int:
    """Return how long after its last renewal a claim's lease is renewed, in ms."""
    lease_ms = plan.policy.lease_ms
    spread_ms = (plan.deadline_ms - claim.stamp.ms) // MOST_SPREAD
    latest_ms = lease_ms * LATEST_AT[0] // LATEST_AT[1]
    return max(lease_ms * RENEW_AT[0] // RENEW_AT[1], min(spread_ms, latest_ms))
