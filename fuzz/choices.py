"""Bytes as a sequence of choices: a small mutation of the bytes is a small change of meaning."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_MEMORY = Path("/dev/shm")


def scratch() -> Path:
    """Return a folder for this process, removed at its end.

    It is in memory where possible: thousands of files a minute should not be written to a disk.
    """
    where = _MEMORY if _MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="leaderless-fuzz-", dir=where))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Choices:
    """Decides by the front of some bytes; once they run out, every choice is the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """The bytes that are not used yet."""
        return max(0, len(self._data) - self._at)

    def byte(self) -> int:
        """The next byte; 0 at the end."""
        value = self._data[self._at] if self._at < len(self._data) else 0
        self._at += 1
        return value

    def number(self, most: int) -> int:
        """A number from 0 to `most`."""
        size = max(1, (most.bit_length() + 7) // 8)
        return int.from_bytes(self.take(size)) % (most + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.byte() % len(options)]

    def chance(self, of: int = 2) -> bool:
        """True in one case of `of`."""
        return self.byte() % of == 1

    def take(self, size: int) -> bytes:
        """The next bytes, padded with zeros."""
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken.ljust(size, b"\0")

    def rest(self) -> bytes:
        """Everything that is left."""
        taken = self._data[self._at :]
        self._at = len(self._data)
        return taken

    def text(self, most: int) -> str:
        """Some text of at most `most` characters."""
        size = min(self.number(most), self.left)
        return self.take(size).decode("utf-8", "replace")
