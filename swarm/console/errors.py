"""How commands fail: an exit code and a message for people, never a traceback."""

from __future__ import annotations

OK = 0
FAILED = 1
"""The goal failed or was cancelled."""
USAGE = 2
"""The command line or the configuration cannot be used."""
ENVIRONMENT = 3
"""What is needed is not there: no swarm answers, no model."""
INTERRUPTED = 130
"""Ctrl-C: 128 and the signal's number, as shells have it."""
BROKEN_PIPE = 141
"""Whoever read the output went away."""


class CommandError(Exception):
    """A command cannot go on; the text says what happened and what to do."""

    def __init__(self, text: str, *, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code
