"""How long records take to arrive, as one peer measures it; waits for news are based on it."""

from __future__ import annotations

from collections import deque
from statistics import median_low

SAMPLES = 32
"""How many records are remembered: some seconds of a busy goal."""

ENOUGH = 8
"""How many samples an estimate needs."""

NEWS_MS = 2_000
"""Slower records do not count, in ms: they were repaired, or heard by a peer that just joined, and
say nothing about gossip."""


class Latency:
    """The delays of the latest records from other peers, from stamp to arrival.

    They compare other clocks with the local one, so a clock that is off by a second makes them
    useless. Code that waits for this long therefore sets a minimum and a maximum of its own.
    """

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: deque[int] = deque(maxlen=SAMPLES)

    def note(self, stamp_ms: int, now_ms: int) -> None:
        """Note that a record with this stamp arrived now; both in ms."""
        delay = now_ms - stamp_ms
        if delay <= NEWS_MS:
            self._latest.append(max(delay, 0))

    def typical_ms(self, unknown_ms: int) -> int:
        """Return the median delay, in ms.

        Args:
            unknown_ms: what to return while there are too few samples.
        """
        return median_low(self._latest) if len(self._latest) >= ENOUGH else unknown_ms
