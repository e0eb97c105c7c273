"""One time for each of many keys, the earliest first: what is due is found without a scan."""

from __future__ import annotations

import heapq

SPARE = 64
"""How many outdated entries the heap may hold, beyond as many as there are keys, before it is
rebuilt."""


class Timers:
    """At most one time for each key, in ms."""

    def __init__(self) -> None:
        """Start empty."""
        self._at: dict[bytes, int] = {}
        self._heap: list[tuple[int, bytes]] = []

    def __len__(self) -> int:
        return len(self._at)

    def get(self, key: bytes) -> int | None:
        """Return the time of a key, in ms; None: it has none."""
        return self._at.get(key)

    def set(self, key: bytes, at_ms: int | None) -> None:
        """Set the time of a key, in place of an earlier one; None: it has none."""
        if self._at.get(key) == at_ms:
            return
        if at_ms is None:
            del self._at[key]
            return
        self._at[key] = at_ms
        heapq.heappush(self._heap, (at_ms, key))
        if len(self._heap) > 2 * len(self._at) + SPARE:
            self._heap = [(at, key) for key, at in self._at.items()]
            heapq.heapify(self._heap)

    def next_ms(self) -> int | None:
        """Return the earliest time, in ms; None: there is none."""
        while self._heap and self._at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop_due(self, now_ms: int) -> list[bytes]:
        """Remove and return the keys whose time has come, the earliest first."""
        due = []
        while (at_ms := self.next_ms()) is not None and at_ms <= now_ms:
            _, key = heapq.heappop(self._heap)
            del self._at[key]
            due.append(key)
        return due
