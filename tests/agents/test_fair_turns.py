"""Fair turns: agents serve the goals of different authors in turns."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from swarm.agents.fair_turns import fair_turns
from swarm.core.policy import MINUTE, Policy
from tests.agents.village import Village

AUTHORS = st.sampled_from([b"a", b"b", b"c", b"d"])
ITEMS = st.lists(AUTHORS, max_size=40).map(
    lambda authors: [(author, (author, place)) for place, author in enumerate(authors)]
)
BUSY = st.dictionaries(AUTHORS, st.integers(0, 5))
KNOWN = st.sets(AUTHORS)

Items = list[tuple[bytes, tuple[bytes, int]]]


@given(ITEMS, BUSY, KNOWN)
def test_nothing_is_lost_and_one_authors_items_keep_their_order(
    items: Items, busy: dict[bytes, int], known: set[bytes]
) -> None:
    """All items come out, those of each author in the order in which they went in."""
    order = fair_turns(items, busy, known)
    assert Counter(order) == Counter(item for _, item in items)
    for author in {author for author, _ in items}:
        places = [place for by, place in order if by == author]
        assert places == sorted(places)


@given(ITEMS, BUSY, KNOWN)
def test_each_turn_is_the_author_with_the_fewest(
    items: Items, busy: dict[bytes, int], known: set[bytes]
) -> None:
    """No author with waiting items has fewer served than the one whose turn it is.

    Among those with as few, a newcomer is never before a known author.
    """
    waiting = Counter(author for author, _ in items)
    count = Counter(busy)
    for author, _ in fair_turns(items, busy, known):
        fewest = min(count[by] for by in waiting if waiting[by])
        assert count[author] == fewest
        if author not in known:
            assert not any(waiting[by] and count[by] == fewest for by in known)
        waiting[author] -= 1
        count[author] += 1


@given(st.integers(0, 2_000), st.integers(0, 8))
def test_a_flood_delays_another_authors_first_item_by_nothing(flood: int, running: int) -> None:
    """However many items of one author wait, another's first is next once the flood is at work."""
    items = [(b"flood", ("flood", n)) for n in range(flood)] + [(b"honest", ("honest", 0))]
    order = fair_turns(items, {b"flood": running})
    assert order.index(("honest", 0)) <= (0 if running or not flood else 1)


@given(ITEMS)
def test_a_single_author_is_served_in_order(items: Items) -> None:
    """With one author the order does not change."""
    mine = [(b"a", item) for _, item in items]
    assert fair_turns(mine, {}) == [item for _, item in mine]


def test_a_goal_behind_a_strangers_forty_is_planned_at_once() -> None:
    """A goal submitted behind forty of one stranger is done while most of those still wait."""
    policy = Policy(quorum=2, max_depth=1, deadline_ms=60 * MINUTE)
    village = Village()
    world = village.world
    stranger = world.submitter()
    world.run(seconds=3)
    flood = [world.submit(stranger, f"No {n}", policy) for n in range(40)]
    world.run(seconds=5)
    honest = world.submit(village.asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(village.asker, honest).final, seconds=3_600)
    assert world.plan(village.asker, honest).state == "done"
    done = sum(world.plan(village.asker, goal).final for goal in flood)
    assert done < len(flood) / 2
