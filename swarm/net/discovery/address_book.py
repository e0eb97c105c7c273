"""The local address book: how peers on one machine find each other without configuration.

A directory of the user holds one small JSON file for each running peer: its process, its realm
(swarm and key) and the addresses where it listens. A peer writes its file once it has an address,
and removes it when it ends. A file of a process that died, or one that makes no sense, is ignored,
and removed by the next peer that reads it. A file that cannot be read is left alone.

The book takes milliseconds, works where multicast does not, and holds nothing secret; only this
user can read it. The methods do file I/O, so the network calls them in a worker thread.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psutil

from swarm.net.errors import SettingsError

MAX_FILE = 4096
"""Bytes of an entry that are read; a real entry has about 300."""

MAX_ENTRIES = 512
"""Entries that are read; a machine runs a few dozen peers at most."""

START_TOLERANCE_SECONDS = 2.0
"""Seconds by which a process's recorded start may differ from its real one. Beyond that, its number
was reused by another process."""

_SUFFIX = ".peer.json"


@dataclass(frozen=True, slots=True)
class BookEntry:
    """One running peer of this machine.

    Attributes:
        peer_id: its transport id, fresh in every process.
        addresses: multiaddresses it listens on.
    """

    peer_id: str
    addresses: tuple[str, ...]


def realm_of(swarm: str, key: str | None) -> str:
    """Return ten hex digits that peers of one swarm name and key share; they reveal neither."""
    text = f"leaderless/realm/1\n{swarm}\n{key or ''}"
    return hashlib.sha256(text.encode()).hexdigest()[:10]


class AddressBook:
    """This peer's entry in the book, and a view of the others'."""

    def __init__(self, folder: Path, realm: str) -> None:
        self._folder = folder
        self._realm = realm
        self._own: Path | None = None

    def write(self, peer_id: str, addresses: Iterable[str]) -> None:
        """Write this process's entry, replacing an earlier one.

        Raises:
            SettingsError: the directory belongs to someone else or cannot be made.
        """
        self.open()
        entry = {
            "pid": os.getpid(),
            "started": psutil.Process().create_time(),
            "realm": self._realm,
            "peer_id": peer_id,
            "addresses": list(addresses),
        }
        target = self._folder / f"{peer_id}{_SUFFIX}"
        draft = self._folder / f".{secrets.token_hex(8)}.tmp"
        draft.write_text(json.dumps(entry), encoding="utf-8")
        draft.replace(target)
        if self._own not in (None, target):
            self.remove()
        self._own = target

    def remove(self) -> None:
        """Remove this process's entry. Never raises."""
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.unlink()
            self._own = None

    def read(self) -> tuple[BookEntry, ...]:
        """Return the other running peers of this realm, and remove entries of those that died.

        The result is empty if there is no book yet or it cannot be trusted.
        """
        try:
            self._check()
            files = sorted(self._folder.glob(f"*{_SUFFIX}"))[:MAX_ENTRIES]
        except (OSError, SettingsError):
            return ()
        entries = []
        for file in files:
            if file != self._own and (entry := self._entry(file)) is not None:
                entries.append(entry)
        return tuple(entries)

    def _entry(self, file: Path) -> BookEntry | None:
        try:
            with file.open("rb") as source:
                data = json.loads(source.read(MAX_FILE))
            peer_id, addresses, realm = data["peer_id"], data["addresses"], data["realm"]
            pid, started = int(data["pid"]), float(data["started"])
            well_formed = isinstance(peer_id, str) and all(isinstance(a, str) for a in addresses)
        except OSError:
            # The entry may be fine: we may, for example, have run out of file descriptors.
            return None
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            self._discard(file)
            return None
        if not well_formed or not _runs(pid, started):
            self._discard(file)
            return None
        return BookEntry(peer_id, tuple(addresses)) if realm == self._realm else None

    @staticmethod
    def _discard(file: Path) -> None:
        with contextlib.suppress(OSError):
            file.unlink()

    def open(self) -> None:
        """Make the directory if it does not exist.

        Raises:
            SettingsError: it belongs to someone else or cannot be made.
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check()
        except OSError as error:
            raise SettingsError(
                f"The address book {self._folder} cannot be used ({error.strerror}). Name another "
                "directory, or turn the address book off and configure the peers' addresses."
            ) from error

    def _check(self) -> None:
        """Make sure that nobody else can write to the directory.

        Raises:
            SettingsError: it belongs to someone else.
            OSError: it is not there.
        """
        if os.name != "posix":
            return
        state = self._folder.stat()
        if state.st_uid != os.getuid():
            raise SettingsError(f"The address book {self._folder} belongs to another user.")
        if stat.S_IMODE(state.st_mode) & 0o077:
            self._folder.chmod(0o700)


def _runs(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return abs(process.create_time() - started) < START_TOLERANCE_SECONDS
    except (psutil.NoSuchProcess, psutil.ZombieProcess, ValueError, OverflowError):
        return False
    except (psutil.Error, OSError):
        return True
