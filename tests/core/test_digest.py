"""Fingerprints: equal for equal sets and states, different for different ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.digest import SetDigest, node_digest

ids = st.binary(min_size=32, max_size=32)
BASE: dict[str, Any] = {
    "node": b"n" * 32,
    "state": "done",
    "accepted": b"a" * 32,
    "accepted_at": Stamp(5, 1),
    "attempt": 1,
    "holder": None,
    "result": b"r" * 32,
    "settled": Stamp(9, 0),
    "children": [b"c" * 32, b"d" * 32],
}


@given(st.sets(ids, max_size=20), st.randoms(use_true_random=False))
def test_a_sets_fingerprint_does_not_depend_on_order(found: set[bytes], rng: Any) -> None:
    """Ids added in any order, around one that is removed again, give the same count and XOR."""
    prints = []
    for _ in range(2):
        order = list(found)
        rng.shuffle(order)
        digest = SetDigest()
        digest.add(b"\xff" * 32)
        for rid in order:
            digest.add(rid)
        digest.remove(b"\xff" * 32)
        prints.append((digest.count, digest.xor))
    assert prints[0] == prints[1]
    assert prints[0][0] == len(found)


@pytest.mark.parametrize(
    "change",
    [
        {"node": b"m" * 32},
        {"state": "partial"},
        {"accepted": None},
        {"accepted_at": Stamp(5, 2)},
        {"attempt": 2},
        {"holder": b"h" * 32},
        {"result": None},
        {"settled": Stamp(9, 1)},
        {"settled": None},
        {"children": [b"d" * 32, b"c" * 32]},
    ],
)
def test_every_part_of_a_nodes_state_is_in_its_fingerprint(change: dict[str, Any]) -> None:
    """Peers whose folds differ anywhere have different digests."""
    assert node_digest(**BASE | change) != node_digest(**BASE)
