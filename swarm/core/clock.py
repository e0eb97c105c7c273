"""Hybrid logical clocks: stamps that follow wall time and never contradict causality.

A stamp is `(ms, counter)`: milliseconds since the epoch, then a counter that orders events within
one millisecond, or while a wall clock stands still or steps back. A peer that has seen a stamp
issues only later ones. Source: Kulkarni et al., "Logical Physical Clocks" (2014).
"""

from __future__ import annotations

from typing import NamedTuple

MAX_DRIFT_MS = 5_000
"""How far ahead of the local clock a stamp may be and still be folded, in ms.

It is wider than the clock error of hosts with NTP and of most without it, and narrow enough that a
fast clock gains no advantage that a person would notice.
"""

MAX_MS = 2**53 - 1
"""The largest millisecond value: the largest integer that every JSON reader keeps exactly."""

MAX_COUNTER = 2**31 - 1
"""The largest counter; after it a stamp moves on to the next millisecond."""


class Stamp(NamedTuple):
    """A moment in the swarm's order: ms since the epoch, then a counter within it."""

    ms: int
    counter: int = 0


EPOCH = Stamp(0, 0)
"""Before every record."""


def end_of(ms: int) -> Stamp:
    """Return the last stamp that lies within millisecond `ms`.

    A rule such as "after the lease ends" compares with this, so that no counter value gets past it.
    """
    return Stamp(ms, MAX_COUNTER)


class HybridClock:
    """One peer's clock. The wall time is passed in, so that tests and simulations control it."""

    def __init__(self, max_drift_ms: int = MAX_DRIFT_MS) -> None:
        self._last = EPOCH
        self._max_drift_ms = max_drift_ms

    @property
    def last(self) -> Stamp:
        """The latest stamp issued or observed."""
        return self._last

    def now(self, wall_ms: int) -> int:
        """Return the time to fold at, in ms: never before anything issued or observed."""
        return max(wall_ms, self._last.ms)

    def tick(self, wall_ms: int) -> Stamp:
        """Issue a stamp later than every one issued or observed before."""
        if wall_ms > self._last.ms:
            self._last = Stamp(wall_ms, 0)
        elif self._last.counter >= MAX_COUNTER:
            self._last = Stamp(self._last.ms + 1, 0)
        else:
            self._last = Stamp(self._last.ms, self._last.counter + 1)
        return self._last

    def observe(self, stamp: Stamp, wall_ms: int) -> bool:
        """Note another peer's stamp; return whether it was within the allowed drift.

        A stamp too far in the future is ignored, so that it cannot pull this clock ahead.
        """
        if stamp.ms > wall_ms + self._max_drift_ms:
            return False
        self._last = max(self._last, stamp)
        return True
