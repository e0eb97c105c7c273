"""How much of a flood a store keeps, and how much work that takes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Claim,
    Goal,
    Grant,
    KnownBody,
    Notice,
    Proposal,
    Record,
    Subgoal,
    decode,
    sign,
)
from swarm.core.store.limits import Limits
from swarm.core.store.store import AddResult, Store
from tests.core.worlds import World, random_world

NOW = 1_000_000
KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([i]) * 32) for i in range(1, 9)]
ASKER, *OTHERS = KEYS
GOAL = sign(Goal(stamp=Stamp(NOW - 1_000), swarm="test", text="a goal", policy=Policy()), ASKER)
SPLIT = sign(
    Proposal(
        stamp=Stamp(NOW - 900),
        goal=GOAL.id,
        node=GOAL.id,
        parts=[Subgoal(title="one"), Subgoal(title="two")],
    ),
    OTHERS[0],
)


def author_of(number: int) -> bytes:
    """Return a made-up author: a number alone could be a key of small order, which is refused."""
    return b"\x07" + number.to_bytes(31, "big")


def unsigned(number: int, body: KnownBody) -> Record:
    """Return an unsigned record by the author with this number: signing 100,000 takes too long."""
    author = author_of(number)
    raw = b"\x01" + author + bytes(64) + body.model_dump_json(exclude_none=True).encode()
    return decode(raw, verify=False)


def notice(ms: int, text: str = "x") -> Notice:
    return Notice(stamp=Stamp(ms), goal=GOAL.id, code="test", text=text)


def test_a_flooding_author_crowds_out_only_itself() -> None:
    """In a full goal, an author of few records keeps all of them; the flooder loses its own."""
    store = Store("test", limits=Limits(records_per_goal=100, records_per_author=1_000))
    store.add_record(GOAL, NOW)
    for number in range(300):
        store.add_record(unsigned(1, notice(NOW - 500 + number)), NOW)
    honest = [unsigned(2, notice(NOW + number)) for number in range(20)]
    assert all(store.add_record(record, NOW) is AddResult.NEW for record in honest)
    assert len(store) == 101
    assert all(record.id in store for record in honest)


def test_a_crowd_of_strangers_cannot_crowd_out_members_of_an_owned_swarm() -> None:
    """Authors without a grant share a small separate limit, however early their stamps are."""
    owner = KEYS[7]
    store = Store("test", owner=owner.public_key().public_bytes_raw(), limits=Limits())
    member = OTHERS[1].public_key().public_bytes_raw()
    for subject, role in ((GOAL.author, "submitter"), (member, "executor")):
        grant = Grant(stamp=Stamp(1), swarm="test", subject=subject, roles=[role])
        store.add_record(sign(grant, owner), NOW)
    store.add_record(GOAL, NOW)
    said = sign(notice(NOW), OTHERS[1])
    store.add_record(said, NOW)
    for number in range(1_000):
        store.add_record(unsigned(number, notice(2 + number % 50)), NOW)
    assert said.id in store
    assert len(store) == 2 + 2 + Limits().foreign_per_goal
    late = Grant(stamp=Stamp(1), swarm="test", subject=author_of(5), roles=["executor"])
    store.add_record(sign(late, owner), NOW)
    assert len(store) == 2 + 3 + Limits().foreign_per_goal


def test_a_full_store_drops_the_least_useful_goal() -> None:
    """Above the limit of all records, whole goals are dropped, ended ones before live ones."""
    store = Store("test", limits=Limits(records=40))
    gone: list[bytes] = []
    store.on_gone = gone.append
    short = Policy(deadline_ms=10)
    ended = sign(Goal(stamp=Stamp(NOW - 5_000), swarm="test", text="over", policy=short), OTHERS[2])
    store.add_record(ended, NOW)
    store.add_record(GOAL, NOW)
    store.advance(NOW)
    for number in range(39):
        store.add_record(unsigned(number, notice(NOW + number)), NOW)
    assert gone == [ended.id]
    assert len(store) == 40
    assert store.add_record(ended, NOW) is AddResult.STALE


def test_records_held_for_later_are_shared_out_too() -> None:
    """An author of many future stamps leaves room for others whose clock is a little ahead."""
    store = Store("test", limits=Limits(held=20, held_per_author=15))
    for number in range(50):
        store.add_record(unsigned(1, notice(NOW + 60_000 + number)), NOW)
    assert store.add_record(unsigned(2, notice(NOW + 400_000)), NOW) is AddResult.HELD
    store.add_record(GOAL, NOW)
    store.advance(NOW + 500_000)
    assert len(store) == 1 + 15 + 1


@settings(max_examples=40, deadline=None)
@given(
    st.builds(random_world, st.integers(0, 10_000), st.integers(0, 60)),
    st.randoms(use_true_random=False),
)
def test_folding_in_batches_comes_to_the_same(world: World, rng: random.Random) -> None:
    """Batches of any size in any order give the same digest as single records in replay order."""
    now = 20_000
    single = Plan(world.goal)
    for record in sorted(world.records, key=lambda record: record.key):
        single.apply(record)
    single.advance(now)
    batched = Plan(world.goal)
    left = list(world.records)
    rng.shuffle(left)
    while left:
        size = rng.randint(1, 20)
        batched.apply_all(left[:size])
        del left[:size]
    batched.advance(now)
    assert batched.digest == single.digest


def claim(n: int) -> Claim:
    stamp = Stamp(NOW - 700 + n % 600, n)
    return Claim(stamp=stamp, goal=GOAL.id, node=GOAL.id, attempt=1 + n % 3)


def late_ballot(n: int) -> Ballot:
    return Ballot(
        stamp=Stamp(NOW - n % 700, n),
        goal=GOAL.id,
        node=GOAL.id,
        proposal=SPLIT.id,
        verdict="approve",
        concrete=0.5,
        distinct=0.5,
        complete=0.5,
    )


def empty_proposal(n: int) -> Proposal:
    return Proposal(stamp=Stamp(NOW - 700 + n % 600, n), goal=GOAL.id, node=GOAL.id)


FLOODS: dict[str, Callable[[int], KnownBody]] = {
    "notices": lambda n: notice(NOW - 700 + n % 600, str(n)),
    "claims at one task": claim,
    "ballots, the latest first": late_ballot,
    "proposals": empty_proposal,
}

FLOOD = 20_000
"""Records of a flood in the main suite; the slow form sends 100,000."""

WORK_PER_RECORD = 0.002
"""Seconds of work that a flooded store may spend on a record, including folding the plan: ten times
what one record takes alone on the slowest machine measured, and far below quadratic cost."""


def flood(kind: str, count: int) -> Store:
    """Return a store after a flood for one goal by 50 authors, with its plan folded all along."""
    store = Store("test")
    store.add_record(GOAL, NOW)
    store.add_record(SPLIT, NOW)
    records = [unsigned(number % 50, FLOODS[kind](number)) for number in range(count)]
    began = time.process_time()
    look_cost = 0.0
    for at, record in enumerate(records):
        store.add_record(record, NOW)
        # As the driver does: it folds again only after as much time as the last fold took.
        if at % 100 == 99 and look_cost < (time.process_time() - began) / 2:
            before = time.process_time()
            store.advance(NOW + at // 10)
            store.plans()
            look_cost += time.process_time() - before
    store.advance(NOW + 20_000)
    assert store.plan(GOAL.id) is not None
    assert time.process_time() - began < WORK_PER_RECORD * count
    limits = Limits()
    assert len(store) <= limits.records_per_goal + limits.records_of_submitter + 1
    return store


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_costs_in_proportion(kind: str) -> None:
    """The work for a flood is linear in its records, and the store stays bounded."""
    assert len(flood(kind, FLOOD)) > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", FLOODS)
def test_a_hundred_thousand_records_for_one_goal(kind: str) -> None:
    """The work stays linear with 100,000 tiny records for one goal."""
    assert len(flood(kind, 100_000)) > 1_000
