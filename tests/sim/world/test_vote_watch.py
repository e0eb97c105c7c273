"""The cause of a changed vote is reported correctly, because a promise depends on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from swarm.core.clock import Stamp
from swarm.core.records import Ballot
from swarm.sim.world.timeline import Timeline
from swarm.sim.world.virtual_clock import VirtualClock
from swarm.sim.world.vote_watch import Tallies, VoteWatch

NOW_MS, FIRST, SECOND_ROUND = 100_000, Stamp(1_000, 0), Stamp(90_000, 0)


class Peer:
    """A peer with one plan of one node, whose rounds and decisions a test sets."""

    name = "scorer-3"

    def __init__(self) -> None:
        self.node = SimpleNamespace(id=b"n" * 32, vote=SimpleNamespace(opened=FIRST), decision=None)
        plan = SimpleNamespace(
            nodes=lambda: [self.node],
            node=lambda _: self.node,
            policy=SimpleNamespace(revote_ms=20_000),
        )
        self.store = SimpleNamespace(plans=lambda: [plan], plan=lambda _: plan)

    def wall(self) -> int:
        return NOW_MS

    def sees(self, opened: Stamp, how: str, proposal: bytes) -> None:
        """Let a round count, given when it opened and how it was decided."""
        self.node.vote.opened = opened
        self.node.decision = SimpleNamespace(
            proposal=SimpleNamespace(id=proposal), how=how, crossable=False
        )


def ballot(peer: Peer, delay_ms: int) -> Any:
    """Return a ballot on the node that took this long to arrive."""
    stamp = Stamp(NOW_MS - delay_ms, 0)
    body = Ballot.model_construct(
        stamp=stamp, goal=b"g" * 32, node=peer.node.id, proposal=b"b" * 32, verdict="approve"
    )
    return SimpleNamespace(stamp=stamp, body=body)


def watched() -> tuple[Any, VoteWatch, Tallies]:
    """Return a peer that saw its node decided, what watches it, and where changes are counted."""
    peer: Any = Peer()
    tallies = Tallies()
    watch = VoteWatch(peer, tallies, Timeline(VirtualClock()))
    peer.sees(FIRST, "best", b"a")
    watch.time_passed()
    return peer, watch, tallies


def test_a_late_ballot_is_the_cause_though_a_later_round_hid_its_effect() -> None:
    """It arrives while a replan counts, and its effect shows once the replan no longer counts."""
    peer, watch, tallies = watched()
    peer.sees(SECOND_ROUND, "best", b"c")
    late = ballot(peer, 40_000)
    watch.voted(late, late.body)
    quick = ballot(peer, 10)
    watch.voted(quick, quick.body)
    peer.sees(FIRST, "quorum", b"b")
    watch.time_passed()
    (change,) = tallies.changes
    assert change.delay_ms == 40_000
    assert change.cause == "late"


def test_a_change_through_time_alone_has_no_record_as_its_cause() -> None:
    """A ballot that arrived before the last look is not taken for the cause."""
    peer, watch, tallies = watched()
    late = ballot(peer, 40_000)
    watch.voted(late, late.body)
    watch.time_passed()
    peer.sees(FIRST, "quorum", b"b")
    watch.time_passed()
    (change,) = tallies.changes
    assert change.cause == "time"
