"""All records on a disk are restored, in any order and with any clock."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
import trio
import trio.testing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import MAX_DRIFT_MS, Stamp
from swarm.core.policy import HOUR, MINUTE
from swarm.core.records import Goal, Grant, Notice, Record, sign
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.peer.recovery import CLOCK_SECONDS, restore, wait_for_clock
from swarm.peer.replica import Row
from tests.core.worlds import BOT, EXECUTORS, SCORERS, public
from tests.peer.disks import disk

NOW = 10 * HOUR
OWNER = Ed25519PrivateKey.from_private_bytes(bytes([77]) * 32)
SMALL = Limits(
    orphan_goals=3, orphan_records=4, orphans=10, foreign_per_author=2, foreign_per_goal=5
)


def history(goals: int, each: int, *, owned: bool) -> list[Record]:
    """Return records that even a store with little room for strangers can hold in full."""
    records: list[Record] = []
    if owned:
        for key in (BOT, *SCORERS):
            grant = Grant(
                stamp=Stamp(1), swarm="test", subject=public(key), roles=["submitter", "scorer"]
            )
            records.append(sign(grant, OWNER))
    for number in range(goals):
        goal = sign(Goal(stamp=Stamp(NOW - HOUR + number), swarm="test", text="plan"), BOT)
        records.append(goal)
        for index in range(each):
            body = Notice(stamp=Stamp(NOW - MINUTE + index), goal=goal.id, code="n", text="x")
            records.append(sign(body, SCORERS[index % len(SCORERS)]))
    return records


def empty(*, owned: bool) -> Store:
    """Return a store that gives strangers and orphans hardly any room."""
    return Store("test", owner=public(OWNER) if owned else None, limits=SMALL)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(0, 12), st.booleans(), st.randoms(use_true_random=False))
def test_all_that_a_store_held_comes_back_in_any_order(
    goals: int, each: int, owned: bool, rng: random.Random
) -> None:
    """With any number of goals, no record is taken for a stranger's or an orphan's by its place."""
    records = history(goals, each, owned=owned)
    rng.shuffle(records)
    store = empty(owned=owned)
    with tempfile.TemporaryDirectory() as folder:
        found = trio.run(restore, store, disk(Path(folder) / "replica", records), NOW)
    assert found.kept == len(store) == len(records)
    assert not found.unwanted
    assert not found.ahead


@pytest.mark.trio
@pytest.mark.parametrize("behind_ms", [2 * MINUTE, 5 * MINUTE, HOUR, NOW])
async def test_a_clock_that_is_behind_loses_nothing(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, behind_ms: int
) -> None:
    """Records stamped ahead stay on the disk, and count as soon as the clock is set right."""
    records = history(3, 10, owned=False)
    store = empty(owned=False)
    wall = NOW - behind_ms
    found = await restore(store, disk(tmp_path / "replica", records), wall)
    assert not found.unwanted
    assert found.ahead
    assert found.kept + len(found.ahead) == len(records)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_clock, store, found, lambda: wall)
        await trio.sleep(3 * CLOCK_SECONDS)
        assert len(store) == found.kept
        wall = NOW
    assert len(store) == len(records)


@pytest.mark.trio
async def test_what_a_wrong_clock_wrote_moves_no_clock(tmp_path: Path) -> None:
    """A record from next year is set aside, and the hybrid clock stays in the present."""
    records = history(1, 3, owned=False)
    goal = records[0]
    body = Notice(stamp=Stamp(NOW + 8_000 * HOUR), goal=goal.id, code="n", text="x")
    store = empty(owned=False)
    replica = disk(tmp_path / "replica", [*records, sign(body, EXECUTORS[0])])
    found = await restore(store, replica, NOW)
    assert len(store) == len(records)
    assert len(found.ahead) == 1
    assert store.clock.last.ms <= NOW + MAX_DRIFT_MS


@pytest.mark.trio
async def test_broken_records_need_not_stay_on_the_disk(tmp_path: Path) -> None:
    """Bytes that are not a record are reported by their ids, and stop nothing."""
    records = history(2, 2, owned=False)
    broken = bytearray(records[1].raw)
    broken[40] ^= 1
    store = empty(owned=False)
    replica = disk(tmp_path / "replica", records, key=b"")
    replica.save([Row(b"1", b"junk"), Row(b"2", bytes(broken), records[0].id)])
    found = await restore(store, replica, NOW)
    assert found.kept == len(records)
    assert sorted(found.unwanted) == [b"1", b"2"]
