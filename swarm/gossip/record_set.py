"""What the network needs to know of records: almost nothing.

`swarm.net` moves records as bytes. It never looks inside one; it asks a `RecordSet` (in a running
peer: `swarm.core.store.store.Store`) whether bytes are welcome, which ids are held, and for the
exact bytes of one to send on. Tests and the simulator bring their own small set.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from swarm.core.records import HEADER_SIZE, MAX_RECORD, record_id
from swarm.core.store.store import AddResult

__all__ = ["ID_SIZE", "MAX_RECORD", "MIN_RECORD", "AddResult", "RecordSet", "record_id"]

ID_SIZE = 32
"""Bytes of a record id (SHA-256)."""

MIN_RECORD = HEADER_SIZE
"""Bytes of version, author and signature: shorter bytes are no record."""


class RecordSet(Protocol):
    """The records of one peer, as the network sees them."""

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Decode, verify and keep a record. Never raises on bad bytes."""

    def __contains__(self, record_id: object) -> bool:
        """Whether the record with this id (32 bytes) is held."""

    def raw(self, record_id: bytes) -> bytes | None:
        """The exact bytes of a record held, or None."""

    def goals(self) -> Collection[bytes]:
        """Ids of all goals held, live and retained."""

    def live_goals(self) -> Collection[bytes]:
        """Ids of the goals that have not ended."""

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        """Ids of every record of a goal, the goal's own included; empty for an unknown goal."""

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        """How many records a goal has, and the XOR of their ids (32 bytes); 0 and zeros if none."""
