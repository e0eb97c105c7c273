"""Known authors: which ones a goal names, the room reserved for them, and the goal's quorum."""

from __future__ import annotations

import random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.records import MAX_KNOWN, Ballot, Goal, Grant, Notice, Presence, Record, sign
from swarm.core.store.first_seen import quorum_for
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from tests.core.worlds import BOT, DECOMPOSERS, EXECUTORS, SCORERS, public

NOW = 1_000_000
SWARM = "test"


def key(number: int) -> Ed25519PrivateKey:
    """Return one of many made-up keys."""
    return Ed25519PrivateKey.from_private_bytes(number.to_bytes(4) * 8)


def here(author: Ed25519PrivateKey, role: str, at_ms: int) -> bytes:
    """Return the bytes of a presence."""
    return sign(Presence(stamp=Stamp(at_ms), swarm=SWARM, role=role), author).raw


def goal_naming(*known: Ed25519PrivateKey) -> Record:
    """Return a goal that names some authors as known."""
    names = [public(author) for author in known]
    return sign(Goal(stamp=Stamp(NOW), swarm=SWARM, text="a goal", known=names), BOT)


def note(author: Ed25519PrivateKey, goal: Record, number: int) -> Record:
    """Return a small record about a goal."""
    body = Notice(stamp=Stamp(NOW + 1, number), goal=goal.id, code="n", text="t")
    return sign(body, author)


def test_the_longest_present_of_each_role_are_named() -> None:
    """A later crowd of one role does not displace authors that were here before."""
    store = Store(SWARM)
    store.add(here(DECOMPOSERS[0], "decomposer", NOW), NOW)
    store.add(here(SCORERS[0], "scorer", NOW), NOW)
    store.add(here(key(999), "observer", NOW), NOW)
    for number in range(200):
        store.add(here(key(number), "executor", NOW + 1), NOW + 1 + number)
    store.add(here(EXECUTORS[0], "executor", NOW + 500), NOW + 500)
    named = store.known_longest(NOW + 500)
    assert len(named) == MAX_KNOWN
    assert {public(DECOMPOSERS[0]), public(SCORERS[0])} < set(named)
    assert public(key(0)) in named
    assert public(EXECUTORS[0]) not in named
    assert public(key(999)) not in named


def test_an_author_that_restarts_stays_known() -> None:
    """A neighbour that was missed and is heard again keeps its first-seen time."""
    store = Store(SWARM)
    store.add(here(EXECUTORS[0], "executor", NOW), NOW)
    for number in range(100):
        store.add(here(key(number), "executor", NOW + 1), NOW + 1)
    store.miss(public(EXECUTORS[0]))
    store.add(here(EXECUTORS[0], "executor", NOW + 9_000), NOW + 9_000)
    assert public(EXECUTORS[0]) in store.known_longest(NOW + 9_000)


def test_goals_of_an_owned_swarm_name_no_known_authors() -> None:
    """In an owned swarm goals name nobody."""
    store = Store(SWARM, owner=public(BOT))
    store.add(here(EXECUTORS[0], "executor", NOW), NOW)
    assert store.known_longest(NOW) == []


def test_in_an_owned_swarm_neither_ghosts_nor_ratings_move_a_quorum() -> None:
    """The quorum is a majority of the granted scorers present, whatever others publish."""
    store = Store(SWARM, owner=public(BOT))
    for number, scorer in enumerate(SCORERS):
        grant = Grant(
            stamp=Stamp(NOW - 9, number), swarm=SWARM, subject=public(scorer), roles=["scorer"]
        )
        store.add(sign(grant, BOT).raw, NOW)
        store.add(here(scorer, "scorer", NOW), NOW)
    for number in range(40):
        store.add(here(key(number), "scorer", NOW), NOW)
    assert store.majority() == len(SCORERS) // 2 + 1


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 60))
def test_a_crowd_takes_nothing_from_known_authors_in_any_order(seed: int, crowd: int) -> None:
    """Known authors keep all their records; all peers keep the same records of the crowd."""
    rng = random.Random(seed)
    goal = goal_naming(*EXECUTORS)
    theirs = [note(author, goal, n) for author in EXECUTORS for n in range(3)]
    crowds = [note(key(n), goal, n) for n in range(crowd)]
    limits = Limits(records_per_goal=20, newcomers_per_goal=10)
    kept = []
    for _ in range(2):
        store = Store(SWARM, limits=limits)
        records = [goal, *theirs, *crowds]
        rng.shuffle(records)
        # Twice: a record that comes before its goal may find no room, and is received again.
        for record in records * 2:
            store.add(record.raw, NOW + 10)
        kept.append(set(store.ids(goal.id)))
    assert kept[0] == kept[1]
    assert {record.id for record in theirs} <= kept[0]
    assert len(kept[0]) == 1 + len(theirs) + min(crowd, 10)


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_quorum_can_be_reached_by_scorers_that_have_rated(scorers: int, proven: int) -> None:
    """At least one, at most a majority, and never more than the scorers that have rated."""
    proven = min(proven, scorers)
    quorum = quorum_for(scorers, proven)
    assert 1 <= quorum <= scorers // 2 + 1
    assert quorum == scorers // 2 + 1 or quorum == proven


def test_a_stores_majority_counts_scorers_that_rated() -> None:
    """Before the first rating all presences count; afterwards made-up ones raise nothing."""
    store = Store(SWARM)
    for scorer in SCORERS:
        store.add(here(scorer, "scorer", NOW), NOW)
    for number in range(40):
        store.add(here(key(number), "scorer", NOW), NOW)
    assert store.majority() == 22
    goal = goal_naming()
    store.add(goal.raw, NOW)
    for scorer in SCORERS:
        body = Ballot(
            stamp=Stamp(NOW + 1), goal=goal.id, node=goal.id, proposal=bytes(32),
            verdict="abstain", concrete=1.0, distinct=1.0, complete=1.0,
        )  # fmt: skip
        store.add(sign(body, scorer).raw, NOW + 1)
    assert store.majority() == 3
