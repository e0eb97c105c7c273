"""What was posted where: the only memory that is the bot's own, in SQLite.

It maps goals to servers, channels, threads and messages, so that after a restart the bot edits the
messages that are there and posts nothing twice. It does not hold the plan, which is folded from the
swarm's records. `put_post` writes a message's row twice: before the message is sent, without an id,
and after. A row without an id tells the next run that the message may have been sent although its
id was never noted.

The person who asked is a keyed hash (`people`). A live goal's signed record is kept too, so that a
goal is not lost when the bot is killed before any other peer or replica has it.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import structlog

log = structlog.get_logger(__name__)

GoalState = Literal["live", "finished", "lost"]

BUSY_SECONDS = 5.0
"""How long to wait for another process to release the file; normally there is none."""

CHECKPOINT_SECONDS = 60.0
"""Time between checkpoints of the write-ahead log, which holds some hundred kilobytes by then."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS goals (
    goal BLOB PRIMARY KEY, guild INTEGER NOT NULL, channel INTEGER NOT NULL, thread INTEGER,
    asker BLOB NOT NULL, created_ms INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'live',
    record BLOB NOT NULL, language TEXT NOT NULL DEFAULT '', fallen INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS goals_by_thread ON goals (thread);
CREATE INDEX IF NOT EXISTS goals_by_guild ON goals (guild, created_ms);
CREATE TABLE IF NOT EXISTS pressed (
    goal BLOB NOT NULL, proposal BLOB NOT NULL, person BLOB NOT NULL, verdict TEXT NOT NULL,
    PRIMARY KEY (proposal, person)
) STRICT;
CREATE TABLE IF NOT EXISTS posts (
    goal BLOB NOT NULL, key TEXT NOT NULL, message INTEGER, digest BLOB NOT NULL,
    seeded INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0,
    gone INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (goal, key)
) STRICT;
CREATE INDEX IF NOT EXISTS posts_by_message ON posts (message);
CREATE TABLE IF NOT EXISTS waiting (
    id BLOB PRIMARY KEY, guild INTEGER NOT NULL, channel INTEGER NOT NULL, asker BLOB NOT NULL,
    locale TEXT NOT NULL, goal TEXT NOT NULL, options TEXT NOT NULL, asked_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""

_ADDED = (
    "ALTER TABLE goals ADD COLUMN language TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE goals ADD COLUMN fallen INTEGER NOT NULL DEFAULT 0",
)
"""Columns that journals of the first version lack."""

_GOAL_COLUMNS = "goal, guild, channel, asker, created_ms, thread, state, record, language, fallen"
"""In the order of `GoalEntry`'s fields."""

_COLUMNS = {
    "goals": _GOAL_COLUMNS,
    "posts": "goal, key, message, digest, seeded, generation, gone",
    "pressed": "goal, proposal, person, verdict",
    "waiting": "id, guild, channel, asker, locale, goal, options, asked_ms",
    "meta": "key, value",
}
"""Tables and columns that a file must have to be a journal."""


class JournalError(Exception):
    """The journal cannot be opened. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class GoalEntry:
    """A goal that a person asked for here."""

    goal: bytes
    guild: int
    """The server's id; 0: asked in a direct message."""
    channel: int
    asker: bytes
    """Keyed hash of the person."""
    created_ms: int
    thread: int | None = None
    state: GoalState = "live"
    record: bytes = b""
    """The goal's signed record; empty once the goal has ended."""
    language: str = ""
    """Language of its thread; empty: English."""
    fallen: bool = False
    """Whether its thread can no longer be used, so that the rest is posted in the channel."""


@dataclass(frozen=True, slots=True)
class PostEntry:
    """A message of a goal, by its key in the story."""

    key: str
    digest: bytes
    """Digest of its current content."""
    message: int | None = None
    """Its id; None: about to be sent, and perhaps sent."""
    seeded: bool = False
    generation: int = 0
    """How often it was replaced."""
    gone: bool = False
    """Whether somebody deleted it: it stays deleted."""


@dataclass(frozen=True, slots=True)
class WaitingEntry:
    """A goal that waits in the queue until there is room for it."""

    id: bytes
    """8 random bytes."""
    guild: int
    channel: int
    asker: bytes
    """Keyed hash of the person."""
    locale: str
    """The person's language, as Discord states it."""
    goal: str
    options: str
    """The chosen options, as JSON."""
    asked_ms: int


class Journal:
    """The journal file. All calls are short and synchronous; close it when done."""

    def __init__(self, path: Path | None) -> None:
        """Open the file, or create it; None keeps everything in memory.

        Raises:
            JournalError: the file cannot be used.
        """
        self._path = path
        self._written_back = 0
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = sqlite3.connect(path or ":memory:", timeout=BUSY_SECONDS)
            self._db.execute("PRAGMA journal_mode=WAL")
            # The log is written back in a thread (`keep_short`): a commit never waits for the disk.
            self._db.execute("PRAGMA wal_autocheckpoint=0")
            # Survives kill -9 of the bot; only a crash of the machine may lose the last rows.
            self._db.execute("PRAGMA synchronous=NORMAL")
            # A damaged text is shown as far as it can be read.
            self._db.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self._migrate()
            self._db.executescript(_SCHEMA)
            self._check()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            # UnicodeDecodeError comes from SQLite's own messages, which quote a damaged file.
            raise JournalError(
                f"The bot's journal {path} cannot be used: {error}. Give the bot a writable state "
                "directory, or move the file away: the bot then loses track of the threads of "
                "running plans; finished plans stay as they are."
            ) from error

    def _migrate(self) -> None:
        columns = {row[1] for row in self._db.execute("PRAGMA table_info(goals)")}
        if columns and "language" not in columns:
            for statement in _ADDED:
                self._db.execute(statement)

    def _check(self) -> None:
        """Check that the file is intact and has this schema: better now than during a plan.

        Raises:
            sqlite3.Error: it is damaged, or another program's file.
        """
        (verdict,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"it is damaged ({' '.join(verdict.split())[:200]})")
        strict = self._db.execute(
            "SELECT name FROM pragma_table_list WHERE strict AND type='table'"
        )
        if not {name for (name,) in strict} >= _COLUMNS.keys():
            raise sqlite3.DatabaseError("it belongs to another program")
        for table, columns in _COLUMNS.items():
            # Both are constants above.
            self._db.execute(f"SELECT {columns} FROM {table} LIMIT 0")  # noqa: S608

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    async def keep_short(self) -> None:
        """Checkpoint the write-ahead log regularly, in a thread, until cancelled."""
        while True:
            await asyncio.sleep(CHECKPOINT_SECONDS)
            if self._db.total_changes != self._written_back:
                self._written_back = self._db.total_changes
                await asyncio.to_thread(self.checkpoint)

    def checkpoint(self) -> None:
        """Checkpoint the write-ahead log, as far as it is not being read; this may take long.

        It uses a connection of its own, so that it can run in any thread.
        """
        if self._path is None:
            return
        try:
            with contextlib.closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as db:
                db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            # The log only grows meanwhile; the next checkpoint may succeed.
            log.warning("journal_checkpoint_failed", reason=str(error))

    def __enter__(self) -> Self:
        """Return the journal."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    # Goals.

    def open_goal(self, entry: GoalEntry) -> None:
        """Note a new goal."""
        with self._db:
            self._insert_goal(entry)

    def _insert_goal(self, entry: GoalEntry) -> None:
        self._db.execute(
            # The columns are a constant above.
            f"INSERT OR REPLACE INTO goals ({_GOAL_COLUMNS})"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.goal,
                entry.guild,
                entry.channel,
                entry.asker,
                entry.created_ms,
                entry.thread,
                entry.state,
                entry.record,
                entry.language,
                int(entry.fallen),
            ),
        )

    def set_thread(self, goal: bytes, thread: int) -> None:
        """Note the thread that was opened for a goal."""
        with self._db:
            self._db.execute("UPDATE goals SET thread = ? WHERE goal = ?", (thread, goal))

    def set_fallen(self, goal: bytes) -> None:
        """Note that a goal's thread cannot be used any more."""
        with self._db:
            self._db.execute("UPDATE goals SET fallen = 1 WHERE goal = ?", (goal,))

    def close_goal(self, goal: bytes, state: GoalState) -> None:
        """Note that nothing more will be posted about a goal."""
        with self._db:
            self._db.execute(
                "UPDATE goals SET state = ?, record = x'' WHERE goal = ?", (state, goal)
            )
            self._db.execute("DELETE FROM pressed WHERE goal = ?", (goal,))

    def goal(self, goal: bytes) -> GoalEntry | None:
        """Return a goal."""
        return self._first("WHERE goal = ?", goal)

    def by_thread(self, thread: int) -> GoalEntry | None:
        """Return the goal of a thread; in a direct message, the newest one."""
        return self._first("WHERE thread = ? ORDER BY created_ms DESC LIMIT 1", thread)

    def live(self) -> list[GoalEntry]:
        """Return the live goals, the oldest first."""
        return self._goals("WHERE state = 'live' ORDER BY created_ms")

    def newest(self, guild: int, most: int) -> list[GoalEntry]:
        """Return a server's newest goals, the newest first."""
        return self._goals("WHERE guild = ? ORDER BY created_ms DESC LIMIT ?", guild, most)

    def asked_since(self, guild: int, since_ms: int) -> list[GoalEntry]:
        """Return a server's goals that are live or were asked since a time, the oldest first."""
        return self._goals(
            "WHERE guild = ? AND (state = 'live' OR created_ms >= ?) ORDER BY created_ms",
            guild,
            since_ms,
        )

    def asked_by(self, person: bytes) -> list[GoalEntry]:
        """Return the goals a person asked for."""
        return self._goals("WHERE asker = ?", person)

    def forget_person(self, person: bytes) -> None:
        """Remove a person's hash from everything."""
        with self._db:
            self._db.execute("UPDATE goals SET asker = x'' WHERE asker = ?", (person,))
            self._db.execute("DELETE FROM pressed WHERE person = ?", (person,))
            self._db.execute("DELETE FROM waiting WHERE asker = ?", (person,))

    def _first(self, where: str, *values: object) -> GoalEntry | None:
        found = self._goals(where, *values)
        return found[0] if found else None

    def _goals(self, where: str, *values: object) -> list[GoalEntry]:
        # `where` is one of the constants above, never text from a user.
        query = f"SELECT {_GOAL_COLUMNS} FROM goals {where}"  # noqa: S608
        rows = self._db.execute(query, values)
        return [GoalEntry(*row) for row in rows]

    # Posts.

    def posts(self, goal: bytes) -> dict[str, PostEntry]:
        """Return a goal's messages by their keys."""
        rows = self._db.execute(
            "SELECT key, digest, message, seeded, generation, gone FROM posts WHERE goal = ?",
            (goal,),
        )
        return {
            key: PostEntry(key, digest, message, bool(seeded), generation, bool(gone))
            for key, digest, message, seeded, generation, gone in rows
        }

    def put_post(self, goal: bytes, entry: PostEntry) -> None:
        """Store the state of a message."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO posts"
                " (goal, key, message, digest, seeded, generation, gone)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    goal,
                    entry.key,
                    entry.message,
                    entry.digest,
                    int(entry.seeded),
                    entry.generation,
                    int(entry.gone),
                ),
            )

    def by_message(self, message: int) -> tuple[bytes, str] | None:
        """Return the goal and key of a message."""
        row = self._db.execute(
            "SELECT goal, key FROM posts WHERE message = ?", (message,)
        ).fetchone()
        return None if row is None else (row[0], row[1])

    # Votes by button. Discord itself keeps those by reaction.

    def press(self, goal: bytes, proposal: bytes, person: bytes, verdict: str | None) -> None:
        """Store a person's vote by button on a split; None: it was taken back."""
        with self._db:
            if verdict is None:
                self._db.execute(
                    "DELETE FROM pressed WHERE proposal = ? AND person = ?", (proposal, person)
                )
            else:
                self._db.execute(
                    "INSERT OR REPLACE INTO pressed VALUES (?, ?, ?, ?)",
                    (goal, proposal, person, verdict),
                )

    def pressed(self, proposal: bytes) -> dict[bytes, str]:
        """Return the votes by button on a split, by person."""
        query = "SELECT person, verdict FROM pressed WHERE proposal = ?"
        rows = self._db.execute(query, (proposal,))
        return dict(rows.fetchall())

    # The queue.

    def wait(self, entry: WaitingEntry) -> None:
        """Store a goal that waits in the queue."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    entry.guild,
                    entry.channel,
                    entry.asker,
                    entry.locale,
                    entry.goal,
                    entry.options,
                    entry.asked_ms,
                ),
            )

    def waiting(self) -> list[WaitingEntry]:
        """Return the waiting goals of all servers, in the order of the queue."""
        rows = self._db.execute("SELECT * FROM waiting ORDER BY asked_ms, rowid")
        return [WaitingEntry(*row) for row in rows]

    def leave_queue(self, waiting: bytes) -> bool:
        """Take a goal out of the queue; return whether it was in it."""
        with self._db:
            found = self._db.execute("DELETE FROM waiting WHERE id = ?", (waiting,))
        return found.rowcount > 0

    def start_waiting(self, waiting: bytes, entry: GoalEntry) -> None:
        """Move a goal from the queue to the live goals, in one transaction."""
        with self._db:
            self._insert_goal(entry)
            self._db.execute("DELETE FROM waiting WHERE id = ?", (waiting,))

    # Anything else.

    def get(self, key: str) -> str | None:
        """Return a stored value by its key; None: there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, value: str) -> None:
        """Store a value under a key."""
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
