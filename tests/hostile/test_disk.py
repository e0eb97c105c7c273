"""The disk after a flood, and loading a large replica."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.records import Goal, Notice, record_id, sign
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.peer.peer import Peer
from swarm.peer.replica import Replica, row_of
from swarm.peer.settings import PeerSettings
from tests.peer.disks import opened

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)


@pytest.mark.trio
async def test_dropped_records_leave_the_disk_too(tmp_path: Path) -> None:
    """A flood whose records displace each other endlessly does not fill the replica."""
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    limits = Limits(records_per_author=10)
    peer.store = Store("test", limits=limits, on_new=peer._on_new, on_gone=peer._on_gone)
    now = peer.now()
    goal = sign(
        Goal(stamp=Stamp(now - 10_000), swarm="test", text="x"), Ed25519PrivateKey.generate()
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        peer.store.add(goal.raw, now)
        for number in range(200):
            body = Notice(stamp=Stamp(now - number), goal=goal.id, code="c", text="t")
            peer.store.add(sign(body, KEY).raw, now)
        await trio.sleep(0.5)
        nursery.cancel_scope.cancel()
    replica = Replica(tmp_path / "replica-test.sqlite3")
    on_disk = {record_id(raw) for raw in opened(replica)}
    replica.close()
    assert on_disk == set(peer.store.ids(goal.id))
    assert len(on_disk) == 11


@pytest.mark.trio
async def test_a_large_replica_is_loaded_whole_in_any_order(tmp_path: Path) -> None:
    """Records that precede their goal in the file are kept, even more than the orphan limit."""
    peer = Peer(PeerSettings(role="observer", swarm="test", mdns=False, state_dir=tmp_path))
    peer.store = Store("test", limits=Limits(orphans=5), on_new=peer._on_new, on_gone=peer._on_gone)
    goal = sign(Goal(stamp=Stamp(peer.now()), swarm="test", text="x"), KEY)
    notes = [
        sign(Notice(stamp=Stamp(peer.now(), n), goal=goal.id, code="c", text="t"), KEY)
        for n in range(40)
    ]
    replica = Replica(tmp_path / "replica-test.sqlite3")
    replica.open()
    replica.save([row_of(record) for record in [goal, *notes]])
    replica.close()
    await peer._load_replica()
    assert len(peer.store) == 41
