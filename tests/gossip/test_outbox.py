"""The outbox: quick after a quiet time, batched under load, always bounded."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.records import record_id
from swarm.gossip import frames
from swarm.gossip.outbox import (
    BATCH_LEAST_MS,
    BATCH_MOST_MS,
    LATE_SHARE,
    MESSAGE_BURST,
    MESSAGES_PER_SECOND,
    Outbox,
    Sending,
)
from tests.net.memory import history, make


def empty_outbox() -> Outbox:
    return Outbox(lambda record_id: None)


def run(outbox: Outbox, now: int, until: int) -> list[tuple[int, Sending]]:
    sent = []
    while (due := outbox.due(now)) is not None and due <= until:
        now = max(now, due)
        sending = outbox.drain(now)
        if sending is not None:
            sent.append((now, sending))
    return sent


def records_in(sendings: list[tuple[int, Sending]]) -> list[bytes]:
    found: list[bytes] = []
    for _, sending in sendings:
        frame = frames.decode(sending.frame)
        if isinstance(frame, frames.Bundle):
            assert len(frame.records) == sending.records
            found += frame.records
    return found


def test_first_record_after_quiet_leaves_fast() -> None:
    """One record waits 5 ms and no more."""
    outbox = empty_outbox()
    outbox.put(make(None, "x"), 1_000)
    assert outbox.due(1_000) == 1_000 + BATCH_LEAST_MS
    assert outbox.drain(1_004) is None
    assert outbox.drain(1_005) is not None
    assert outbox.due(1_006) is None


def test_records_are_batched() -> None:
    """Records that arrive during the wait leave as one message, in order."""
    outbox = empty_outbox()
    raws = history(10)
    for raw in raws:
        outbox.put(raw, 1_000)
    sent = run(outbox, 1_000, 2_000)
    assert len(sent) == 1
    assert records_in(sent) == raws


def wait_of_the_next(outbox: Outbox, now: int) -> int:
    outbox.put(make(None, "x"), now)
    due = outbox.due(now)
    assert due is not None
    return due - now


def test_the_more_was_published_the_longer_records_are_batched() -> None:
    """Each message of a burst waits longer than the last, up to a bound; a quiet time ends it."""
    outbox, now, waits = empty_outbox(), 0, []
    for _ in range(int(MESSAGE_BURST)):
        waits.append(wait_of_the_next(outbox, now))
        now += waits[-1]
        assert outbox.drain(now) is not None
    assert waits == sorted(set(waits))
    assert waits[0] == BATCH_LEAST_MS
    assert waits[-1] <= BATCH_MOST_MS
    assert wait_of_the_next(outbox, now + 60_000) == BATCH_LEAST_MS


def test_a_starved_peer_publishes_fewer_and_larger_messages() -> None:
    """Late frames make the next wait longer, but not for a peer that published little."""

    def said_late(by: int) -> tuple[Outbox, int]:
        outbox, now = empty_outbox(), 0
        for _ in range(60):
            now += wait_of_the_next(outbox, now) + by
            assert outbox.drain(now) is not None
        return outbox, now

    (prompt, at), (late, later) = said_late(0), said_late(300)
    assert wait_of_the_next(late, later) > wait_of_the_next(prompt, at) + LATE_SHARE * 100
    late, later = said_late(300)
    assert wait_of_the_next(late, later + 60_000) == BATCH_LEAST_MS


def test_steady_state_is_paced() -> None:
    """A record every 10 ms for 30 s leaves in a few messages a second, and none is lost."""
    outbox = empty_outbox()
    sent = []
    raws = [make(None, f"{i}") for i in range(3_000)]
    for i, raw in enumerate(raws):
        outbox.put(raw, i * 10)
        sent += run(outbox, i * 10, i * 10 + 9)
    sent += run(outbox, 30_000, 60_000)
    assert records_in(sent) == raws
    assert len(sent) <= 31 * MESSAGES_PER_SECOND + MESSAGE_BURST


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(97, 64 * 1024), min_size=1, max_size=40))
def test_bundles_stay_within_their_size(sizes: list[int]) -> None:
    """Whatever the records' sizes, each bundle fits and every record leaves once, in order."""
    outbox = empty_outbox()
    raws = [random.Random(i).randbytes(size) for i, size in enumerate(sizes)]
    for raw in raws:
        outbox.put(raw, 0)
    sent = run(outbox, 0, 120_000)
    assert records_in(sent) == raws
    assert all(len(s.frame) <= frames.MAX_BUNDLE + 1 for _, s in sent)


def test_only_the_newest_presence_leaves() -> None:
    """Of two presences that wait together, only the newer leaves."""
    outbox = empty_outbox()
    outbox.put_presence(make(None, "old"), 0)
    outbox.put_presence(make(None, "new"), 5)
    assert records_in(run(outbox, 5, 1_000)) == [make(None, "new")]


def test_own_records_go_before_repetitions() -> None:
    """Own records leave first, presences next, then repetitions for others."""
    raws = {record_id(raw): raw for raw in history(5)}
    outbox = Outbox(raws.get)
    outbox.put_again(raws, 0)
    outbox.put_presence(make(None, "here"), 0)
    outbox.put(make(None, "own"), 0)
    sent = records_in(run(outbox, 0, 1_000))
    assert sent == [make(None, "own"), make(None, "here"), *raws.values()]


def test_what_was_overheard_or_lost_is_not_repeated() -> None:
    """Records that were withdrawn, and records gone from the set, are skipped."""
    raws = {record_id(raw): raw for raw in history(5)}
    outbox = Outbox(lambda i: raws.get(i))
    outbox.put_again(list(raws), 0)
    first, second, *rest = list(raws)
    outbox.heard(first)
    del raws[second]
    assert records_in(run(outbox, 0, 5_000)) == [raws[i] for i in rest]


def test_repetitions_are_bounded_in_bytes() -> None:
    """30 MB to repeat leave at 8 MB a minute after the first 4, and own records still pass."""
    raws = {record_id(r): r for r in (make(None, "y" * 60_000 + str(i)) for i in range(500))}
    outbox = Outbox(raws.get)
    outbox.put_again(raws, 0)
    first = sum(len(raw) for raw in records_in(run(outbox, 0, 60_000)))
    assert 8_000_000 < first < 13_500_000
    outbox.put(make(None, "own"), 60_000)
    at, sending = run(outbox, 60_000, 61_000)[0]
    assert make(None, "own") in records_in([(at, sending)])
    assert records_in(run(outbox, 61_000, 10 * 60_000))[-1] == list(raws.values())[-1]
