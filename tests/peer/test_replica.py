"""The replica on disk: whatever happens to the file, the peer goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing

from swarm.peer.replica import Replica, ReplicaWriter, Row
from tests.peer.disks import opened


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    """After a restart every record is loaded, each once."""
    replica = Replica(tmp_path / "replica.sqlite3")
    assert opened(replica) == []
    replica.save([Row(b"1", b"one"), Row(b"2", b"two")])
    replica.save([Row(b"2", b"two")])
    replica.close()
    assert sorted(opened(Replica(tmp_path / "replica.sqlite3"))) == [b"one", b"two"]


def modes(folder: Path) -> dict[str, int]:
    """Return the permissions of all files in a folder."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_only_its_user_can_read_a_replica(tmp_path: Path) -> None:
    """In a folder that others can read too, the database and the files beside it have mode 0600."""
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    try:
        replica = Replica(tmp_path / "replica.sqlite3")
        replica.open()
        replica.save([Row(b"1", b"one")])
        made = modes(tmp_path)
        assert len(made) == 3
        assert set(made.values()) == {0o600}
        (tmp_path / "replica.sqlite3").unlink()
        replica.save([Row(b"2", b"two")])
        assert set(modes(tmp_path).values()) == {0o600}
        replica.close()
    finally:
        os.umask(before)


def test_a_replica_of_an_earlier_version_is_closed_to_others(tmp_path: Path) -> None:
    """A file that others could read is theirs no longer once a peer opens it."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(b"1", b"one")])
    for file in tmp_path.iterdir():
        file.chmod(0o644)
    again = Replica(path)
    assert opened(again) == [b"one"]
    assert set(modes(tmp_path).values()) == {0o600}
    again.close()
    replica.close()


@pytest.mark.parametrize("damage", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_replica_is_moved_aside(tmp_path: Path, damage: bytes) -> None:
    """A corrupt file is kept for inspection, and a new one takes the next records."""
    path = tmp_path / "replica.sqlite3"
    path.write_bytes(damage)
    replica = Replica(path)
    assert opened(replica) == []
    replica.save([Row(b"1", b"one")])
    replica.close()
    assert opened(Replica(path)) == [b"one"]
    (aside,) = tmp_path.glob("*.damaged-*")
    assert aside.read_bytes() == damage


@pytest.mark.parametrize("odd", ["text", 10**12, 1.5, None])
def test_a_row_that_is_not_bytes_is_not_a_record(tmp_path: Path, odd: object) -> None:
    """Of a file with rows of other types, only bytes are loaded; a number takes no memory."""
    path = tmp_path / "replica.sqlite3"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE records (id BLOB PRIMARY KEY, raw BLOB)")
        db.executemany("INSERT INTO records VALUES (?, ?)", [(b"1", odd), (b"2", b"two")])
    replica = Replica(path)
    assert opened(replica) == [b"two"]
    replica.close()


def test_a_truncated_replica_never_stops_a_peer(tmp_path: Path) -> None:
    """Cut at any page, the file is loaded or moved aside; nothing is raised."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(bytes([i]), bytes([i]) * 500) for i in range(100)])
    replica.close()
    whole = path.read_bytes()
    for size in range(0, len(whole), 4096):
        path.write_bytes(whole[:size])
        cut = Replica(path)
        assert all(len(raw) == 500 for raw in opened(cut))
        cut.save([Row(b"new", b"new")])
        cut.close()


def test_a_place_that_cannot_be_written_is_reported_and_survived(tmp_path: Path) -> None:
    """Without a place for the file the replica reports that, keeps nothing and raises nothing."""
    (tmp_path / "file").write_text("")
    replica = Replica(tmp_path / "file" / "replica.sqlite3")
    assert opened(replica) == []
    replica.save([Row(b"1", b"one")])
    assert "cannot be used" in replica.trouble


def test_a_full_disk_is_reported_once_and_survived(tmp_path: Path) -> None:
    """When SQLite has no room the peer goes on, and it writes again once there is room."""
    replica = Replica(tmp_path / "replica.sqlite3")
    replica.open()
    assert replica._db is not None
    replica._db.execute("PRAGMA max_page_count = 4")
    replica.save([Row(bytes([i]), bytes(2_000)) for i in range(50)])
    assert "full" in replica.trouble
    replica._db.execute("PRAGMA max_page_count = 4000")
    replica.save([Row(b"1", b"one")])
    assert replica.trouble == ""
    replica.close()
    with sqlite3.connect(tmp_path / "replica.sqlite3") as db:
        assert db.execute("SELECT raw FROM records").fetchall() == [(b"one",)]


def test_what_cannot_be_written_is_read_and_left_alone(tmp_path: Path) -> None:
    """On a full or read-only disk the records are loaded and the file is not moved."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(b"1", b"one")])
    replica.close()
    os.chmod(path, 0o444)
    os.chmod(tmp_path, 0o555)
    code = (
        "import os, sys; from pathlib import Path; from swarm.peer.replica import Replica, Row;"
        "os.geteuid() or os.setuid(65534);"
        "replica = Replica(Path(sys.argv[1])); replica.open();"
        "print([found.raw for some in replica.batches() for found in some], replica.trouble);"
        "replica.save([Row(b'2', b'two')])"
    )
    for folder in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(folder, os.stat(folder).st_mode | 0o055)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        )
    finally:
        os.chmod(tmp_path, 0o755)
    assert "[b'one']" in done.stdout
    assert "cannot be used" in done.stdout
    assert os.listdir(tmp_path) == [path.name]


def test_a_record_that_was_damaged_on_disk_is_written_again(tmp_path: Path) -> None:
    """Bytes that could not be loaded are replaced when the record is heard again."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(b"1", b"rotten")])
    replica.save([Row(b"1", b"one")])
    replica.close()
    assert opened(Replica(path)) == [b"one"]


async def until(condition: Callable[[], object]) -> None:
    """Let virtual time pass until a thread, which the clock does not wait for, has done it."""
    for _ in range(100_000):
        if condition():
            return
        await trio.sleep(0.1)
    pytest.fail("it did not happen in time")


@pytest.mark.trio
async def test_what_did_not_fit_is_written_when_there_is_room(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Records that did not fit are written some seconds after there is room, without a restart."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    assert replica._db is not None
    replica._db.execute("PRAGMA max_page_count = 4")
    writer = ReplicaWriter(replica)
    many = {bytes([i]) * 32: bytes([i]) * 2_000 for i in range(50)}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(writer.run)
        for rid, raw in many.items():
            writer.add(Row(rid, raw))
        await until(lambda: "full" in replica.trouble)
        replica._db.execute("PRAGMA max_page_count = 4000")
        await until(lambda: not replica.trouble)
        nursery.cancel_scope.cancel()
    assert sorted(opened(Replica(path))) == sorted(many.values())


@pytest.mark.trio
async def test_the_writer_saves_in_batches_and_at_the_end(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    """Records are on disk after a pause, and the last ones when the writer ends."""
    replica = Replica(tmp_path / "replica.sqlite3")
    replica.open()
    writer = ReplicaWriter(replica)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(writer.run)
        writer.add(Row(b"1", b"one"))
        await trio.sleep(1)
        writer.add(Row(b"2", b"two"))
        nursery.cancel_scope.cancel()
    assert sorted(opened(Replica(tmp_path / "replica.sqlite3"))) == [b"one", b"two"]


def _remove(path: Path) -> None:
    for found in path.parent.glob(f"{path.name}*"):
        found.unlink()


def _remove_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def _replace(path: Path) -> None:
    other = path.with_name("other")
    replica = Replica(other)
    replica.open()
    replica.save([Row(b"9", b"nine")])
    replica.close()
    other.rename(path)


def _replace_with_junk(path: Path) -> None:
    _remove(path)
    path.write_bytes(b"no database" * 1_000)


@pytest.mark.parametrize("other", [_replace, _replace_with_junk])
def test_another_file_in_its_place_is_left_alone(
    tmp_path: Path, other: Callable[[Path], None]
) -> None:
    """Two peers that replaced each other's file would never stop, so the other is not touched."""
    path = tmp_path / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(b"1", b"one")])
    other(path)
    for _ in range(3):
        assert not replica.save([Row(b"2", b"two")])
        assert "another file is in its place" in replica.trouble
    assert [found for found in tmp_path.iterdir() if ".new" in found.name] == []
    _remove(path)
    assert replica.save([Row(b"2", b"two")])
    assert not replica.trouble
    replica.close()
    assert sorted(opened(Replica(path))) == [b"one", b"two"]


@pytest.mark.parametrize("vanish", [_remove, _remove_folder, Path.unlink])
@pytest.mark.parametrize("many", [1, 300])
def test_a_replica_that_is_removed_while_in_use_is_written_again(
    tmp_path: Path, vanish: Callable[[Path], None], many: int
) -> None:
    """However the file was removed, the next write restores all that was in it."""
    path = tmp_path / "state" / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    old = {bytes([i % 256, i // 256]): bytes(1_000 + i) for i in range(many)}
    replica.save([Row(rid, raw) for rid, raw in old.items()])
    for number in range(2):
        vanish(path)
        assert replica.save([Row(b"new%d" % number, b"new")])
        assert not replica.trouble
    # The file is whole both after a kill and after an orderly end.
    copy = Replica(path)
    assert sorted(opened(copy)) == sorted([*old.values(), b"new", b"new"])
    copy.close()
    replica.save([Row(b"last", b"last")], gone=[b"new0"])
    replica.close()
    assert sorted(opened(Replica(path))) == sorted([*old.values(), b"new", b"last"])


def test_a_replica_that_cannot_be_written_again_is_tried_later(tmp_path: Path) -> None:
    """While the file cannot be placed, nothing is lost; it is written once it can."""
    path = tmp_path / "state" / "replica.sqlite3"
    replica = Replica(path)
    replica.open()
    replica.save([Row(b"1", b"one")])
    _remove_folder(path)
    path.parent.write_text("in its way")
    assert not replica.save([Row(b"2", b"two")])
    assert replica.trouble
    path.parent.unlink()
    assert replica.save([Row(b"2", b"two")])
    assert not replica.trouble
    replica.close()
    assert sorted(opened(Replica(path))) == [b"one", b"two"]


@pytest.mark.parametrize(
    ("table", "row", "kept"),
    [
        (
            "id BLOB PRIMARY KEY, raw BLOB NOT NULL, seen INTEGER NOT NULL",
            (b"1", b"one", 5),
            [b"one"],
        ),
        ("raw BLOB, id BLOB", (b"one", b"1"), [b"one"]),
        ("id INTEGER PRIMARY KEY, raw BLOB, x BLOB", (1, b"one", b""), []),
        ("key BLOB PRIMARY KEY, bytes BLOB", (b"1", b"one"), []),
    ],
)
def test_a_replica_of_another_version_is_moved_aside(
    tmp_path: Path, table: str, row: tuple[object, ...], kept: list[bytes]
) -> None:
    """Records in columns of the same names are copied, and the old file is kept unchanged."""
    path = tmp_path / "replica.sqlite3"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"CREATE TABLE records ({table})")
        db.execute(f"INSERT INTO records VALUES ({', '.join('?' * len(row))})", row)
    replica = Replica(path)
    assert opened(replica) == kept
    assert not replica.trouble
    assert replica.save([Row(b"2", b"two")])
    replica.close()
    assert sorted(opened(Replica(path))) == sorted([*kept, b"two"])
    (aside,) = tmp_path.glob("*.other-version-*")
    with closing(sqlite3.connect(aside)) as db:
        assert db.execute("SELECT * FROM records").fetchall() == [row]
