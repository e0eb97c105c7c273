"""Every limit on what strangers can make a store keep, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from swarm.core.policy import DAY, MINUTE, SECOND

LARGE = 2 * 1024
"""A record of at least this many bytes counts as large: results and detailed splits do, votes and
claims do not. Large records have limits of their own, so that limiting the number of records limits
their bytes too."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a store keeps.

    A limit marked "shared" is handed out in turns (`fair_share`), so that the records kept do not
    depend on the order of arrival. Most goals hold some hundred KiB; one filled to the limit by
    attackers of every kind, with the longest possible records, holds about 200 MiB.
    """

    goals: int = 5_000
    """Goals that have not ended; shared."""
    goals_per_author: int = 1_000
    """Of the goals of one author that have not ended, those that replay first are kept."""
    ended_goals: int = 5_000
    """Goals that have ended; shared, and the oldest of an author goes first."""
    foreign_goals: int = 200
    """Goals of authors without any grant, in an owned swarm; shared."""
    records_per_author: int = 2_000
    """Per goal and author; an honest agent makes some hundreds in a large plan."""
    large_per_author: int = 200
    """Large records per goal and author; as many results as one agent gives in a large plan."""
    records_per_goal: int = 12_000
    """Of all authors but the submitter or, if the goal names known authors, of those; shared. A
    plan of 60 nodes has about 1,000 records."""
    large_per_goal: int = 600
    """Large records among them; shared."""
    newcomers_per_goal: int = 6_000
    """Of all authors that a goal does not name as known, if it names any; shared."""
    large_newcomers_per_goal: int = 300
    """Large records among them; shared."""
    records_of_submitter: int = 20_000
    """Per goal, of its submitter, which also attests people's votes."""
    foreign_per_author: int = 50
    """Per goal and author without any grant, in an owned swarm: such records are shown, not
    folded."""
    foreign_per_goal: int = 500
    """Of all authors without any grant; shared."""
    records: int = 100_000
    """Records in total: about 440 MiB of memory if all their goals live, about 80 MiB if all have
    ended (measured with results of 400 to 1,200 characters). Above it whole goals are dropped: see
    `Store`."""
    bytes: int = 192 * 1024 * 1024
    """Bytes of all records, as sent."""
    orphan_goals: int = 200
    """Goals whose records arrived before the goal itself; the oldest is dropped."""
    orphan_records: int = 2_000
    """Records kept for each such goal."""
    orphans: int = 5_000
    """Records of all such goals together; others are received again once the goal is known."""
    large_orphans: int = 200
    """Large records among them."""
    held: int = 1_000
    """Records stamped in the near future; shared."""
    held_per_author: int = 100
    large_held: int = 50
    """Large records among them."""
    hold_ms: int = 10 * MINUTE
    """A record stamped further ahead than this is not even held."""
    presences: int = 1_024
    presence_ms: int = 75 * SECOND
    """A peer that was not heard for this long is gone, in a swarm of up to 80 (see `presences`):
    more than two of the slowest intervals (30 s)."""
    retention_ms: int = 7 * DAY
    """How long a finished goal is kept."""
    refold_ms: int = 1 * SECOND
    """Least time between two folds of one goal from scratch: it limits the work that an author
    above its limits can cause. Until then the plan may show records that were dropped."""
