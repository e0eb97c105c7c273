"""Replicas on disk, for tests of what a peer has after a restart."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from swarm.core.records import Record
from swarm.peer.replica import Replica, row_of

KEY = b"k" * 32
"""A peer's secret for its MACs."""


def opened(replica: Replica) -> list[bytes]:
    """Open a replica and return the bytes of all its records."""
    replica.open()
    return [stored.raw for batch in replica.batches() for stored in batch]


def disk(path: Path, records: Iterable[Record], key: bytes = KEY) -> Replica:
    """Write records to a new replica, which counts them as verified; return it open again."""
    written = Replica(path, key)
    written.open()
    written.save([row_of(record) for record in records])
    written.close()
    replica = Replica(path, key)
    replica.open()
    return replica
