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

READ = "SELECT raw FROM records WHERE typeof(raw) = 'blob'"
"""A damaged or foreign file may hold anything in the column, even a number of bytes to make."""


class Replica:
    """Records in one SQLite file. Methods block; call them from a worker thread, one at a time."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened yet."""
        self.path = path
        self.trouble = ""
        """Why nothing is written any more, for people; empty: all is well."""
        self._db: sqlite3.Connection | None = None

    def load(self) -> list[bytes]:
        """Open the file and return all records' bytes; an empty list if it cannot be read.

        A damaged file is moved aside and a new one begun. One that only cannot be written (a full
        or read-only disk) is read, and left alone.
        """
        try:
            return list(self._read())
        except sqlite3.OperationalError as error:
            self._give_up(error)
            return self._read_only()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The last for SQLite's own messages, which quote what is in a damaged file.
            aside = self.path.with_name(f"{self.path.name}.damaged-{int(time.time())}")
            log.warning(
                "replica_damaged",
                path=str(self.path),
                error=str(error),
                moved=aside.name,
                meaning="a new replica is begun; what was in this one others must say again",
            )
            self.close()
            try:
                self.path.rename(aside)
                for suffix in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                return list(self._read())
            except (OSError, sqlite3.Error, UnicodeDecodeError) as again:
                self._give_up(again)
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
            with self._db:
                # Replace: what is under this id on the disk was not good enough to be loaded.
                self._db.executemany("INSERT OR REPLACE INTO records VALUES (?, ?)", records)
                removed = [(rid,) for rid in gone]
                self._db.executemany("DELETE FROM records WHERE id = ?", removed)
        except (sqlite3.Error, UnicodeDecodeError) as error:
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
        self._db = sqlite3.connect(self.path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(SCHEMA)
        for (raw,) in self._db.execute(READ):
            yield bytes(raw)

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
            else "make room on the disk: what waits is then written without a restart",
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
