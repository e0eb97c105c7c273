"""Logs of the commands: structlog on stderr; stdout is for results only."""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import suppress
from typing import Any, Literal, TextIO, cast

import structlog

from swarm.console.text import clean, escape

Level = Literal["debug", "info", "warning", "error"]


class _Lossy:
    """A stream whose writes never fail: a full disk under the log must not stop the peer."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


class _IntoStructlog(logging.Handler):
    """Passes on what libraries log, so that all lines have one format."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a library's message through structlog."""
        try:
            structlog.get_logger().log(
                record.levelno,
                record.getMessage(),
                logger=record.name,
                **({"exc_info": record.exc_info} if record.exc_info else {}),
            )
        except Exception:
            self.handleError(record)


def _as_json(event: Any, **settings: Any) -> str:
    return escape(json.dumps(event, **settings))


def _cleaned(logger: Any, method: str, event: structlog.typing.EventDict) -> Any:
    """Remove characters that could steer a terminal, such as those in a peer's name."""
    return {key: clean(value) if isinstance(value, str) else value for key, value in event.items()}


def log_to_stderr(level: Level, style: Literal["auto", "text", "json"] = "auto") -> None:
    """Log messages of a level and above to stderr.

    Args:
        level: the least severe messages that are logged.
        style: human-readable text or JSON lines; auto: text if stderr is a terminal.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    terminal = sys.stderr.isatty()
    tail: list[structlog.typing.Processor]
    if style == "json" or (style == "auto" and not terminal):
        tail = [
            # Without local variables: they may hold a key, a token or people's texts.
            structlog.processors.ExceptionRenderer(
                structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            ),
            structlog.processors.JSONRenderer(_as_json, ensure_ascii=False),
        ]
    else:
        tail = [
            _cleaned,
            structlog.dev.ConsoleRenderer(
                colors=terminal and not os.environ.get("NO_COLOR"),
                exception_formatter=structlog.dev.plain_traceback,
            ),
        ]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *tail,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Lossy(sys.stderr))),
    )
    # Libraries log only warnings and errors; libp2p warns about ordinary events.
    root = logging.getLogger()
    for handler in list(root.handlers):
        # The plain handler is what `logging.warning` adds when a library calls it before this.
        if type(handler) in (_IntoStructlog, logging.StreamHandler):
            root.removeHandler(handler)
    if not root.handlers:
        root.addHandler(_IntoStructlog())
        root.setLevel(max(number, logging.WARNING))
    logging.getLogger("libp2p").setLevel(logging.CRITICAL)
