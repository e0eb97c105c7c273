"""How long records take to arrive, as one peer sees it: what waits for news are made of."""

from __future__ import annotations

from collections import deque
from statistics import median_low

SAMPLES = 32
"""Records that are remembered: some seconds of a busy goal."""

ENOUGH = 8
"""Fewer say nothing yet."""

NEWS_MS = 2_000
"""What took longer, in ms, was repaired, or heard by a newcomer: it says nothing of gossip."""


class Delays:
    """The delay of the latest records of others, from stamp to arrival.

    It compares others' clocks with this one, so a clock that is off by a second makes it useless;
    whoever uses it bounds it both ways.
    """

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: deque[int] = deque(maxlen=SAMPLES)

    def note(self, stamp_ms: int, now_ms: int) -> None:
        """Take note that a record of this stamp arrived now; both in ms."""
        delay = now_ms - stamp_ms
        if delay <= NEWS_MS:
            self._latest.append(max(delay, 0))

    def typical_ms(self, unknown_ms: int) -> int:
        """Return the median delay, in ms.

        Args:
            unknown_ms: what to return while too few records were heard.
        """
        return median_low(self._latest) if len(self._latest) >= ENOUGH else unknown_ms
