"""Set reconciliation: any two sets become their union, at a cost that grows with the difference."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.records import record_id
from swarm.gossip.frames import FrameError
from swarm.gossip.reconcile import MAX_MESSAGE, MESSAGE, SALT_SIZE, Reconciler
from tests.net.memory import make

SALT = bytes(range(16))


def side(raws: dict[bytes, bytes]) -> Reconciler:
    return Reconciler(raws, raws.get, SALT)


def converse(
    asker: dict[bytes, bytes], other: dict[bytes, bytes]
) -> tuple[dict[bytes, bytes], dict[bytes, bytes], int, int]:
    """Run a session; return both results, the bytes besides records, and the turns."""
    a, b = side(asker), side(other)
    got_a, got_b = dict(asker), dict(other)
    a.begin()
    overhead = turns = 0
    while True:
        turns += 1
        assert turns < 500
        said = a.take()
        came = b.receive(said)
        got_b.update((record_id(raw), raw) for raw in came)
        overhead += len(said) - sum(len(raw) for raw in came)
        answer = b.take()
        came = a.receive(answer)
        got_a.update((record_id(raw), raw) for raw in came)
        overhead += len(answer) - sum(len(raw) for raw in came)
        assert len(said) <= MAX_MESSAGE
        assert len(answer) <= MAX_MESSAGE
        if not answer and a.done:
            return got_a, got_b, overhead, turns


def many(count: int, tag: str = "") -> dict[bytes, bytes]:
    raws = (make(None, f"{tag}{i}") for i in range(count))
    return {record_id(raw): raw for raw in raws}


@settings(max_examples=60, deadline=None)
@given(
    shared=st.integers(0, 400),
    left=st.integers(0, 150),
    right=st.integers(0, 150),
)
def test_any_two_sets_become_the_union(shared: int, left: int, right: int) -> None:
    """Both sides end with everything that either had."""
    common = many(shared, "c")
    a, b = {**common, **many(left, "l")}, {**common, **many(right, "r")}
    got_a, got_b, _, _ = converse(a, b)
    assert got_a == got_b == {**a, **b}


def test_ten_missing_of_twenty_thousand_cost_little() -> None:
    """Ten records missing on one side of 20,000 cost under 20 KB besides the records."""
    everything = many(20_000)
    lacking = dict(everything)
    for identity in random.Random(1).sample(sorted(everything), 10):
        del lacking[identity]
    got, _, overhead, turns = converse(lacking, everything)
    assert got == everything
    assert overhead < 20_000
    assert turns <= 6


def test_equal_sets_cost_one_print() -> None:
    """A session without differences costs a few dozen bytes and one turn."""
    everything = many(1_000)
    _, _, overhead, turns = converse(everything, everything)
    assert overhead < 40
    assert turns == 1


@pytest.mark.parametrize("flip", [False, True])
def test_from_nothing(flip: bool) -> None:
    """A side with nothing gets everything, whichever side asks, with hardly any overhead."""
    everything = many(3_000)
    a, b = ({}, everything) if flip else (everything, {})
    got_a, got_b, overhead, _ = converse(a, b)
    assert got_a == got_b == everything
    assert overhead < 3_000 * 5


def test_large_histories_travel_in_bounded_messages() -> None:
    """More than a message can hold is sent in several, none above the bound."""
    raws = (make(None, "z" * 60_000 + str(i)) for i in range(30))
    everything = {record_id(raw): raw for raw in raws}
    got, _, _, turns = converse({}, everything)
    assert got == everything
    assert turns >= 30 * 60_000 // MESSAGE


@given(st.binary(max_size=500))
def test_any_message_is_understood_or_a_frame_error(message: bytes) -> None:
    """A stranger's bytes raise `FrameError` or nothing."""
    reconciler = side(many(50))
    try:
        reconciler.receive(message)
    except FrameError:
        return
    assert len(reconciler.take()) <= MAX_MESSAGE


def test_asking_for_ever_is_cut_off() -> None:
    """A partner whose one message asks for too many answers is refused."""
    reconciler = side(many(5_000))
    different = bytes([1, 0]) + b"\x90\x4e" + bytes(8)
    with pytest.raises(FrameError):
        reconciler.receive(different * 10_000)


def test_the_same_record_is_sent_once_a_session() -> None:
    """Repeating the question does not repeat the answer."""
    everything = many(10)
    reconciler = side(everything)
    ask_all = bytes([4, 0])
    reconciler.receive(ask_all)
    first = reconciler.take()
    reconciler.receive(ask_all)
    assert len(first) > 1_000
    assert reconciler.take() == b""


@pytest.mark.parametrize("part", [b"\x04\x00", b"\x02\x00\x00"], ids=["all", "an empty list"])
def test_a_sync_partner_that_repeats_its_questions_is_cut_off(part: bytes) -> None:
    """Two bytes ask for all ids; 384 KiB of them would cost minutes, so the partner is cut off."""
    ids = [n.to_bytes(32, "little") for n in range(20_000)]
    side = Reconciler(ids, lambda _: b"r" * 100, bytes(SALT_SIZE))
    with pytest.raises(FrameError, match="repeats"):
        side.receive(part * (MAX_MESSAGE // len(part)))
