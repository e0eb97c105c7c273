"""Recovery: what a peer loads from its disk when it starts, in any order and with any clock.

A replica is read in no particular order, and a machine may start with a clock that is behind the
records it has heard before. Neither may lose a record that is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog
import trio

from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import Goal, Grant, Record, RecordError, decode, record_id
from swarm.core.store.store import AddResult, Store

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
    unwanted: list[bytes] = field(default_factory=list)
    """Ids of records that are broken, superseded or expired: they need not stay on the disk."""
    ahead: list[Record] = field(default_factory=list)
    """Records stamped ahead of this machine's clock, the earliest first. They stay on the disk, and
    `wait_for_clock` takes them in when their time comes or the clock is set right."""


async def restore(store: Store, raws: Sequence[bytes], wall_ms: int) -> Restored:
    """Put a disk's records into an empty store.

    Grants come first and goals second, because a store has little room for strangers' records and
    for records whose goal it does not know.

    Args:
        store: the store to fill.
        raws: the records' bytes, in any order.
        wall_ms: what this machine's clock shows, in ms since the epoch.
    """
    found = Restored()
    records: list[Record] = []
    for number, raw in enumerate(raws):
        if number % RECORDS_A_TURN == 0:
            await trio.lowlevel.checkpoint()
        try:
            records.append(decode(raw))
        except RecordError:
            found.unwanted.append(record_id(raw))
    records.sort(key=_order)
    for number, record in enumerate(records):
        if number % RECORDS_A_TURN == 0:
            await trio.lowlevel.checkpoint()
        if record.stamp.ms > wall_ms + MAX_DRIFT_MS:
            found.ahead.append(record)
        elif store.add_record(record, wall_ms) in (AddResult.STALE, AddResult.REJECTED):
            found.unwanted.append(record.id)
    found.ahead.sort(key=lambda record: record.key)
    found.kept = sum(record.id in store for record in records)
    if raws:
        log.info("replica_loaded", records=found.kept, of=len(raws))
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


async def wait_for_clock(store: Store, found: Restored, wall: Callable[[], int]) -> None:
    """Take in each record stamped ahead once the clock reaches it; return after the last."""
    while found.ahead:
        await trio.sleep(CLOCK_SECONDS)
        now_ms = wall()
        due = sum(record.stamp.ms <= now_ms + MAX_DRIFT_MS for record in found.ahead)
        for record in sorted(found.ahead[:due], key=_order):
            store.add_record(record, now_ms)
        del found.ahead[:due]


def _order(record: Record) -> tuple[object, ...]:
    rank = 0 if isinstance(record.body, Grant) else 1 if isinstance(record.body, Goal) else 2
    return rank, record.key
