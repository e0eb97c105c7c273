"""A peer keeps running when its process has no file descriptors left.

A machine that runs a model has many files open, and strangers can hold many connections. While no
descriptor is free, nobody new can connect, in either direction; existing connections stay. No
address is blamed for a failed dial. trio's listeners retry ten times a second and log a traceback
each time; `warn_rarely` replaces that with one line a minute that says what to do.
"""

from __future__ import annotations

import errno
import logging
import time

import structlog

log = structlog.get_logger(__name__)

EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Error numbers when the process or the machine has no room for another connection."""

WARN_PAUSE_SECONDS = 60.0
"""Seconds between two log lines about it."""

MAX_CAUSES = 8
"""How many causes of an error are examined."""

LISTENERS = "trio.serve_listeners"
"""The logger of trio's listeners, which logs nothing else."""


def is_exhausted(error: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a lack of descriptors or memory."""
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
    """Log one line a minute in place of trio's tracebacks. May be called more than once."""
    listeners = logging.getLogger(LISTENERS)
    if not any(isinstance(handler, _RareWarning) for handler in listeners.handlers):
        listeners.addHandler(_RareWarning())
        listeners.propagate = False


class _RareWarning(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._warned_at: float | None = None

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if self._warned_at is None or now - self._warned_at > WARN_PAUSE_SECONDS:
            self._warned_at = now
            log.warning(
                "out_of_descriptors",
                reason="this process has reached its limit of open files and connections, so "
                "no new peer can connect; raise the limit (ulimit -n) or close some",
            )
