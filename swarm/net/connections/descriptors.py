"""A process that has no file descriptors left: nothing of it ends, nothing is blamed for it.

A machine that thinks has much open, and strangers can hold many connections. While there is no
descriptor to be had nobody new can connect, in either direction; who is connected stays. trio's
listeners try again ten times a second, and tell the log each time with a traceback: `warn_rarely`
makes that a line a minute that says what to do.
"""

from __future__ import annotations

import errno
import logging
import time

import structlog

log = structlog.get_logger(__name__)

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""What the system answers when the process or the machine has no room for another connection."""

WARN_PAUSE_SECONDS = 60.0
"""Seconds between two lines in the log about it."""

MAX_CAUSES = 8
"""Errors behind an error that are looked at."""

LISTENERS = "trio.serve_listeners"
"""The logger of trio's listeners; it says nothing else."""


def is_exhausted(error: BaseException | None) -> bool:
    """Whether an error, or one behind it, is for want of descriptors or memory."""
    for _ in range(MAX_CAUSES):
        if isinstance(error, BaseExceptionGroup):
            return any(is_exhausted(one) for one in error.exceptions)
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            return True
        if error is None:
            return False
        error = error.__cause__ or error.__context__
    return False


def warn_rarely() -> None:
    """Put one line a minute in the place of trio's tracebacks. May be called again."""
    listeners = logging.getLogger(LISTENERS)
    if not any(isinstance(handler, _Rarely) for handler in listeners.handlers):
        listeners.addHandler(_Rarely())
        listeners.propagate = False


class _Rarely(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._told_at: float | None = None

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if self._told_at is None or now - self._told_at > WARN_PAUSE_SECONDS:
            self._told_at = now
            log.warning(
                "out_of_descriptors",
                reason="this process has as many files and connections open as it may; "
                "allow more (ulimit -n) or close some",
            )
