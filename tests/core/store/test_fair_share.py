"""Fair shares: what stays does not depend on the order in which items come."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from swarm.core.store.fair_share import FairShare

items = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 500)), unique_by=lambda i: i[1], max_size=40
)


def shelve(shelf: FairShare, order: list[tuple[int, int]]) -> None:
    for author, at in order:
        rid = at.to_bytes(32, "big")
        shelf.put(bytes([author]), (at, 0, bytes([author]), rid), rid)


@given(items, st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 6))
def test_a_share_keeps_the_same_items_in_any_order(
    found: list[tuple[int, int]], rng: random.Random, most: int, per_author: int
) -> None:
    """The items kept depend only on the items, and stay within both limits."""
    kept = []
    for _ in range(2):
        shelf = FairShare(most, per_author)
        shelve(shelf, found)
        kept.append(set(shelf))
        assert len(shelf) == len(kept[-1]) <= most
        rng.shuffle(found)
    assert kept[0] == kept[1]


@given(items, items, st.integers(1, 12), st.integers(1, 6))
def test_two_shares_that_exchange_what_they_kept_end_equal(
    one: list[tuple[int, int]], two: list[tuple[int, int]], most: int, per_author: int
) -> None:
    """Peers flooded with different halves agree after exchanging only what they kept."""
    by_place = {at: author for author, at in [*one, *two]}
    shelves = [FairShare(most, per_author), FairShare(most, per_author)]
    for shelf, part in zip(shelves, (one, two), strict=True):
        shelve(shelf, [(by_place[at], at) for _, at in part])
    kept = [[(by_place[int.from_bytes(rid)], int.from_bytes(rid)) for rid in s] for s in shelves]
    for shelf, others in zip(shelves, reversed(kept), strict=True):
        mine = set(shelf)
        shelve(shelf, [item for item in others if item[1].to_bytes(32, "big") not in mine])
    assert set(shelves[0]) == set(shelves[1])
