"""What strangers can make a store keep: every bound of it, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from swarm.core.policy import DAY, MINUTE, SECOND

LARGE = 2 * 1024
"""Bytes from which on a record counts as large: results and detailed splits do, votes and claims
do not. Large ones have bounds of their own, so that a count of records bounds their bytes too."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What strangers can make a store keep.

    Where a bound says "shared", it is handed out by turns (`keeping`), so that what stays does not
    depend on the order of arrival. Most goals hold some hundred KiB; one that is filled by liars of
    every kind to the brim, with the longest records there are, comes to about 200 MiB.
    """

    goals: int = 5_000
    """Goals with their records; shared."""
    goals_per_author: int = 1_000
    """Of each author the ones that replay first are kept."""
    foreign_goals: int = 200
    """Goals of authors without any grant, in an owned swarm; shared."""
    records_per_author: int = 2_000
    """Per goal and author; an honest agent makes some hundreds in a large plan."""
    large_per_author: int = 200
    """Large ones per goal and author; as many results as a large plan has tasks for one agent."""
    records_per_goal: int = 12_000
    """Of all authors but the goal's own, or of those whom the goal names as known, if it does;
    shared. A plan of 60 nodes makes about 1,000."""
    large_per_goal: int = 600
    """Large ones of them; shared."""
    newcomers_per_goal: int = 6_000
    """Of all whom a goal that names some does not name; shared."""
    large_newcomers_per_goal: int = 300
    """Large ones of them; shared."""
    records_of_submitter: int = 20_000
    """Per goal, for its author, who attests people's votes too."""
    foreign_per_author: int = 50
    """Per goal and author without any grant, in an owned swarm: they are shown, not folded."""
    foreign_per_goal: int = 500
    """Of all authors without any grant; shared."""
    records: int = 100_000
    """Records in all, about 300 MiB of memory. Over it whole goals go: see `Store`."""
    bytes: int = 192 * 1024 * 1024
    """Bytes of all records as sent."""
    orphan_goals: int = 200
    """Goals of which records came before the goal itself; the oldest is given up."""
    orphan_records: int = 2_000
    """Records kept for each of those."""
    orphans: int = 5_000
    """Records of all those together; what finds no room comes again once the goal is known."""
    large_orphans: int = 200
    """Large ones of them."""
    held: int = 1_000
    """Records from the near future; shared."""
    held_per_author: int = 100
    large_held: int = 50
    """Large ones of them."""
    hold_ms: int = 10 * MINUTE
    """A stamp further ahead than this is not even held."""
    presences: int = 1_024
    presence_ms: int = 75 * SECOND
    """A peer unheard for this long is gone, in a swarm of up to 80 (see `presence`): more than
    two of the slowest beats (30 s)."""
    retention_ms: int = 7 * DAY
    """How long a finished goal is kept."""
    refold_ms: int = 1 * SECOND
    """Least time between two folds from scratch of one goal: what bounds the work that an author
    over its bound can cause. Until then its plan may show records that were dropped."""
