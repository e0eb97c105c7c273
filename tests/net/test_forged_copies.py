"""A forged copy of a record must not keep the genuine one away."""

from __future__ import annotations

import random
from typing import Any

from swarm.core.records import HEADER_SIZE, record_id
from swarm.net.reconcile import Reconciler
from swarm.net.sync import Sync
from tests.net.memory import MemoryRecords, make

SALT = bytes(range(16))


class Host:
    """All that `Sync` wants of a host before it runs."""

    def set_stream_handler(self, protocol: str, handler: Any) -> None:
        """Take note of nothing."""


def test_a_forged_copy_over_a_stream_does_not_bar_the_genuine_record() -> None:
    """Ids do not cover signatures: a liar's copy is rejected, and the record still asked for."""
    genuine = make(None, "a goal")
    forged = genuine[:33] + bytes([9]) * 64 + genuine[HEADER_SIZE:]
    assert record_id(forged) == record_id(genuine)
    sync = Sync(
        Host(),
        MemoryRecords(),
        take=lambda raw: "rejected" if raw == forged else "new",
        subscribers=frozenset,
        finished=lambda peer, size: None,
        rng=random.Random(1),
    )
    assert not sync._took(forged)
    mine = sync._side(SALT)
    other = Reconciler([record_id(genuine)], {record_id(genuine): genuine}.get, SALT)
    mine.begin()
    came: list[bytes] = []
    for _ in range(5):
        other.receive(mine.take())
        came += mine.receive(other.take())
    assert came == [genuine]
