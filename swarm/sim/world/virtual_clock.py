"""The virtual clock: things to do, in order of time. Nothing here sleeps or reads a clock."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any

START_MS = 1_700_000_000_000
"""When a world begins, in ms since the epoch: any moment will do, so it is a fixed one."""


class Events:
    """A heap of calls by virtual time; equal times keep the order in which they were put in."""

    def __init__(self) -> None:
        self.now_ms = START_MS
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = itertools.count()

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the world began."""
        return self.now_ms - START_MS

    def at(self, at_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Do something at a moment; one that has passed means now."""
        heapq.heappush(self._heap, (max(at_ms, self.now_ms), next(self._order), do, arguments))

    def after(self, delay_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Do something in some milliseconds."""
        heapq.heappush(self._heap, (self.now_ms + delay_ms, next(self._order), do, arguments))

    def run(self, end_ms: int, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass until a condition holds, at latest until `end_ms`.

        Returns:
            Whether the condition came to hold (True without one).
        """
        heap = self._heap
        while heap and heap[0][0] <= end_ms:
            if until is not None and until():
                return True
            self.now_ms, _, do, arguments = heapq.heappop(heap)
            do(*arguments)
        if until is not None and until():
            return True
        self.now_ms = max(self.now_ms, end_ms)
        return until is None or until()
