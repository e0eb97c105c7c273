"""The wall clock, but for leaps: a clock that is set wrong for a moment must not end a plan.

A peer's sense of time only goes forward. Had it once seen next year, it would hold every goal for
over and be understood by nobody until then. So a leap ahead, against the clock that counts how long
the machine has been up, is believed only when it lasts, or when another peer's stamps agree: that
is how a virtual machine comes back that was paused.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from swarm.core.clock import MAX_DRIFT_MS

log = structlog.get_logger(__name__)

LEAP_MS = 10_000
"""A step ahead by more than this, in ms, is doubted: it is more than stamps may drift."""

DOUBT_MS = 60_000
"""How long it has to last until it is believed, in ms: what sets a clock wrong in passing, sets it
right within seconds."""


def uptime_ms() -> int:
    """Return how long the machine has been up, its sleep included where the system tells, in ms.

    Linux counts sleep in CLOCK_BOOTTIME alone; macOS in CLOCK_MONOTONIC, but not in what Python
    takes for `time.monotonic`.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return int((time.monotonic() if clock is None else time.clock_gettime(clock)) * 1000)


class Wall:
    """Tells the time in ms since the epoch."""

    def __init__(
        self,
        read: Callable[[], int] = lambda: int(time.time() * 1000),
        uptime: Callable[[], int] = uptime_ms,
    ) -> None:
        """Believe the clock as it is now.

        Args:
            read: the machine's clock, in ms since the epoch.
            uptime: a clock that nobody sets, in ms.
        """
        self._read = read
        self._uptime = uptime
        self._offset = read() - uptime()
        self._leapt: int | None = None
        """Since when, in uptime, the clock shows something that is not believed yet."""

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
                    meaning="this machine's clock was set ahead; it is believed in a minute, if it "
                    "stays there",
                    help="if the clock is wrong, set it right now: a peer that has once lived in "
                    "the future has to be restarted",
                )
            if up - self._leapt < DOUBT_MS:
                return expected
        self._believe(shown - up)
        return shown

    @property
    def doubts(self) -> bool:
        """Whether the clock shows something that is not believed yet."""
        return self._leapt is not None

    def overheard(self, stamp_ms: int) -> None:
        """Take another's newest stamp, in ms, as a witness: its clock agrees, or says nothing."""
        shown = self._read()
        if self.doubts and abs(stamp_ms - shown) <= LEAP_MS:
            log.info("clock_leap_confirmed", meaning="another peer's clock shows the same")
            self._believe(shown - self._uptime())

    def _believe(self, offset: int) -> None:
        self._leapt = None
        self._offset = offset


class Ahead:
    """Says once that a peer's stamps run ahead of its clock, so that others do not take them."""

    def __init__(self) -> None:
        self._told = False

    def check(self, stamp_ms: int, wall_ms: int) -> None:
        """Look at a stamp that this peer gives, in ms since the epoch as the wall clock is."""
        ahead = stamp_ms > wall_ms + MAX_DRIFT_MS
        if ahead and not self._told:
            log.error(
                "stamps_ahead",
                seconds=(stamp_ms - wall_ms) // 1000,
                meaning="this machine's clock was ahead and was set back; what this peer says is "
                "stamped later than others accept, until that time has come",
                help="restart this peer; what it heard is on the disk or with others",
            )
        self._told = ahead
