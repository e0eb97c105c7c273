"""Notices when the event loop is blocked: nobody is answered then, and nothing else shows why.

The loop sets a heartbeat; a thread checks it. When no beat comes for a second, the log names the
line that blocks the loop while it does, and the metrics count it.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback
from pathlib import Path

import structlog

from bot import metrics

log = structlog.get_logger(__name__)

BEAT_SECONDS = 0.5
"""Time between two beats of the loop."""

BLOCKED_SECONDS = 1.0
"""A beat that is this late is a defect: Discord allows three seconds in all for an answer."""

LOOKS = 5
"""How often the thread checks within the time that a beat may be late."""

FRAMES_SHOWN = 6
"""How many of the innermost calls are logged."""


class Watchdog:
    """Watches the loop in which `run` runs."""

    def __init__(
        self, *, beat_seconds: float = BEAT_SECONDS, blocked_seconds: float = BLOCKED_SECONDS
    ) -> None:
        self._beat_seconds = beat_seconds
        self._blocked_seconds = blocked_seconds
        self._beat = time.monotonic()
        self._told = False
        self._loop_thread = 0
        self._ended = threading.Event()

    async def run(self) -> None:
        """Watch until cancelled."""
        loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._beat = time.monotonic()
        threading.Thread(target=self._look, name="watchdog", daemon=True).start()
        try:
            while True:
                due = loop.time() + self._beat_seconds
                await asyncio.sleep(self._beat_seconds)
                late = max(0.0, loop.time() - due)
                self._beat = time.monotonic()
                self._told = False
                metrics.LAG.observe(late)
                if late >= self._blocked_seconds:
                    metrics.BLOCKED.inc()
                    log.warning("event_loop_was_blocked", seconds=round(late, 1))
        finally:
            self._ended.set()

    def _look(self) -> None:
        while not self._ended.wait(self._blocked_seconds / LOOKS):
            late = time.monotonic() - self._beat - self._beat_seconds
            if late >= self._blocked_seconds and not self._told:
                self._told = True
                log.warning("event_loop_blocked", seconds=round(late, 1), at=self._where())

    def _where(self) -> list[str]:
        """Return the calls of the loop's thread: file, line and function, the innermost last."""
        frame = sys._current_frames().get(self._loop_thread)
        if frame is None:
            return []
        calls = traceback.extract_stack(frame)[-FRAMES_SHOWN:]
        return [f"{Path(call.filename).name}:{call.lineno} {call.name}" for call in calls]
