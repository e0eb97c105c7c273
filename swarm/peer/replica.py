"""A replica on disk: a cache of what a peer heard, so that a restart has the plan at once.

It is no database of record: deleting it loses nothing while another peer lives, and whatever goes
wrong with it, the peer goes on from gossip and says so.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import structlog
import trio

log = structlog.get_logger(__name__)

BATCH_SECONDS = 0.2
"""How long records wait to be written together. What a crash loses, others still have."""

RETRY_SECONDS = 10.0
"""How long records wait that could not be written: full disks are emptied by people."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS records (id BLOB PRIMARY KEY, raw BLOB NOT NULL) WITHOUT ROWID;
"""

COLUMNS = ("id", "raw")
"""What the table has. Another version of this program may have others."""

PUT = "INSERT OR REPLACE INTO records VALUES (?, ?)"
"""Replace: what is under this id on the disk was not good enough to be loaded."""

SIDES = ("-wal", "-shm")
"""What SQLite keeps beside a file in use."""

READ = "SELECT raw FROM records WHERE typeof(raw) = 'blob'"
READ_BOTH = "SELECT id, raw FROM records WHERE typeof(raw) = 'blob'"
"""A damaged or foreign file may hold anything in the column, even a number of bytes to make."""


class _OtherVersion(sqlite3.DatabaseError):
    """The file is sound, and its table is not the one that is written here."""


class Replica:
    """Records in one SQLite file. Methods block; call them from a worker thread, one at a time."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened yet."""
        self.path = path
        self.trouble = ""
        """Why nothing is written any more, for people; empty: all is well."""
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        """Which file is open: its device and inode."""

    def load(self) -> list[bytes]:
        """Open the file and return all records' bytes; an empty list if it cannot be read.

        A damaged file is moved aside and a new one begun; so is one of another version, with what
        can be read of it. One that only cannot be written (a full or read-only disk) is read, and
        left alone.
        """
        try:
            return list(self._read())
        except _OtherVersion as error:
            rows = self._salvage()
            meaning = f"{len(rows)} records of it are taken over"
            if self._begin_anew("replica_other_version", "other-version", error, meaning):
                self.save(rows)
            return [raw for _, raw in rows]
        except sqlite3.OperationalError as error:
            self._give_up(error)
            return self._read_only()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The last for SQLite's own messages, which quote what is in a damaged file.
            meaning = "what was in this one others must say again"
            self._begin_anew("replica_damaged", "damaged", error, meaning)
        except OSError as error:
            self._give_up(error)
        return []

    def save(self, records: Sequence[tuple[bytes, bytes]], gone: Sequence[bytes] = ()) -> bool:
        """Write (id, bytes) pairs, and remove by id; on trouble say so once and go on without.

        Returns:
            Whether they need not be tried again: they are written, or nothing ever will be.
        """
        if self._db is None:
            return True
        try:
            found = self._found()
            if found is not None and found != self._file:
                # Not moved aside: it may be another peer's, who would do the same to ours.
                raise FileExistsError("another file is in its place; maybe another peer writes it")
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
        self._db = sqlite3.connect(self.path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(SCHEMA)
        self._file = self._found()
        return self._db

    def _found(self) -> tuple[int, int] | None:
        """Return which file is at the path now; None: there is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _salvage(self) -> list[tuple[bytes, bytes]]:
        """Return the records of a table of another version, as far as it names them alike."""
        assert self._db is not None
        try:
            rows = self._db.execute(READ_BOTH).fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return []
        return [(bytes(rid), bytes(raw)) for rid, raw in rows if isinstance(rid, bytes)]

    def _begin_anew(self, event: str, why: str, error: Exception, meaning: str) -> bool:
        """Move the file aside and begin a new one; return whether that worked."""
        aside = self._aside(why)
        log.warning(
            event,
            path=str(self.path),
            error=str(error),
            moved=aside.name,
            meaning=f"a new replica is begun; {meaning}",
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
        """Somebody removed the file: write all that was in it again.

        The removed file can still be read by who has it open. Only when it is closed is the copy
        opened: closing a file removes what is beside its name.
        """
        if not self.trouble:
            log.warning(
                "replica_vanished",
                path=str(self.path),
                meaning="somebody removed it while this peer runs; it is written again with all "
                "that was in it",
                help="stop a peer before you remove its state",
            )
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        copy = self.path.with_name(f"{self.path.name}.new")
        copy.unlink(missing_ok=True)
        self._remove_sides(copy)
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
            meaning="the peer goes on from gossip; after a restart it must hear from others what "
            "is not on the disk",
            help="make the directory writable and restart this peer"
            if close
            else "make room on the disk, or move away what is in its place: what waits is then "
            "written without a restart",
        )
        if close:
            self.close()


class ReplicaWriter:
    """Collects what is new and writes it in batches, off the event loop."""

    def __init__(self, replica: Replica) -> None:
        """Wrap a replica."""
        self._replica = replica
        self._waiting: dict[bytes, bytes | None] = {}
        self._wake = trio.Event()

    def add(self, rid: bytes, raw: bytes) -> None:
        """Remember a record to be written soon."""
        self._waiting[rid] = raw
        self._wake.set()

    def remove(self, rid: bytes) -> None:
        """Remember that a record is to be removed soon: else a flood would fill the disk."""
        self._waiting[rid] = None
        self._wake.set()

    async def run(self) -> None:
        """Write until cancelled; then write the rest and close."""
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
        """Write what waits; return whether it need not be tried again."""
        batch, self._waiting = self._waiting, {}
        kept = [(rid, raw) for rid, raw in batch.items() if raw is not None]
        gone = [rid for rid, raw in batch.items() if raw is None]
        if not batch or await trio.to_thread.run_sync(self._replica.save, kept, gone):
            return True
        self._waiting = batch | self._waiting
        return False
