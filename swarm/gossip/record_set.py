"""What gossip and the network need to know about records: almost nothing.

They move records as bytes and never look inside one. They ask a `RecordSet` (in a running peer,
`swarm.core.store.store.Store`) to add bytes, which ids it holds, and for the exact bytes of a
record to send on. Tests and the simulator use small sets of their own.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from swarm.core.records import HEADER_SIZE, MAX_RECORD, record_id
from swarm.core.store.sealed_goal import Pack
from swarm.core.store.store import AddResult

__all__ = ["ID_SIZE", "MAX_RECORD", "MIN_RECORD", "AddResult", "RecordSet", "record_id"]

ID_SIZE = 32
"""Bytes of a record id (SHA-256)."""

MIN_RECORD = HEADER_SIZE
"""Bytes of version, author and signature; nothing shorter can be a record."""


class RecordSet(Protocol):
    """The records of one peer, as gossip and the network see them."""

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Decode, verify and keep a record; say what became of it. Never raises on bad bytes."""

    def __contains__(self, record_id: object) -> bool:
        """Return whether the record with this id (32 bytes) is held."""

    def raw(self, record_id: bytes) -> bytes | None:
        """Return the exact bytes of a record, or None if it is not held."""

    def goals(self) -> Collection[bytes]:
        """Ids of all goals held, live and retained, in the order in which they came here."""

    def live_goals(self) -> Collection[bytes]:
        """Return the ids of the goals that have not ended."""

    def goal_of(self, record_id: bytes) -> bytes | None:
        """The id of the goal that a held record belongs to; None: it is not held."""

    def ids(self, goal_id: bytes) -> Collection[bytes]:
        """Return the ids of a goal's records, its own included; none for an unknown goal."""

    def pack(self, goal_id: bytes) -> Pack | None:
        """Return all records of a goal as they are packed; None: they are not packed."""

    def summary(self, goal_id: bytes) -> tuple[int, bytes]:
        """Return how many records a goal has, and the XOR of their ids (32 bytes)."""
