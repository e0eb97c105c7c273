"""A clock that stands still while this process waits for a core.

The question is how much work an attack causes, not what else runs on the machine. The kernel counts
how long a thread was ready to run and had no core (`/proc/thread-self/schedstat`). This trio clock
leaves that time out, so a test measures about what it would on an otherwise idle machine. Where the
kernel does not count it, this is an ordinary clock.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

import trio

SCHEDSTAT = "/proc/thread-self/schedstat"


class OwnTime(trio.abc.Clock):
    """Counts the seconds during which this thread had a core or slept."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._latest = 0.0

    def start_clock(self) -> None:
        """Start to count for the calling thread."""
        with suppress(OSError):
            self._file = os.open(SCHEDSTAT, os.O_RDONLY)

    def current_time(self) -> float:
        """Return the seconds since some fixed moment."""
        # The kernel adds a wait only after it is over; the clock must not go backwards then.
        self._latest = max(self._latest, time.monotonic() - self.waited())
        return self._latest

    def waited(self) -> float:
        """Return for how many seconds this thread has waited for a core so far."""
        if self._file is None:
            return 0.0
        return int(os.pread(self._file, 128, 0).split()[1]) / 1e9

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return the seconds to sleep until a moment of this clock."""
        return deadline - self.current_time()

    def close(self) -> None:
        """Close the kernel's file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
