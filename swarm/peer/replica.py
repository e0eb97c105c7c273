"""A replica on disk: a cache of what a peer heard, from which it has its plans after a restart.

It is not a database of record. Deleting it loses nothing while another peer is running. If anything
goes wrong with it, the peer logs that and goes on from gossip.

Each record has a MAC under a key of the peer's own. A record whose MAC is right was verified by
this peer before it was written, so its signature need not be verified at each start. Anything else
(another peer's file, changed bytes, a file of an earlier version) is verified like a record that
comes from a stranger. `docs/security.md` states what that protects against.

Goals that have ended are kept a second time, as the store packs them (`EndedGoal`). A start takes
those and reads none of their records, as long as the set of records is the same.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import structlog
import trio

from swarm.core.records import Record, RecordError, decode

log = structlog.get_logger(__name__)

BATCH_SECONDS = 0.2
"""How long records are gathered to be written together. Other peers have what a crash loses."""

RETRY_SECONDS = 10.0
"""How long to wait before retrying a failed write: a person has to make room on a full disk."""

BATCH_RECORDS = 512
"""Records read at a time: about 1 MiB, so that neither memory nor a worker thread is held long."""

MAC_SIZE = 16
"""Bytes of a record's MAC (keyed BLAKE2b): 128 bits, far more than anybody could try here."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS records
    (id BLOB PRIMARY KEY, raw BLOB NOT NULL, goal BLOB, at INTEGER, mac BLOB) WITHOUT ROWID;
"""

SCHEMA_ENDED = """
CREATE TABLE IF NOT EXISTS ended (goal BLOB PRIMARY KEY, packed BLOB NOT NULL, mac BLOB NOT NULL);
"""
"""Goals that have ended, as the store packs them: a start reads these instead of their records,
as long as the records are the same."""

PUT_ENDED = "INSERT OR REPLACE INTO ended (goal, packed, mac) VALUES (?, ?, ?)"
READ_ENDED = "SELECT packed, mac FROM ended WHERE goal = ? AND typeof(packed) = 'blob'"
ENDED_GOALS = "SELECT goal FROM ended WHERE typeof(goal) = 'blob'"
REMOVE_ENDED = "DELETE FROM ended WHERE goal NOT IN (SELECT id FROM records)"

BATCH_GOALS = 64
"""Packed goals read or written at a time: about 1 MiB."""

INDEX = "CREATE INDEX IF NOT EXISTS records_by_goal ON records (goal, at)"

COLUMNS = ("id", "raw", "goal", "at", "mac")
"""The table's columns. Another version of this program may have others."""

EARLIER_COLUMNS = ("id", "raw")
"""The columns of 0.1.0: its files are given the others in place."""

PUT = "INSERT OR REPLACE INTO records (id, raw, goal, at, mac) VALUES (?, ?, ?, ?, ?)"
"""Replace, because a record that is already on the disk under this id could not be loaded."""

SIDES = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps beside a database in use."""

READ_BOTH = "SELECT id, raw FROM records WHERE typeof(id) = 'blob' AND typeof(raw) = 'blob'"
"""A damaged or foreign file may hold anything in the column, even a number, which `bytes` would
take for a size."""

COPY = "SELECT id, raw, goal, at, mac FROM records WHERE typeof(raw) = 'blob'"
READ_GOALS = """
SELECT goal FROM records WHERE typeof(goal) = 'blob'
GROUP BY goal ORDER BY goal IS NOT ?, max(CASE id WHEN goal THEN at END), goal
"""
READ_IDS = "SELECT id FROM records WHERE goal = ? ORDER BY id <> goal"
READ_OTHER_IDS = "SELECT id FROM records WHERE typeof(goal) <> 'blob'"
READ_SOME = "SELECT id, raw, mac FROM records WHERE typeof(raw) = 'blob' AND id IN ({})"


class Row(NamedTuple):
    """A verified record to be written."""

    id: bytes
    raw: bytes
    goal: bytes | None = None
    """The set it is kept in (`Record.goal_id`); None: not known."""
    at_ms: int | None = None
    """When it was made, in ms since the epoch."""


def row_of(record: Record) -> Row:
    """Return the row of a record."""
    return Row(record.id, record.raw, record.goal_id, record.stamp.ms)


@dataclass(frozen=True, slots=True)
class StoredGoal:
    """An ended goal that this peer packed, as it was found on the disk."""

    packed: bytes
    """Bytes of an `EndedGoal`."""
    ids: frozenset[bytes]
    """The ids of the goal's records on this disk."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it was found on the disk."""

    id: bytes
    """The id that it is kept under, to remove it by."""
    raw: bytes
    verified: bool
    """Whether this peer verified these very bytes before it wrote them."""


class _OtherVersion(sqlite3.DatabaseError):
    """The file is sound, but its table is not the one that this version writes."""


class Replica:
    """Records in one SQLite file. Methods block; call them from a worker thread, one at a time."""

    def __init__(self, path: Path, key: bytes = b"") -> None:
        """Name the file; nothing is opened yet.

        Args:
            path: the file.
            key: a secret of this peer's alone, for the MACs (`identity.derived_secret`). Empty:
                none are written, and no record counts as verified.
        """
        self.path = path
        self.trouble = ""
        """Why records are not being written, human-readable; empty if they are."""
        self.broke_off = False
        """Whether the file broke while it was read, and a new one was begun: what was read until
        then must be written again."""
        self._key = key
        self._db: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        """Device and inode of the open file."""
        self._salvaged: list[Row] = []
        """Records of another version's file that could not be written to a new one."""

    def open(self) -> None:
        """Open the file, and begin a new one if it cannot be used.

        A damaged file is moved aside and a new one begun. A file of another version is moved aside
        too, but its readable records are copied; one of an earlier version is changed in place.
        A file that can be read but not written (on a full or read-only disk) is left alone.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._open()
        except _OtherVersion as error:
            rows = self._salvage()
            meaning = f"{len(rows)} of its records were copied"
            if self._begin_again("replica_other_version", "other-version", error, meaning):
                self.save(rows)
            else:
                self._salvaged = rows
        except sqlite3.OperationalError as error:
            self._give_up(error)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # UnicodeDecodeError: SQLite's messages quote what a damaged file holds.
            self._replace_damaged(error)
        except OSError as error:
            self._give_up(error)

    def ended(self, basis: bytes) -> Iterator[list[StoredGoal]]:
        """Yield the ended goals that this peer packed on the same basis.

        Args:
            basis: all that a packed goal depends on beside its records.
        """
        if self._db is None or not self._key:
            return
        try:
            yield from self._read_ended(self._db, basis)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # Their records are there too, and `batches` finds out whether those can be read.
            log.warning("replica_packs_unreadable", path=str(self.path), error=str(error))

    def save_ended(self, goals: Sequence[tuple[bytes, bytes]], basis: bytes) -> None:
        """Write ended goals (id, bytes of an `EndedGoal`), to be read by `ended`.

        A failure costs time at the next start, and is found by `save` as well.
        """
        if self._db is None or not self._key:
            return
        rows = [(goal, packed, self._mac_ended(packed, basis)) for goal, packed in goals]
        with suppress(OSError, sqlite3.Error, UnicodeDecodeError):
            if self._found() == self._file:
                with self._db as db:
                    db.executemany(PUT_ENDED, rows)

    def batches(
        self, first: bytes | None = None, skip: Collection[bytes] = (), *, only: bool = False
    ) -> Iterator[list[StoredRecord]]:
        """Yield all records of the open file, goal by goal, each goal's own record first.

        If the file breaks on the way, a new one is begun, and what could not be read must come from
        other peers again.

        Args:
            first: the set of records that comes first: the roster's.
            skip: goals whose records are not wanted.
            only: whether only the first set is wanted; it is left out if the file is not open,
                and is then the first of all that is read without this argument.
        """
        if self._db is None and only:
            return
        if self._db is None:
            yield from self._salvaged_batches(first) if self._salvaged else self._read_only(first)
            return
        try:
            yield from self._read(self._db, first, skip, only=only)
        except sqlite3.OperationalError as error:
            self._give_up(error)
            if not only:
                yield from self._read_only(first)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self.broke_off = True
            self._replace_damaged(error)

    @property
    def marks(self) -> bool:
        """Whether records that are saved now count as verified when they are read again."""
        return bool(self._key) and self._db is not None

    def save(self, records: Sequence[Row], gone: Sequence[bytes] = ()) -> bool:
        """Write verified records and remove others by id; log the first failure and go on.

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
                db.executemany(PUT, self._marked(records))
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

    def _read_ended(self, db: sqlite3.Connection, basis: bytes) -> Iterator[list[StoredGoal]]:
        with db:
            db.execute(REMOVE_ENDED)
        goals = [goal for (goal,) in db.execute(ENDED_GOALS).fetchall()]
        for start in range(0, len(goals), BATCH_GOALS):
            found = []
            for goal in goals[start : start + BATCH_GOALS]:
                row = db.execute(READ_ENDED, (goal,)).fetchone()
                if row is None or not isinstance(row[1], bytes):
                    continue
                if hmac.compare_digest(self._mac_ended(row[0], basis), row[1]):
                    ids = db.execute(READ_IDS, (goal,)).fetchall()
                    found.append(StoredGoal(row[0], frozenset(rid for (rid,) in ids)))
            yield found

    def _read(
        self,
        db: sqlite3.Connection,
        first: bytes | None,
        skip: Collection[bytes] = (),
        *,
        only: bool = False,
    ) -> Iterator[list[StoredRecord]]:
        # No statement stays open between two batches: records may be written in the meantime.
        batch: list[bytes] = []
        for ids in _only_ids(db, first) if only else _ids(db, first, skip):
            batch += ids
            while len(batch) >= BATCH_RECORDS:
                yield self._read_some(db, batch[:BATCH_RECORDS])
                del batch[:BATCH_RECORDS]
        if batch:
            yield self._read_some(db, batch)

    def _read_some(self, db: sqlite3.Connection, ids: Sequence[bytes]) -> list[StoredRecord]:
        query = READ_SOME.format(", ".join("?" * len(ids)))
        rows = {rid: self._stored(rid, raw, mac) for rid, raw, mac in db.execute(query, ids)}
        return [rows[rid] for rid in ids if rid in rows]

    def _stored(self, rid: bytes, raw: bytes, mac: object) -> StoredRecord:
        genuine = self._mac(raw)
        if genuine is None or not isinstance(mac, bytes):
            return StoredRecord(rid, raw, verified=False)
        return StoredRecord(rid, raw, hmac.compare_digest(genuine, mac))

    def _marked(self, records: Iterable[Row]) -> Iterator[tuple[object, ...]]:
        for row in records:
            yield *row, self._mac(row.raw)

    def _mac(self, raw: bytes) -> bytes | None:
        if not self._key:
            return None
        return hashlib.blake2b(raw, digest_size=MAC_SIZE, key=self._key, person=b"record").digest()

    def _mac_ended(self, packed: bytes, basis: bytes) -> bytes:
        based = hashlib.blake2b(basis, digest_size=32).digest()
        mac = hashlib.blake2b(based, digest_size=MAC_SIZE, key=self._key, person=b"ended goal")
        mac.update(packed)
        return mac.digest()

    def _open(self) -> sqlite3.Connection:
        _make_private(self.path)
        self._db = sqlite3.connect(self.path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(SCHEMA)
        columns = _columns(self._db)
        if columns == EARLIER_COLUMNS:
            _add_columns(self._db)
        elif columns != COLUMNS:
            raise _OtherVersion(f"its table has the columns {', '.join(map(str, columns))}"[:200])
        self._db.execute(INDEX)
        self._db.execute(SCHEMA_ENDED)
        self._file = self._found()
        return self._db

    def _found(self) -> tuple[int, int] | None:
        """Return device and inode of the file at the path now; None if there is none."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _salvage(self) -> list[Row]:
        """Return the records of another version's table, if it names its columns the same."""
        assert self._db is not None
        try:
            rows = self._db.execute(READ_BOTH).fetchall()
        except (sqlite3.Error, UnicodeDecodeError):
            return []
        return [_row(rid, raw) for rid, raw in rows]

    def _salvaged_batches(self, first: bytes | None) -> Iterator[list[StoredRecord]]:
        rows, self._salvaged = _in_order(self._salvaged, first), []
        yield [StoredRecord(rid, raw, verified=False) for rid, raw, *_ in rows]

    def _replace_damaged(self, error: Exception) -> None:
        meaning = "the records in this one must come from other peers again"
        self._begin_again("replica_damaged", "damaged", error, meaning)

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
            db.executemany(PUT, old.execute(COPY))
        copy.rename(self.path)
        old.close()
        self._remove_sides(self.path)
        return self._open()

    def _read_only(self, first: bytes | None) -> Iterator[list[StoredRecord]]:
        """Yield what can be read of a file that cannot be written."""
        for mode in ("mode=ro", "immutable=1"):
            uri = f"{self.path.absolute().as_uri()}?{mode}"
            try:
                with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as db:
                    if _columns(db) == COLUMNS:
                        yield from self._read(db, first)
                    else:
                        self._salvaged = [_row(rid, raw) for rid, raw in db.execute(READ_BOTH)]
                        yield from self._salvaged_batches(first)
                    return
            except (sqlite3.Error, UnicodeDecodeError):
                continue

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


def _only_ids(db: sqlite3.Connection, goal: bytes | None) -> Iterator[list[bytes]]:
    yield [rid for (rid,) in db.execute(READ_IDS, (goal,)).fetchall()]


def _ids(
    db: sqlite3.Connection, first: bytes | None, skip: Collection[bytes]
) -> Iterator[list[bytes]]:
    """Yield the ids of each goal's records, the oldest goal first, each goal's own first."""
    goals = [goal for (goal,) in db.execute(READ_GOALS, (first,)).fetchall()]
    for goal in goals:
        if goal in skip:
            continue
        yield [rid for (rid,) in db.execute(READ_IDS, (goal,)).fetchall()]
    yield [rid for (rid,) in db.execute(READ_OTHER_IDS).fetchall()]


def _columns(db: sqlite3.Connection) -> tuple[object, ...]:
    return tuple(row[1] for row in db.execute("PRAGMA table_info(records)"))


def _add_columns(db: sqlite3.Connection) -> None:
    """Give an earlier version's table the columns that it lacks; nothing changes if that fails."""
    db.create_function("goal_of", 1, _goal_of, deterministic=True)
    db.create_function("made_at", 1, _made_at, deterministic=True)
    with db:
        db.execute("BEGIN")
        for column in ("goal BLOB", "at INTEGER", "mac BLOB"):
            db.execute(f"ALTER TABLE records ADD COLUMN {column}")
        db.execute("UPDATE records SET goal = goal_of(raw)")
        # The goals are put in order by their own records' stamps.
        db.execute("UPDATE records SET at = made_at(raw) WHERE id = goal")


def _goal_of(raw: object) -> bytes | None:
    return _row(b"", raw).goal if isinstance(raw, bytes) else None


def _made_at(raw: object) -> int | None:
    return _row(b"", raw).at_ms if isinstance(raw, bytes) else None


def _row(rid: bytes, raw: bytes) -> Row:
    """Return the row of bytes that may be no record."""
    try:
        record = decode(raw, verify=False)
    except RecordError:
        return Row(rid, raw)
    return Row(rid, raw, record.goal_id, record.stamp.ms)


def _in_order(rows: Iterable[Row], first: bytes | None) -> list[Row]:
    """Return rows in the order in which `_ids` yields their ids."""
    kept = list(rows)
    ages = {row.id: row.at_ms or 0 for row in kept if row.id == row.goal}
    return sorted(
        kept,
        key=lambda row: (
            row.goal is None,
            row.goal != first,
            ages.get(row.goal or b"", 0),
            row.goal or b"",
            row.id != row.goal,
        ),
    )


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

    def __init__(
        self, replica: Replica, packed: Callable[[bytes], tuple[bytes, bytes] | None] | None = None
    ) -> None:
        """Wrap a replica.

        Args:
            replica: the disk.
            packed: returns an ended goal's bytes (of `EndedGoal`) and their basis; None: it is
                not packed now.
        """
        self._replica = replica
        self._packed = packed
        self._sealed: dict[bytes, None] = {}
        self._waiting: dict[bytes, Row | None] = {}
        self._wake = trio.Event()

    def add(self, row: Row) -> None:
        """Write a verified record soon."""
        self._waiting[row[0]] = row
        self._wake.set()

    def add_ended(self, goal_id: bytes) -> None:
        """Write an ended goal as it is packed, when its records are written."""
        self._sealed[goal_id] = None
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
                elif await self._flush_ended():
                    self._wake.set()
        finally:
            with trio.CancelScope(shield=True):
                await self._flush()
                while await self._flush_ended():
                    pass
                await trio.to_thread.run_sync(self._replica.close)

    async def _flush_ended(self) -> bool:
        """Write some of the ended goals that wait; return whether any are left."""
        some = list(self._sealed)[:BATCH_GOALS]
        groups: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for goal_id in some:
            del self._sealed[goal_id]
            found = None if self._packed is None else self._packed(goal_id)
            if found is not None:
                groups.setdefault(found[1], []).append((goal_id, found[0]))
        for basis, goals in groups.items():
            await trio.to_thread.run_sync(self._replica.save_ended, goals, basis)
        return bool(self._sealed)

    async def _flush(self) -> bool:
        """Write what waits; return whether there is no need to retry."""
        batch, self._waiting = self._waiting, {}
        kept = [row for row in batch.values() if row is not None]
        gone = [rid for rid, row in batch.items() if row is None]
        if not batch or await trio.to_thread.run_sync(self._replica.save, kept, gone):
            return True
        self._waiting = batch | self._waiting
        return False
