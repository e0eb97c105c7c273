"""A clock that stands still while this process waits for a core.

Whether a swarm under attack is slower is a question about the work it does, not about what else
runs on the machine. The kernel counts how long a thread was ready to run and had no core
(`/proc/thread-self/schedstat`); a trio clock without that time makes a test take as long as it
would on a machine of its own. Where the kernel does not count, it is an ordinary clock.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

import trio

SCHEDSTAT = "/proc/thread-self/schedstat"


class OwnTime(trio.abc.Clock):
    """Seconds that this thread had a core, or slept."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._latest = 0.0

    def start_clock(self) -> None:
        """Begin to count, in the thread that calls."""
        with suppress(OSError):
            self._file = os.open(SCHEDSTAT, os.O_RDONLY)

    def current_time(self) -> float:
        """Seconds since some fixed moment."""
        # The kernel adds a wait after it is over: never back behind what was said before.
        self._latest = max(self._latest, time.monotonic() - self.waited())
        return self._latest

    def waited(self) -> float:
        """Seconds for which this thread waited for a core, so far."""
        if self._file is None:
            return 0.0
        return int(os.pread(self._file, 128, 0).split()[1]) / 1e9

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Seconds to sleep until a moment of this clock."""
        return deadline - self.current_time()

    def close(self) -> None:
        """Give the kernel's file back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
