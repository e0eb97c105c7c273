"""What the bot keeps in its journal survives a restart; damaged and foreign files are refused."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.storage.journal import GoalEntry, Journal, JournalError, PostEntry

GOAL = b"\x01" * 32


def entry(goal: bytes = GOAL, *, guild: int = 7, created_ms: int = 1) -> GoalEntry:
    """Return a goal of a server."""
    return GoalEntry(goal, guild, 8, b"\x02" * 32, created_ms)


def test_the_journal_survives_being_opened_again(tmp_path: Path) -> None:
    """Goals, threads and messages are there for the next run, kill -9 included: no close."""
    path = tmp_path / "state" / "journal.sqlite3"
    first = Journal(path)
    first.open_goal(replace(entry(), record=b"signed"))
    first.set_thread(GOAL, 99)
    first.put_post(GOAL, PostEntry("live", b"digest", 1234, seeded=True, generation=2))
    first.put("commands", "hash")
    with Journal(path) as second:
        (found,) = second.live()
        assert (found.goal, found.thread, found.state) == (GOAL, 99, "live")
        assert found.record == b"signed"
        assert second.by_thread(99) == found
        assert second.posts(GOAL) == {
            "live": PostEntry("live", b"digest", 1234, seeded=True, generation=2)
        }
        assert second.by_message(1234) == (GOAL, "live")
        assert second.get("commands") == "hash"
        second.close_goal(GOAL, "finished")
        assert second.live() == []
        assert second.by_thread(99) == replace(found, state="finished", record=b"")
    first.close()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE meta (name TEXT)",
        "CREATE TABLE goals (goal, guild, channel, thread, asker, created_ms, state, record,"
        " language, fallen)",
        "CREATE VIEW posts AS SELECT 1 AS goal",
    ],
    ids=["column", "types", "view"],
)
def test_a_file_of_another_program_is_refused(tmp_path: Path, statement: str) -> None:
    """Tables of the same names that cannot hold what is noted are told at the start."""
    path = tmp_path / "journal.sqlite3"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)
    with pytest.raises(JournalError, match="cannot be used"):
        Journal(path)


def test_a_damaged_journal_is_reported_at_the_start(tmp_path: Path) -> None:
    """A page overwritten anywhere is found when the file is opened, or harms nothing."""
    path = tmp_path / "journal.sqlite3"
    with Journal(path) as journal:
        journal.open_goal(entry())
        journal.put_post(GOAL, PostEntry("live", b"digest", 1234))
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 512):
        path.write_bytes(whole[:at] + b"\xff" * 64 + whole[at + 64 :])
        try:
            with Journal(path) as journal:
                journal.posts(GOAL)
                journal.put_post(GOAL, PostEntry("start", b"digest", 1))
                journal.close_goal(GOAL, "finished")
                journal.newest(7, 5)
                journal.pressed(GOAL)
        except JournalError:
            refused += 1
    assert refused


def test_the_newest_goals_of_a_server_only(tmp_path: Path) -> None:
    """Another server's goals are never listed."""
    with Journal(None) as journal:
        for number in range(5):
            journal.open_goal(entry(bytes([number]) * 32, guild=number % 2, created_ms=number))
        assert [found.created_ms for found in journal.newest(0, 2)] == [4, 2]


def test_a_journal_that_cannot_be_opened_says_what_to_do(tmp_path: Path) -> None:
    """No traceback for a damaged file."""
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(b"no database " * 100)
    with pytest.raises(JournalError, match="writable state directory"):
        Journal(path)


def test_a_journal_of_the_first_version_is_migrated(tmp_path: Path) -> None:
    """An update of the bot loses no live plan: missing columns are added."""
    path = tmp_path / "journal.sqlite3"
    with sqlite3.connect(path) as old:
        old.execute(
            "CREATE TABLE goals (goal BLOB PRIMARY KEY, guild INTEGER NOT NULL, channel INTEGER"
            " NOT NULL, thread INTEGER, asker BLOB NOT NULL, created_ms INTEGER NOT NULL, state"
            " TEXT NOT NULL DEFAULT 'live', record BLOB NOT NULL) STRICT"
        )
        old.execute("INSERT INTO goals VALUES (x'01', 1, 2, 3, x'02', 4, 'live', x'05')")
    old.close()
    with Journal(path) as journal:
        (entry,) = journal.live()
        assert (entry.thread, entry.language, bool(entry.fallen)) == (3, "", False)
        journal.press(entry.goal, b"p", b"me", "approve")
    with Journal(path) as journal:
        assert journal.pressed(b"p") == {b"me": "approve"}


def test_no_commit_of_the_journal_waits_for_the_disk(tmp_path: Path) -> None:
    """SQLite syncs only when it writes its log back, and that is left to a thread."""
    path = tmp_path / "journal.sqlite3"
    with Journal(path) as journal:
        for number in range(1_500):
            journal.open_goal(GoalEntry(number.to_bytes(32), 1, 2, b"", number, record=b"r" * 900))
        grown = path.with_name(path.name + "-wal").stat().st_size
        assert grown > 2_000_000
        assert path.stat().st_size < grown
        thread = threading.Thread(target=journal.checkpoint)
        thread.start()
        thread.join()
        journal.put("a", "b")
        assert path.stat().st_size > 1_500_000
        assert path.with_name(path.name + "-wal").stat().st_size == grown
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM goals").fetchone() == (1_500,)
    db.close()
