"""Records stamped in the near future: kept aside, within bounds, until their time comes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from swarm.core.records import Record, decode
from swarm.core.store.fair_share import FairShare
from swarm.core.store.limits import LARGE, Limits

SPARE = 64
"""How many entries of dropped records the heap may hold, beyond as many as there are records,
before it is rebuilt."""


class Pending:
    """Records stamped ahead of the local clock, the earliest first."""

    def __init__(self, limits: Limits) -> None:
        """Start empty."""
        self._limits = limits
        self._raw: dict[bytes, bytes] = {}
        self._heap: list[tuple[int, bytes]] = []
        self._room: dict[bool, FairShare] = {}

    def __contains__(self, rid: object) -> bool:
        return rid in self._raw

    def raw(self, rid: bytes) -> bytes | None:
        """Return a record's exact bytes by its id."""
        return self._raw.get(rid)

    def put(self, record: Record) -> bool:
        """Keep a new record; return whether there was room."""
        large = len(record.raw) >= LARGE
        room = self._room.get(large)
        if room is None:
            most = self._limits.large_held if large else self._limits.held
            room = self._room[large] = FairShare(most, self._limits.held_per_author)
        gone = room.put(record.author, record.key, record.id)
        if gone == record.id:
            return False
        if gone is not None:
            del self._raw[gone]
        self._raw[record.id] = record.raw
        heapq.heappush(self._heap, (record.stamp.ms, record.id))
        if len(self._heap) > 2 * len(self._raw) + SPARE:
            self._heap = [entry for entry in self._heap if entry[1] in self._raw]
            heapq.heapify(self._heap)
        return True

    def release(self, until_ms: int) -> Iterator[Record]:
        """Remove and yield the records stamped up to `until_ms`, the earliest first."""
        while self._heap and self._heap[0][0] <= until_ms:
            _, rid = heapq.heappop(self._heap)
            raw = self._raw.pop(rid, None)
            if raw is not None:
                record = decode(raw, verify=False)
                self._room[len(raw) >= LARGE].take(record.author, record.key, rid)
                yield record
