"""How much of what arrives is processed: a share for each neighbour and each origin."""

from __future__ import annotations

from swarm.gossip.admission import (
    FORGIVEN,
    FORWARD_BYTES_BURST,
    MUTED_MS,
    PAUSE_MOST_MS,
    Admission,
    ReadingPace,
)
from swarm.gossip.outbox import Outbox


def test_an_honest_pace_is_never_refused() -> None:
    """A peer that keeps to its outbox's pace, with full bundles, is never refused."""
    admission = Admission()
    outbox = Outbox(lambda _: None)
    now = 0
    for number in range(20_000):
        outbox.put(number.to_bytes(450, "big"), now)
    while not outbox.empty:
        due = outbox.due(now)
        assert due is not None
        now = max(now, due)
        sending = outbox.drain(now)
        if sending is not None:
            assert admission.admit("neighbour", b"honest", len(sending.frame), now)
    assert now < 40_000


def test_an_origin_over_its_share_is_refused_before_its_signature_is_checked() -> None:
    """Origin and size decide whether a message is refused; other origins are not affected."""
    admission = Admission()
    assert not admission.is_over(b"loud", 1_000_000, 0)
    while admission.admit("neighbour", b"loud", 100_000, 0):
        pass
    assert admission.is_over(b"loud", 100_000, 0)
    assert not admission.is_over(b"quiet", 100_000, 0)
    pause = admission.pause(b"loud", 100_000, 0)
    assert 0 < pause <= PAUSE_MOST_MS
    assert admission.admit("neighbour", b"loud", 100_000, pause)


def test_forwarding_of_an_origin_is_bounded() -> None:
    """A burst and a steady flow of what is admitted are forwarded; the allowance refills."""
    admission = Admission()
    admission.admit("neighbour", b"loud", 1_000, 0)
    sent = 0
    while admission.may_forward(b"loud", 1_000, 0):
        sent += 1_000
    assert sent <= FORWARD_BYTES_BURST
    assert admission.may_forward(b"loud", 1_000, 1_000)
    assert not admission.may_forward(b"unknown", 1_000, 0)


def test_a_flooding_origin_is_slowed_down_and_others_are_not() -> None:
    """A thousand messages a second are reduced to a few; another origin loses none."""
    admission = Admission()
    loud = quiet = 0
    for now in range(60_000):
        loud += admission.admit("neighbour", b"loud", 1_000, now)
        if now % 500 == 0:
            quiet += admission.admit("neighbour", b"quiet", 1_000, now)
    assert loud < 60 * 10
    assert quiet == 120


def test_fresh_identities_do_not_multiply_a_neighbours_share() -> None:
    """A neighbour may introduce new origins only at a bounded pace."""
    admission = Admission()
    heard = sum(admission.admit("sybil", str(n).encode(), 100, n) for n in range(60_000))
    assert heard < 256 + 60 * 5
    assert admission.admit("another", b"honest", 100, 60_000)


def test_an_origin_of_forgeries_is_muted_for_a_while() -> None:
    """A few malformed records are forgiven, more mute the origin, and that ends after a while."""
    admission = Admission()
    assert admission.admit("n", b"forger", 1, 0)
    assert not any(admission.report_fault(b"forger", 0) for _ in range(FORGIVEN))
    assert admission.report_fault(b"forger", 0)
    assert not admission.admit("n", b"forger", 1, MUTED_MS - 1)
    assert admission.admit("n", b"forger", 1, MUTED_MS)


def test_a_fast_neighbour_is_read_more_slowly() -> None:
    """A megabyte a millisecond slows reading down; a swarm's usual traffic does not."""
    pace = ReadingPace()
    assert not any(pace.pause(2_000, now * 20) for now in range(1_000))
    assert max(pace.pause(1_000_000, 20_000 + now) for now in range(100)) > 5_000
