"""A replica on disk: a cache of what a peer heard, from which it has its plans after a restart.

It is not a database of record. Deleting it loses nothing while another peer is running. If anything
goes wrong with it, the peer logs that and goes on from gossip.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import structlog
import trio

log = structlog.get_logger(__name__)

BATCH_SECONDS = 0.2
"""How long records are gathered to be written together. Other peers have what a crash loses."""

RETRY_SECONDS = 10.0
"""How long to wait before retrying a failed write: a person has to make room on a full disk."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS records (id BLOB PRIMARY KEY, raw BLOB NOT NULL) WITHOUT ROWID;
"""

COLUMNS = ("id", "raw")
"""The table's columns. Another version of this program may have others."""

PUT = "INSERT OR REPLACE INTO records VALUES (?, ?)"
"""Replace, because a record that is already on the disk under this id could not be loaded."""

SIDES = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside a database in use."""

READ = "SELECT raw FROM records WHERE typeof(raw) = 'blob'"
READ_BOTH = "SELECT id, raw FROM records WHERE typeof(raw) = 'blob'"
"""A damaged or foreign file may hold anything in the column, even a number, which `bytes` would
take for a size."""


class _OtherVersion(sqlite3.DatabaseError):
    """The file is sound, but its table is not the one that this version writes."""


class Replica:
    """Records in one SQLite file. Methods block; call them from a worker thread, one at a time."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened yet."""
        self.path = path
        self.trouble = ""
        """Why records are not being written, human-readable; empty if they are."""
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        """Device and inode of the open file."""

    def load(self) -> list[bytes]:
        """Open the file and return all records' bytes; an empty list if it cannot be read.

        A damaged file is moved aside and a new one begun. A file of another version is moved aside
        too, but its readable records are copied. A file that can be read but not written (on a full
        or read-only disk) is read and left alone.
        """
        try:
            return list(self._read())
        except _OtherVersion as error:
            rows = self._salvage()
            meaning = f"{len(rows)} of its records were copied"
            if self._begin_again("replica_other_version", "other-version", error, meaning):
                self.save(rows)
            return [raw for _, raw in rows]
        except sqlite3.OperationalError as error:
            self._give_up(error)
            return self._read_only()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # UnicodeDecodeError: SQLite's messages quote what a damaged file holds.
            meaning = "the records in this one must come from other peers again"
            self._begin_again("replica_damaged", "damaged", error, meaning)
        except OSError as error:
            self._give_up(error)
        return []

    def save(self, records: Sequence[tuple[bytes, bytes]], gone: Sequence[bytes] = ()) -> bool:
        """Write (id, bytes) pairs and remove records by id; log the first failure and go on.

        Returns:
            Whether there is no need to retry: they are written, or nothing ever will be.
        """
        if self._db is None:
            return True
        try:
            found = self._found()
            if found is not None and found != self._file:
                # Not moved aside: it may be another peer's, which would do the same to ours.
                raise FileExistsError("another file is in its place; another peer may be using it")
            db = self._write_again(self._db) if found is None else self._db
            with db:
                db.executemany(PUT, records)
                db.executemany("DELETE FROM records WHERE id = ?", [(rid,) for rid in gone])
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            if not self.trouble:
                self._give_up(error, close=False)
            return False
        if self.trouble:
            self.trouble = ""
            log.info("replica_usable_again", path=str(self.path))
        return True

    def close(self) -> None:
        """Close the file; harmless when it is closed."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _read(self) -> Iterator[bytes]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        db = self._open()
        columns = tuple(row[1] for row in db.execute("PRAGMA table_info(records)"))
        if columns != COLUMNS:
            raise _OtherVersion(f"its table has the columns {', '.join(map(str, columns))}"[:200])
        for (raw,) in db.execute(READ):
            yield bytes(raw)

    def _open(self) -> sqlite3.Connection:
        _make_private(self.path)
        self._db = sqlite3.connect(self.path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(SCHEMA)
        self._file = self._found()
        return self._db

    def _found(self) -> tuple[int, int] | None:
        """Return device and inode of the file at the path now; None if there is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _salvage(self) -> list[tuple[bytes, bytes]]:
        """Return the records of another version's table, if it names its columns the same."""
        assert self._db is not None
        try:
            rows = self._db.execute(READ_BOTH).fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return []
        return [(bytes(rid), bytes(raw)) for rid, raw in rows if isinstance(rid, bytes)]

    def _begin_again(self, event: str, why: str, error: Exception, meaning: str) -> bool:
        """Move the file aside and begin a new one; return whether that worked."""
        aside = self._aside(why)
        log.warning(
            event,
            path=str(self.path),
            error=str(error),
            moved=aside.name,
            meaning=f"a new replica was begun; {meaning}",
        )
        self.close()
        try:
            self.path.rename(aside)
            self._remove_sides(self.path)
            self._open()
        except (OSError, sqlite3.Error, UnicodeDecodeError) as again:
            self._give_up(again)
            return False
        return True

    def _aside(self, why: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{why}-{int(time.time())}")

    def _remove_sides(self, path: Path) -> None:
        for suffix in SIDES:
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    def _write_again(self, old: sqlite3.Connection) -> sqlite3.Connection:
        """Write a file again that was removed while in use, with all that was in it.

        A process that has the removed file open can still read it. The copy is opened only after
        that file is closed, because closing a database removes the files beside its name.
        """
        if not self.trouble:
            log.warning(
                "replica_vanished",
                path=str(self.path),
                meaning="it was removed while this peer is running; it is written again with all "
                "that was in it",
                help="stop a peer before you remove its state",
            )
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        copy = self.path.with_name(f"{self.path.name}.new")
        copy.unlink(missing_ok=True)
        self._remove_sides(copy)
        _make_private(copy)
        with closing(sqlite3.connect(copy)) as db, db:
            db.executescript(SCHEMA)
            db.executemany(PUT, old.execute(READ_BOTH))
        copy.rename(self.path)
        old.close()
        self._remove_sides(self.path)
        return self._open()

    def _read_only(self) -> list[bytes]:
        """Return what can be read of a file that cannot be written."""
        for mode in ("mode=ro", "immutable=1"):
            try:
                with closing(
                    sqlite3.connect(f"{self.path.absolute().as_uri()}?{mode}", uri=True)
                ) as db:
                    return [bytes(raw) for (raw,) in db.execute(READ)]
            except (sqlite3.Error, UnicodeDecodeError):
                continue
        return []

    def _give_up(self, error: Exception, *, close: bool = True) -> None:
        self.trouble = f"The replica {self.path} cannot be used: {error}"
        log.warning(
            "replica_unusable",
            path=str(self.path),
            error=str(error),
            meaning="the peer goes on from gossip; after a restart it must get what is not on the "
            "disk from other peers",
            help="make the directory writable and restart this peer"
            if close
            else "make room on the disk, or move away the file that is in its place: waiting "
            "records are then written without a restart",
        )
        if close:
            self.close()


def _make_private(path: Path) -> None:
    """Create an empty file for this user only; take other users' permissions from an existing one.

    SQLite gives the files beside a database the permissions of the database. Failures are left to
    SQLite, which meets and explains them when it opens the file.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return
    for file in (path, *(path.with_name(path.name + suffix) for suffix in SIDES)):
        with suppress(OSError):
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)


class ReplicaWriter:
    """Collects new records and writes them in batches, off the event loop."""

    def __init__(self, replica: Replica) -> None:
        """Wrap a replica."""
        self._replica = replica
        self._waiting: dict[bytes, bytes | None] = {}
        self._wake = trio.Event()

    def add(self, rid: bytes, raw: bytes) -> None:
        """Write a record soon."""
        self._waiting[rid] = raw
        self._wake.set()

    def remove(self, rid: bytes) -> None:
        """Remove a record soon: otherwise a flood would fill the disk."""
        self._waiting[rid] = None
        self._wake.set()

    async def run(self) -> None:
        """Write until cancelled; then write what is left and close."""
        try:
            while True:
                await self._wake.wait()
                await trio.sleep(BATCH_SECONDS)
                self._wake = trio.Event()
                if not await self._flush():
                    await trio.sleep(RETRY_SECONDS)
                    self._wake.set()
        finally:
            with trio.CancelScope(shield=True):
                await self._flush()
                await trio.to_thread.run_sync(self._replica.close)

    async def _flush(self) -> bool:
        """Write what waits; return whether there is no need to retry."""
        batch, self._waiting = self._waiting, {}
        kept = [(rid, raw) for rid, raw in batch.items() if raw is not None]
        gone = [rid for rid, raw in batch.items() if raw is None]
        if not batch or await trio.to_thread.run_sync(self._replica.save, kept, gone):
            return True
        self._waiting = batch | self._waiting
        return False
