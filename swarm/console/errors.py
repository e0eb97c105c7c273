"""How commands fail: an exit code and a message for the user, never a traceback."""

from __future__ import annotations

OK = 0
FAILED = 1
"""The goal failed or was cancelled."""
USAGE = 2
"""The command line or the configuration cannot be used."""
ENVIRONMENT = 3
"""Something that the command needs is missing: no swarm answers, or there is no model."""
INCOMPLETE = 4
"""The output is only a part: the swarm holds more than arrived in time."""
INTERRUPTED = 130
"""Ctrl-C: 128 plus the signal's number, as in shells."""
BROKEN_PIPE = 141
"""The reader of the output closed it, as `head` does: 128 plus SIGPIPE."""


class CommandError(Exception):
    """A command cannot continue; the text says what happened and what to do."""

    def __init__(self, text: str, *, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code
