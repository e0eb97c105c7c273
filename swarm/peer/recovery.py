"""Recovery: what a peer loads from its disk when it starts, in any order and with any clock.

A replica is read goal by goal, so that goals that have ended are packed on the way and memory stays
small. Its goals come in no particular order, and a machine may start with a clock that is behind
the records it has heard before. Neither may lose a record that is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import structlog
import trio

from swarm import version
from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import (
    Goal,
    Grant,
    Record,
    RecordError,
    SortKey,
    decode,
    roster_id,
)
from swarm.core.store.sealed_goal import EndedGoal
from swarm.core.store.store import AddResult, Store
from swarm.peer.replica import Replica, StoredRecord, row_of

T = TypeVar("T")

log = structlog.get_logger(__name__)

RECORDS_A_TURN = 64
"""Records loaded between two turns of the event loop. Each has a signature to verify; together they
take some ms."""

CLOCK_SECONDS = 5.0
"""How often to check whether the clock has caught up with the records on the disk."""


@dataclass(slots=True)
class Restored:
    """What became of the records on a disk."""

    kept: int = 0
    """Records in the store once all were loaded."""
    unwanted: list[bytes] = field(default_factory=list)
    """Ids of records that are broken, superseded or expired: they need not stay on the disk."""
    ahead: list[Record] = field(default_factory=list)
    """Records stamped ahead of this machine's clock, the earliest first. They stay on the disk, and
    `wait_for_clock` takes them in when their time comes or the clock is set right."""


async def restore(store: Store, replica: Replica, wall_ms: int) -> Restored:
    """Put an open replica's records into a store.

    Grants come first, and each goal before its records, because a store has little room for
    strangers' records and for records whose goal it does not know. Ended goals that this peer
    packed before, under the same grants, are taken as they are. After each batch of the others
    the store packs those that have ended. Records that had to be verified are written again.

    Args:
        store: the store to fill.
        replica: the peer's disk.
        wall_ms: what this machine's clock shows, in ms since the epoch.
    """
    found = Restored()
    owner = store.roster.owner
    first = None if owner is None else roster_id(owner, store.swarm)
    total = 0
    store.advance(wall_ms)
    taken: set[bytes] = set()
    if first is not None:
        total += await _restore_records(
            store, found, replica, replica.batches(first, only=True), wall_ms
        )
        taken.add(first)
    before = len(store)
    taken |= await _restore_ended(store, replica, wall_ms)
    total += len(store) - before
    total += await _restore_records(store, found, replica, replica.batches(first, taken), wall_ms)
    found.ahead.sort(key=lambda record: record.key)
    found.kept = len(store)
    if total:
        log.info("replica_loaded", records=found.kept, of=total)
    if found.ahead:
        log.warning(
            "clock_behind",
            records=len(found.ahead),
            seconds=(found.ahead[0].stamp.ms - wall_ms) // 1000,
            meaning="records on the disk are stamped later than the time this machine's clock "
            "shows; they stay on the disk and count once the clock has reached their time",
            help="set the clock right; nothing else is needed",
        )
    return found


def ended_basis(store: Store) -> bytes:
    """Return what a packed goal depends on beside its records: the grants and this version."""
    owner = store.roster.owner
    count, xor = (0, b"") if owner is None else store.summary(roster_id(owner, store.swarm))
    return b"\n".join((version().encode(), owner or b"", str(count).encode(), xor))


async def _restore_ended(store: Store, replica: Replica, wall_ms: int) -> set[bytes]:
    """Put the goals that this peer packed into a store; return the ids of those that it kept."""
    taken = set()
    batches = replica.ended(ended_basis(store))
    while batch := await trio.to_thread.run_sync(_next, batches):
        for stored in batch:
            ended = EndedGoal.from_bytes(stored.packed)
            if ended.sealed.ids == stored.ids and store.add_packed(ended, wall_ms):
                taken.add(ended.goal.id)
    return taken


async def _restore_records(
    store: Store,
    found: Restored,
    replica: Replica,
    batches: Iterator[list[StoredRecord]],
    wall_ms: int,
) -> int:
    """Put records into a store, batch by batch; return how many there were."""
    total = 0
    while batch := await trio.to_thread.run_sync(_next, batches):
        total += len(batch)
        verified = await _restore_batch(store, found, batch, wall_ms)
        store.advance(wall_ms)
        if verified and replica.marks:
            await trio.to_thread.run_sync(replica.save, [row_of(record) for record in verified])
    return total


async def _restore_batch(
    store: Store, found: Restored, batch: Sequence[StoredRecord], wall_ms: int
) -> list[Record]:
    """Put some records into a store; return those to keep on the disk that had to be verified."""
    records: list[Record] = []
    verified: set[bytes] = set()
    for number, stored in enumerate(batch):
        if number % RECORDS_A_TURN == 0:
            await trio.lowlevel.checkpoint()
        try:
            records.append(decode(stored.raw, verify=not stored.verified))
        except RecordError:
            found.unwanted.append(stored.id)
            continue
        if not stored.verified:
            verified.add(records[-1].id)
    fresh = []
    for number, record in enumerate(_goal_by_goal(records)):
        if number % RECORDS_A_TURN == 0:
            await trio.lowlevel.checkpoint()
        if record.stamp.ms > wall_ms + MAX_DRIFT_MS:
            found.ahead.append(record)
        elif _take(store, record, wall_ms) in (AddResult.STALE, AddResult.REJECTED):
            found.unwanted.append(record.id)
            continue
        if record.id in verified:
            fresh.append(record)
    return fresh


def _take(store: Store, record: Record, wall_ms: int) -> AddResult:
    if isinstance(record.body, Goal):
        # Goals that were loaded just now and have ended may still count as live: look again before
        # one seems to be too many.
        store.takes_goal_of(record.author)
    return store.add_record(record, wall_ms)


def _next(batches: Iterator[list[T]]) -> list[T] | None:
    return next((batch for batch in batches if batch), None)


async def wait_for_clock(store: Store, found: Restored, wall: Callable[[], int]) -> None:
    """Take in each record stamped ahead once the clock reaches it; return after the last."""
    while found.ahead:
        await trio.sleep(CLOCK_SECONDS)
        now_ms = wall()
        due = sum(record.stamp.ms <= now_ms + MAX_DRIFT_MS for record in found.ahead)
        for record in sorted(found.ahead[:due], key=_order):
            store.add_record(record, now_ms)
        del found.ahead[:due]


def _goal_by_goal(records: Sequence[Record]) -> list[Record]:
    """Order records by goal, as they come, each goal's own record first, the rest by key."""
    places: dict[bytes | None, int] = {}
    for record in records:
        places.setdefault(record.goal_id, len(places))
    return sorted(records, key=lambda record: (places[record.goal_id], _order(record)))


def _order(record: Record) -> tuple[int, SortKey]:
    rank = 0 if isinstance(record.body, Grant) else 1 if isinstance(record.body, Goal) else 2
    return rank, record.key
