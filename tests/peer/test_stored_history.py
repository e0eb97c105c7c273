"""A disk with a long history: what is verified when it is read, and how much is held meanwhile."""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.policy import DAY, HOUR, MINUTE
from swarm.core.records import Goal, Grant, Record, sign
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from swarm.peer import replica as replica_module
from swarm.peer.peer import Peer
from swarm.peer.recovery import Restored, ended_basis, restore
from swarm.peer.replica import Replica, Row, StoredRecord, row_of
from swarm.peer.settings import PeerSettings
from swarm.testing.finished_goals import RECORDS, Cast
from tests.core.worlds import public
from tests.peer.disks import KEY, disk, opened

OWNER = Ed25519PrivateKey.from_private_bytes(bytes([77]) * 32)

NOW = 10 * DAY
CAST = Cast("test", text_characters=50)
HISTORY = list(CAST.goals(8, first_ms=NOW - DAY, last_ms=NOW - 2 * HOUR))
ALL = [record for goal in HISTORY for record in goal]
SOME = HISTORY[0]


def read(replica: Replica) -> list[StoredRecord]:
    """Return all that an open replica holds."""
    return [stored for batch in replica.batches() for stored in batch]


def loaded(replica: Replica, limits: Limits | None = None) -> tuple[Store, Restored]:
    """Return a store that an open replica was read into."""
    store = Store("test", limits=limits)
    return store, trio.run(restore, store, replica, NOW)


def packed(path: Path, records: Sequence[Record]) -> Replica:
    """Return an open replica with records and, packed, all of their goals that have ended."""
    replica = disk(path, records)
    store, _ = loaded(replica)
    save_ended(store, replica)
    return replica


def save_ended(store: Store, replica: Replica) -> None:
    """Write all goals that a store has packed, as a peer does."""
    ended = [(goal_id, store.packed(goal_id)) for goal_id in store.goals()]
    rows = [(goal_id, found.to_bytes()) for goal_id, found in ended if found is not None]
    replica.save_ended(rows, ended_basis(store))


def count_read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return a list to which the id of each record is added that is read by itself."""
    seen: list[bytes] = []
    stored = Replica._stored

    def noted(self: Replica, rid: bytes, raw: bytes, mac: object) -> StoredRecord:
        seen.append(rid)
        return stored(self, rid, raw, mac)

    monkeypatch.setattr(Replica, "_stored", noted)
    return seen


def state(store: Store) -> dict[bytes, tuple[object, ...]]:
    """Return what peers have to agree on of each goal."""
    found: dict[bytes, tuple[object, ...]] = {}
    for goal_id in store.goals():
        plan = store.plan(goal_id)
        assert plan is not None
        found[goal_id] = (*store.summary(goal_id), plan.digest, goal_id in store.live_goals())
    return found


def added(records: Sequence[Record]) -> Store:
    """Return a store that was given records one by one."""
    store = Store("test")
    store.advance(NOW)
    for record in records:
        store.add(record.raw, NOW)
    store.advance(NOW)
    return store


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False), st.booleans(), st.integers(0, RECORDS))
def test_the_disk_gives_the_store_that_any_order_of_arrival_gives(
    rng: random.Random, marked: bool, missing: int
) -> None:
    """With MACs or without, whatever was written first, whole goals and parts of goals."""
    records = [*ALL[: len(ALL) - missing]]
    expected = state(added(records))
    rng.shuffle(records)
    with tempfile.TemporaryDirectory() as folder:
        replica = disk(Path(folder) / "replica", records, KEY if marked else b"")
        assert {stored.verified for stored in read(replica)} == {marked}
        store, found = loaded(replica)
        replica.close()
    assert not found.unwanted
    assert state(store) == expected


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, RECORDS), st.integers(0, RECORDS))
def test_packed_goals_give_the_store_that_their_records_give(
    rng: random.Random, missing: int, late: int
) -> None:
    """Also if records came after the goals were packed, and if more come after the start."""
    records = [*ALL[: len(ALL) - missing]]
    later = rng.sample(records, late)
    after = rng.sample(later, late // 2)
    first = [record for record in records if record not in later]
    with tempfile.TemporaryDirectory() as folder:
        replica = packed(Path(folder) / "replica", first)
        replica.save([row_of(record) for record in later if record not in after])
        store, found = loaded(replica)
        replica.close()
    assert not found.unwanted
    assert found.kept == len(store) == len(records) - len(after)
    store.advance(NOW)
    for record in after:
        assert store.add(record.raw, NOW) is AddResult.NEW
    store.advance(NOW)
    assert state(store) == state(added(records))
    assert store.clock.last == max(record.stamp for record in records)


def test_a_start_reads_packed_goals_instead_of_their_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record of a packed goal is read by itself, and the goals stay packed."""
    replica = packed(tmp_path / "replica", ALL)
    seen = count_read(monkeypatch)
    store, found = loaded(replica)
    assert found.kept == len(store) == len(ALL)
    assert seen == []
    assert all(log.sealed for log in store._logs.values())
    assert store.majority() == added(ALL).majority()
    assert store.is_known_asker(HISTORY[0][0].author)
    assert {store.packed(goal_id) is not None for goal_id in store.goals()} == {True}


def _change_packed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        (value,) = db.execute("SELECT packed FROM ended").fetchone()
        db.execute("UPDATE ended SET packed = ?", (value[:-1] + bytes([value[-1] ^ 1]),))


def _change_mac(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE ended SET mac = ?", (bytes(16),))


def _remove_record(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM records WHERE id = ?", (SOME[-1].id,))


@pytest.mark.parametrize("change", [_change_packed, _change_mac, _remove_record])
@pytest.mark.parametrize("key", [KEY, b"another peer's" + bytes(18)])
def test_a_packed_goal_that_does_not_fit_is_read_record_by_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], key: bytes
) -> None:
    """If its bytes, its MAC or its set of records differ, or another peer packed it."""
    path = tmp_path / "replica"
    packed(path, SOME).close()
    change(path)
    replica = Replica(path, key)
    replica.open()
    seen = count_read(monkeypatch)
    store, _ = loaded(replica)
    kept = SOME[:-1] if change is _remove_record else SOME
    assert sorted(seen) == sorted(record.id for record in kept)
    assert state(store) == state(added(kept))


def test_other_grants_have_packed_goals_read_record_by_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grants come first; goals packed under the same ones are taken, under others folded again."""
    roles = ["submitter", "decomposer", "scorer", "executor"]
    grants = [
        sign(
            Grant(stamp=Stamp(1), swarm="test", subject=public(CAST.key(role, n)), roles=roles),
            OWNER,
        )
        for role in roles
        for n in range(3)
    ]
    replica = disk(tmp_path / "replica", [*grants[:-1], *SOME])

    def start() -> Store:
        store = Store("test", owner=public(OWNER))
        trio.run(restore, store, replica, NOW)
        return store

    save_ended(start(), replica)
    seen = count_read(monkeypatch)
    store = start()
    assert set(seen) == {record.id for record in grants[:-1]}
    (plan,) = store.plans()
    assert plan.final
    seen.clear()
    replica.save(
        [row_of(sign(Grant(stamp=Stamp(2), swarm="test", subject=bytes(32), roles=[]), OWNER))]
    )
    assert start().plans()[0].digest == plan.digest
    assert {record.id for record in SOME} <= set(seen)


def test_packed_goals_whose_records_are_gone_leave_the_disk(tmp_path: Path) -> None:
    """A goal that is forgotten takes its packed form with it at the next start."""
    path = tmp_path / "replica"
    replica = packed(path, ALL)
    replica.save([], [record.id for record in SOME])
    store, _ = loaded(replica)
    replica.close()
    assert len(store) == len(ALL) - len(SOME)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM ended").fetchone() == (len(HISTORY) - 1,)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(SOME), st.sampled_from(["raw", "mac"]), st.integers(0, 10**6))
def test_a_changed_byte_leads_to_verification(record: Record, column: str, at: int) -> None:
    """Changed records are verified and dropped; if only the MAC changed, the record is kept."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replica"
        disk(path, SOME).close()
        with closing(sqlite3.connect(path)) as db, db:
            (value,) = db.execute(
                f"SELECT {column} FROM records WHERE id = ?", (record.id,)
            ).fetchone()
            changed = bytearray(value)
            changed[at % len(changed)] ^= 1 << at % 8
            db.execute(f"UPDATE records SET {column} = ? WHERE id = ?", (bytes(changed), record.id))
        replica = Replica(path, KEY)
        replica.open()
        assert [found.id for found in read(replica) if not found.verified] == [record.id]
        store, found = loaded(replica)
        whole = column == "mac"
        assert found.unwanted == [] if whole else [record.id]
        assert (record.id in store) is whole
        assert all(found.verified for found in read(replica)) is whole
        replica.close()


@pytest.mark.parametrize("key", [b"another peer's" + bytes(18), b""])
def test_a_copy_under_another_identity_is_verified(tmp_path: Path, key: bytes) -> None:
    """Under another key nothing counts as verified, and a forged record is found."""
    forged = bytearray(SOME[-1].raw)
    forged[50] ^= 1
    disk(tmp_path / "replica", SOME[:-1]).close()
    writer = Replica(tmp_path / "replica", KEY)
    writer.open()
    writer.save([Row(SOME[-1].id, bytes(forged), SOME[0].id)])
    writer.close()
    replica = Replica(tmp_path / "replica", key)
    replica.open()
    assert not any(stored.verified for stored in read(replica))
    store, found = loaded(replica)
    assert found.unwanted == [SOME[-1].id]
    assert len(store) == len(SOME) - 1
    replica.close()


@pytest.mark.parametrize("writable", [True, False])
def test_a_file_of_the_first_version_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    """Its table is changed in place, and its records are verified once; if it cannot be, read."""
    path = tmp_path / "replica"
    junk = (b"j" * 32, b"junk")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE records (id BLOB PRIMARY KEY, raw BLOB NOT NULL) WITHOUT ROWID")
        db.executemany("INSERT INTO records VALUES (?, ?)", [(r.id, r.raw) for r in ALL])
        db.execute("INSERT INTO records VALUES (?, ?)", junk)
    if not writable:
        # As on a full disk: nothing of a change that broke off is left.
        monkeypatch.setattr(replica_module, "INDEX", "CREATE INDEX")
    replica = Replica(path, KEY)
    replica.open()
    store, found = loaded(replica)
    replica.close()
    assert found.unwanted == [junk[0]]
    assert state(store) == state(added(ALL))
    if not writable:
        assert replica.trouble
        return
    again = Replica(path, KEY)
    again.open()
    rows = read(again)
    again.close()
    assert {row.id for row in rows if row.verified} == {record.id for record in ALL}
    assert [row.id for row in rows if not row.verified] == [junk[0]]
    assert [file.name for file in tmp_path.iterdir()] == ["replica"]


def test_goals_that_have_ended_are_packed_while_they_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At no time are more goals unpacked than two batches hold, however many there are."""
    monkeypatch.setattr(replica_module, "BATCH_RECORDS", 2 * RECORDS)
    most = 0

    class Counting(Store):
        def advance(self, now_ms: int) -> list[bytes]:
            nonlocal most
            most = max(most, sum(not log.sealed for log in self._logs.values()))
            return super().advance(now_ms)

    store = Counting("test")
    trio.run(restore, store, disk(tmp_path / "replica", ALL), NOW)
    assert len(store) == len(ALL)
    assert most <= 4
    assert all(log.sealed for log in store._logs.values())


def test_ended_goals_take_no_room_from_live_ones_while_they_are_loaded(tmp_path: Path) -> None:
    """Where an author's live goals fill its limit, ended ones on the disk push none of them out."""
    submitter = CAST.key("submitter")
    live = [
        sign(Goal(stamp=Stamp(NOW - at), swarm="test", text="live"), submitter)
        for at in (MINUTE + 1, MINUTE, 1)
    ]
    ended = [record for n in range(6) for record in CAST.finished(n, NOW - MINUTE + n)]
    store, found = loaded(disk(tmp_path / "replica", [*live, *ended]), Limits(goals_per_author=3))
    assert not found.unwanted
    assert set(store.live_goals()) == {goal.id for goal in live}
    assert len(store) == len(live) + len(ended)


@pytest.mark.trio
async def test_a_disk_that_breaks_while_it_is_read_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read until then is kept, and is in the new file."""
    monkeypatch.setattr(replica_module, "BATCH_RECORDS", 2 * RECORDS)
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    path = tmp_path / "replica-test.sqlite3"
    now = peer.now()
    lately = Cast("test", text_characters=50)
    records = [r for goal in lately.goals(8, first_ms=now - DAY, last_ms=now - HOUR) for r in goal]
    disk(path, records).close()
    some = Replica._read_some
    reads = 0

    def broken(self: Replica, db: sqlite3.Connection, ids: Sequence[bytes]) -> list[StoredRecord]:
        nonlocal reads
        reads += 1
        if reads == 3:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return some(self, db, ids)

    monkeypatch.setattr(Replica, "_read_some", broken)
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        nursery.cancel_scope.cancel()
    assert len(peer.store) == 4 * RECORDS
    kept = {record.raw for goal in peer.store.goals() for record in peer.store.records(goal)}
    assert set(opened(Replica(path))) == kept
    assert any(".damaged-" in name for name in os.listdir(tmp_path))


@pytest.mark.trio
async def test_a_peer_verifies_each_record_of_its_own_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a start that verified records, they count as verified at the next one."""
    path = tmp_path / "replica-test.sqlite3"
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    now = peer.now()
    records = [r for goal in CAST.goals(2, first_ms=now - DAY, last_ms=now - HOUR) for r in goal]
    first = Replica(path)
    first.open()
    first.save([row_of(record) for record in records])
    first.close()
    seen: list[bool] = []
    stored = Replica._stored

    def noted(self: Replica, rid: bytes, raw: bytes, mac: object) -> StoredRecord:
        found = stored(self, rid, raw, mac)
        seen.append(found.verified)
        return found

    monkeypatch.setattr(Replica, "_stored", noted)
    for verified in (False, True):
        again = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
        await again._load_replica()
        assert len(again.store) == len(records)
        assert seen == [verified] * len(records)
        seen.clear()


@pytest.mark.trio
async def test_a_peer_packs_the_goals_that_have_ended_for_its_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A peer that has run writes them, so that its next start reads none of their records."""
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    now = peer.now()
    records = [r for goal in CAST.goals(3, first_ms=now - DAY, last_ms=now - HOUR) for r in goal]
    replica = Replica(tmp_path / "replica-test.sqlite3")
    replica.open()
    replica.save([row_of(record) for record in records])
    replica.close()
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        nursery.cancel_scope.cancel()
    seen = count_read(monkeypatch)
    again = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    await again._load_replica()
    assert len(again.store) == len(records)
    assert seen == []
