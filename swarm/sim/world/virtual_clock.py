"""The virtual clock: pending calls, ordered by time. Nothing here sleeps or reads a real clock."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any

START_MS = 1_700_000_000_000
"""When every world begins, in ms since the epoch: any fixed moment would do."""


class VirtualClock:
    """A heap of calls by virtual time; calls at the same time keep the order they were added in."""

    def __init__(self) -> None:
        self.now_ms = START_MS
        self.busy_until_ms = 0
        """Until then something is still planned to go wrong, in ms since the epoch."""
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = itertools.count()

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the world began."""
        return self.now_ms - START_MS

    def at(self, at_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Make a call at a time; one that has passed means now."""
        heapq.heappush(self._heap, (max(at_ms, self.now_ms), next(self._order), do, arguments))

    def after(self, delay_ms: int, do: Callable[..., None], *arguments: Any) -> None:
        """Make a call after a delay."""
        heapq.heappush(self._heap, (self.now_ms + delay_ms, next(self._order), do, arguments))

    def keep_busy(self, delay_ms: int) -> None:
        """Note that something is planned after a delay: the world must not end before it."""
        self.busy_until_ms = max(self.busy_until_ms, self.now_ms + delay_ms)

    def run(self, end_ms: int, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass until a condition holds, but not beyond `end_ms`.

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


class Alarm:
    """Calls an action at the earliest of the times it was set to; then it has to be set again."""

    def __init__(self, at: Callable[..., None], action: Callable[[], None]) -> None:
        """Make it; it is not set.

        Args:
            at: makes a call at a time, given the time in ms, what to call and its arguments.
            action: what to do.
        """
        self._at = at
        self._action = action
        self._set_ms: int | None = None

    def set(self, at_ms: int) -> None:
        """Set the call to a time, in ms, unless it is already set to an earlier one."""
        if self._set_ms is None or at_ms < self._set_ms:
            self._set_ms = at_ms
            self._at(at_ms, self._go_off, at_ms)

    def _go_off(self, at_ms: int) -> None:
        if self._set_ms == at_ms:
            self._set_ms = None
            self._action()
