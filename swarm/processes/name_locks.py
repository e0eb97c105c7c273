"""Locks on peer names, so that no identity runs twice on one machine."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Self

import filelock

MAX_PEERS = 1_000
"""Most peers of one role on one machine."""


class NameLocks:
    """The names, and with them the identities, under which this process may run peers.

    Each name is locked by a lock on a file, which the system releases when the process exits: two
    local swarms at the same time never run the same identity.
    """

    def __init__(self, folder: Path) -> None:
        """Keep the lock files in a folder."""
        self._folder = folder
        self._locks = ExitStack()

    def take(self, role: str, count: int) -> list[str]:
        """Lock the first free names of a role, such as `scorer-1`, and return them.

        Raises:
            OSError: the folder cannot be written.
        """
        names: list[str] = []
        for number in range(1, MAX_PEERS + 1):
            if len(names) == count:
                break
            if self.take_name(f"{role}-{number}"):
                names.append(f"{role}-{number}")
        return names

    def take_name(self, name: str) -> bool:
        """Lock one name; return whether it was free.

        Raises:
            OSError: the folder cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = filelock.FileLock(self._folder / f"{name}.lock")
        try:
            self._locks.enter_context(lock.acquire(timeout=0))
        except filelock.Timeout:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._locks.close()
