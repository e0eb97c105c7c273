"""The wall clock, without its leaps: a clock that is wrong for a moment must not end a plan.

A peer's sense of time only goes forward. If it had once seen next year, it would take every goal
for overdue, and no other peer would accept its records until then. So a leap ahead, measured
against the machine's uptime, is believed only when it lasts or when another peer's stamps confirm
it. The latter is how a virtual machine that was paused recovers.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from swarm.core.clock import MAX_DRIFT_MS

log = structlog.get_logger(__name__)

LEAP_MS = 10_000
"""Longest step ahead that is believed at once, in ms: more than stamps may drift."""

DOUBT_MS = 60_000
"""How long a leap has to last until it is believed, in ms. Whatever sets a clock wrong in passing
sets it right within seconds."""


def uptime_ms() -> int:
    """Return how long the machine has been up, including sleep where the system counts it, in ms.

    Linux counts sleep only in CLOCK_BOOTTIME. macOS counts it in CLOCK_MONOTONIC, but not in what
    Python uses for `time.monotonic`.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return int((time.monotonic() if clock is None else time.clock_gettime(clock)) * 1000)


class WallClock:
    """Tells the time in ms since the epoch."""

    def __init__(
        self,
        read: Callable[[], int] = lambda: int(time.time() * 1000),
        uptime: Callable[[], int] = uptime_ms,
    ) -> None:
        """Believe the machine's clock as it is now.

        Args:
            read: the machine's clock, in ms since the epoch.
            uptime: a clock that nobody sets, in ms.
        """
        self._read = read
        self._uptime = uptime
        self._offset = read() - uptime()
        self._leapt: int | None = None
        """Uptime at which the clock leapt to a time that is not believed yet, in ms."""

    def __call__(self) -> int:
        """Return the time, in ms since the epoch."""
        shown, up = self._read(), self._uptime()
        expected = self._offset + up
        if shown - expected > LEAP_MS:
            if self._leapt is None:
                self._leapt = up
                log.warning(
                    "clock_leapt",
                    seconds=(shown - expected) // 1000,
                    meaning="this machine's clock was set ahead; the new time is believed if it "
                    "lasts for a minute",
                    help="if the clock is wrong, set it right now: a peer that has once used "
                    "a time in the future has to be restarted",
                )
            if up - self._leapt < DOUBT_MS:
                return expected
        self._believe(shown - up)
        return shown

    @property
    def doubts(self) -> bool:
        """Whether the machine's clock shows a time that is not believed yet."""
        return self._leapt is not None

    def overheard(self, stamp_ms: int) -> None:
        """Believe a leap if another peer's newest stamp, in ms, shows the same time."""
        shown = self._read()
        if self.doubts and abs(stamp_ms - shown) <= LEAP_MS:
            log.info("clock_leap_confirmed", meaning="another peer's clock shows the same time")
            self._believe(shown - self._uptime())

    def _believe(self, offset: int) -> None:
        self._leapt = None
        self._offset = offset


class StampCheck:
    """Logs when a peer's own stamps run so far ahead of its clock that other peers refuse them."""

    def __init__(self) -> None:
        self._logged = False

    def check(self, stamp_ms: int, wall_ms: int) -> None:
        """Check a stamp that this peer is about to use.

        Args:
            stamp_ms: the stamp's time, in ms since the epoch.
            wall_ms: what the wall clock shows, in ms since the epoch.
        """
        ahead = stamp_ms > wall_ms + MAX_DRIFT_MS
        if ahead and not self._logged:
            log.error(
                "stamps_ahead",
                seconds=(stamp_ms - wall_ms) // 1000,
                meaning="this machine's clock was ahead and was set back; other peers refuse this "
                "peer's records until the time of their stamps has come",
                help="restart this peer; what it heard is on its disk or with other peers",
            )
        self._logged = ahead
