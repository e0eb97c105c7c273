"""Finished goals travel packed: the same records arrive, and no pack costs more than it may."""

from __future__ import annotations

import zlib
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.core.policy import MINUTE
from swarm.core.records import Record
from swarm.core.store.sealed_goal import Pack, SealedGoal
from swarm.core.store.store import Store
from swarm.gossip import packs
from swarm.gossip.frames import FrameError, Reader
from swarm.gossip.reconcile import MAX_MESSAGE, Index, Reconciler
from swarm.gossip.scope import ALL
from swarm.testing.finished_goals import Cast

NOW = 1_700_000_000_000
SALT = bytes(16)


def finished(goals: int) -> list[list[Record]]:
    cast = Cast("test", submitters=1, text_characters=500)
    return list(cast.goals(goals, first_ms=NOW - 60 * MINUTE, last_ms=NOW - 50 * MINUTE))


GOALS = finished(5)


def store(held: list[list[Record]]) -> Store:
    """Return a store with records whose finished goals are packed."""
    made = Store("test")
    for record in (record for goal in held for record in goal):
        made.add_record(record, NOW)
    made.advance(NOW)
    made.advance(NOW + 10 * MINUTE)
    return made


def side(of: Store, *, packed: bool) -> Reconciler:
    goals = ALL.goals(of)
    ids = [record_id for goal in goals for record_id in of.ids(goal)]
    pack_of = of.pack if packed else None
    return Reconciler(
        Index(ids, SALT), of.raw, SALT, goal_of=of.goal_of, goals=goals, pack_of=pack_of
    )


def converse(one: Store, other: Store, *, packed: bool) -> int:
    """Run a session; return how many bytes the answering side sent."""
    asking, answering = side(one, packed=packed), side(other, packed=packed)
    asking.begin()
    sent = 0
    while True:
        for raw in answering.receive(asking.take()):
            other.add(raw, NOW)
        answer = answering.take()
        assert len(answer) <= MAX_MESSAGE
        sent += len(answer)
        for raw in asking.receive(answer):
            one.add(raw, NOW)
        if not answer and asking.done:
            return sent


HOLDINGS = st.lists(st.lists(st.booleans(), min_size=23, max_size=23), min_size=5, max_size=5)


@given(HOLDINGS, HOLDINGS, st.booleans())
def test_packs_change_nothing_but_the_bytes(
    left: list[list[bool]], right: list[list[bool]], packed: bool
) -> None:
    """Whichever records of goals two peers hold, both end with the union."""
    one, other = (
        store([[r for r, kept in zip(goal, row, strict=False) if kept] for goal, row in of])
        for of in (list(zip(GOALS, left, strict=True)), list(zip(GOALS, right, strict=True)))
    )
    union = {rid for held in (one, other) for goal in held.goals() for rid in held.ids(goal)}
    converse(one, other, packed=packed)
    for held in (one, other):
        assert {rid for goal in held.goals() for rid in held.ids(goal)} == union


def test_a_newcomer_gets_history_in_fewer_bytes() -> None:
    """What is packed travels as it is, and unpacks to every record."""
    sent = []
    for packed in (True, False):
        newcomer = Store("test")
        sent.append(converse(newcomer, store(GOALS), packed=packed))
        assert len(newcomer) == sum(map(len, GOALS))
    assert sent[0] < 0.7 * sent[1]


def test_a_goal_that_is_too_large_travels_one_by_one() -> None:
    """No pack is longer than a message has room for."""
    held = store(GOALS)
    most = max(len(held.raw(rid) or b"") for goal in held.goals() for rid in held.ids(goal))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packs, "MOST_UNPACKED", most)
        newcomer = Store("test")
        converse(newcomer, held, packed=True)
        assert len(newcomer) == sum(map(len, GOALS))


@given(st.lists(st.binary(min_size=97, max_size=300), min_size=1, max_size=20))
def test_what_was_packed_is_read(raws: list[bytes]) -> None:
    """Reading gives the records' exact bytes, in order."""
    pack = Pack(tuple(map(len, raws)), zlib.compress(b"".join(raws)))
    assert packs.fits(pack)
    assert packs.read(Reader(packs.encode(pack))) == raws


def hostile(sizes: tuple[int, ...], data: bytes) -> bytes:
    return packs.encode(Pack(sizes, data))


@pytest.mark.parametrize(
    "data",
    [
        hostile((100,), zlib.compress(bytes(10_000_000))),
        hostile((100,), zlib.compress(bytes(99))),
        hostile((100,), b"no zlib"),
        hostile((100,), zlib.compress(bytes(100)) + b"more"),
        hostile((100,), zlib.compress(bytes(100))[:-3]),
        hostile((1,), zlib.compress(bytes(1))),
        hostile((60_000,) * 20, zlib.compress(bytes(1_200_000))),
    ],
    ids=["bomb", "short", "not zlib", "longer", "cut", "no record", "too much"],
)
def test_a_hostile_pack_is_refused(data: bytes) -> None:
    """A pack that is not what it says is a frame error, and unpacks to no more than a pack may."""
    with pytest.raises(FrameError):
        packs.read(Reader(data))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_pack_or_a_frame_error(data: bytes) -> None:
    """A stranger's bytes raise `FrameError` or nothing."""
    read = partial(packs.read, Reader(data))
    try:
        read()
    except FrameError:
        return


def test_records_of_a_packed_goal_are_unpacked_once() -> None:
    """A neighbour that asks for them one by one does not make us unpack the goal for each."""
    sealed = SealedGoal(GOALS[0])
    assert sealed.raws() is sealed.raws()
