"""A listener that may be the last holder of a record hands it off over a stream."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.records import record_id
from swarm.gossip import frames
from swarm.gossip.frames import digest_of
from swarm.gossip.handoff import LASTING_MS, PAUSE_FIRST_MS
from tests.gossip.test_protocol import equal, talk
from tests.gossip.wire import Node, Wire
from tests.net.memory import MemoryRecords, history, make

MINUTE = 60_000


def at_rest(wire: Wire, count: int) -> tuple[list[Node], Node, list[bytes]]:
    """Return speakers and a listener that all hold the same, and what that is."""
    speakers = [wire.join(f"s{i}") for i in range(count)]
    listener = wire.join("listener", speaks=False, hands_off=True)
    known = history(10)
    talk(wire, speakers, known)
    wire.run(MINUTE)
    return speakers, listener, known


def heard_by_the_listener_alone(wire: Wire, raws: list[bytes], listener: Node) -> None:
    """Publish records that only the listener receives, and kill their author."""
    killed = wire.join("killed")
    wire.cut = lambda a, b: a is killed and b is not listener
    for raw in raws:
        killed.publish(raw, wire.now)
        wire.run(100)
    wire.leave(killed)
    wire.cut = lambda a, b: False


def show_presence(speakers: list[Node], listener: Node, wire: Wire) -> None:
    """Publish presences, as every running peer does twice a minute."""
    for speaker in speakers:
        listener.gossip.heard_from(speaker.name, wire.now)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), ended=st.booleans())
def test_what_only_a_listener_heard_reaches_all(seed: int, ended: bool) -> None:
    """Records and whole goals, live or ended, reach all peers within half a minute.

    Fails when a listener keeps what it alone holds: then no other peer ever gets it.
    """
    wire = Wire(seed)
    speakers, listener, known = at_rest(wire, 3)
    more = [make(record_id(known[0]), f"last words {i}") for i in range(2)]
    for node in (*speakers, listener) if ended else ():
        node.records.ended.update(node.records.goals())
    heard_by_the_listener_alone(wire, [*more, *history(3, tag="unheard of ")], listener)
    assert not equal(*speakers, listener)
    assert wire.run(MINUTE // 2, until=lambda: equal(*speakers, listener))
    assert listener.sent == []


def test_a_listener_that_starts_with_a_disk_hands_it_off() -> None:
    """The last disk of a swarm may be a listener's: all peers get its records back."""
    wire = Wire(2)
    speakers = [wire.join(f"s{i}") for i in range(3)]
    raws = history(30)
    listener = wire.join("listener", speaks=False, hands_off=True, raws=raws)
    listener.records.ended.update(listener.records.goals())
    assert wire.run(MINUTE // 2, until=lambda: equal(*speakers, listener))
    assert len(speakers[0].records) == 30


@pytest.mark.parametrize(("loss", "most"), [(0.0, 0), (0.1, 6)])
def test_no_stream_is_opened_while_others_have_it_too(loss: float, most: int) -> None:
    """While a swarm is busy, digests confirm everything soon; losses cost few streams."""
    wire = Wire(3, loss=loss)
    speakers = [wire.join(f"s{i}") for i in range(4)]
    listener = wire.join("listener", speaks=False, hands_off=True)
    talk(wire, speakers, history(200), pause=250)
    for _ in range(20):
        show_presence(speakers, listener, wire)
        wire.run(MINUTE // 2)
    assert equal(*speakers, listener)
    assert len(listener.handed_off) <= most


def test_attempts_without_success_become_rarer() -> None:
    """Without a speaker pauses double; the first speaker gets it at the next attempt."""
    wire = Wire(4)
    listener = wire.join("listener", speaks=False, hands_off=True, raws=history(5))
    wire.run(5 * MINUTE)
    tries = listener.handed_off
    assert tries[0] >= LASTING_MS
    pauses = [after - before for before, after in pairwise(tries)]
    assert len(pauses) >= 3
    assert pauses[0] >= PAUSE_FIRST_MS
    assert all(after > before for before, after in pairwise(pauses[:4]))
    speaker = wire.join("speaker")
    assert wire.run(3 * MINUTE, until=lambda: equal(speaker, listener))


def test_a_peer_that_lost_what_it_confirmed_is_not_a_witness() -> None:
    """All holders return with empty disks: what the listener holds is unconfirmed again."""
    wire = Wire(5)
    speakers = [wire.join(f"s{i}") for i in range(2)]
    listener = wire.join("listener", speaks=False, hands_off=True)
    goal, *notes = history(10)
    talk(wire, speakers, [goal, *notes])
    wire.run(MINUTE)
    assert listener.handed_off == []
    for node in speakers:
        for raw in notes[3:]:
            node.records.forget(record_id(raw))
    late = wire.join("late", raws=[goal])
    late.publish(make(record_id(goal), "and one more"), wire.now)
    assert wire.run(2 * MINUTE, until=lambda: equal(*speakers, late, listener))
    assert len(late.records) == 11


def test_a_silent_peer_is_not_a_witness() -> None:
    """All peers that confirmed it are killed; a later one gets it from the listener."""
    wire = Wire(6)
    speakers = [wire.join(f"s{i}") for i in range(3)]
    listener = wire.join("listener", speaks=False, hands_off=True)
    talk(wire, speakers, history(10))
    wire.run(5_000)
    for node in speakers:
        wire.leave(node)
    listener.records.ended.update(listener.records.goals())
    wire.run(10 * MINUTE)
    late = wire.join("late")
    assert wire.run(PAUSE_FIRST_MS + LASTING_MS, until=lambda: equal(late, listener))


def test_a_witness_whose_connection_is_gone_is_none_at_once() -> None:
    """The author confirmed its records and was killed: its lost connection is enough to act."""
    wire = Wire(7)
    author = wire.join("author")
    listener = wire.join("listener", speaks=False, hands_off=True)
    talk(wire, [author], history(10))
    wire.run(5_000)
    wire.leave(author)
    other = wire.join("other")
    listener.gossip.left("author", wire.now)
    assert wire.run(PAUSE_FIRST_MS + LASTING_MS, until=lambda: equal(other, listener))


class Hoarded(Wire):
    """A wire on which some peers state truly what they hold, but never pass a record on."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.hoarders: list[Node] = []

    def deliver_later(self, sender: Node | None, data: bytes) -> None:
        if sender not in self.hoarders or isinstance(frames.decode(data), frames.Digest):
            super().deliver_later(sender, data)

    def _level(self, node: Node) -> None:
        """Make every other session one with a hoarder, which gives nothing."""
        holdings = [(h, h.records) for h in self.hoarders]
        for hoarder, _ in holdings:
            hoarder.records = MemoryRecords()
        uncut, in_vain = self.cut, len(node.handed_off) % 2 == 0
        self.cut = lambda a, b: (b in self.hoarders) != in_vain
        super()._level(node)
        self.cut = uncut
        for hoarder, records in holdings:
            hoarder.records = records


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    liars=st.integers(1, 3),
    lost=st.integers(1, 12),
    lively=st.booleans(),
)
def test_a_false_claim_to_hold_a_record_does_not_stop_a_handoff(
    seed: int, liars: int, lost: int, lively: bool
) -> None:
    """While a speaker lacks a record, a listener hands it off, no matter who confirms it.

    Fails when one false digest keeps the last honest holder from handing it off.
    """
    wire = Hoarded(seed)
    speakers = [wire.join(f"s{i}") for i in range(2)]
    wire.hoarders = [wire.join(f"liar{i}") for i in range(liars)]
    listener = wire.join("listener", speaks=False, hands_off=True)
    known = history(10)
    talk(wire, speakers, known)
    wire.run(MINUTE)
    killed = wire.join("killed")
    wire.cut = lambda a, b: a is killed and b not in (listener, *wire.hoarders)
    for number in range(lost):
        killed.publish(make(record_id(known[0]), f"last words {number}"), wire.now)
        wire.run(100)
    wire.leave(killed)
    wire.cut = lambda a, b: False
    for half in range(10):
        if lively:
            speakers[0].publish(make(record_id(known[0]), f"meanwhile {half}"), wire.now)
        show_presence([*speakers, *wire.hoarders], listener, wire)
        wire.run(MINUTE // 2)
    assert equal(*speakers, listener)
    assert listener.sent == []


def test_a_liar_that_says_it_lacks_something_costs_few_streams() -> None:
    """False digests, however many, do not cause more handoffs."""
    wire = Wire(8)
    speakers, listener, known = at_rest(wire, 2)
    lie = frames.Digest((digest_of(record_id(known[0]), [record_id(r) for r in known[:5]]),))
    for _ in range(600):
        listener.gossip.heard_from("liar", wire.now)
        listener.gossip.digest(lie, wire.now, "liar")
        show_presence(speakers, listener, wire)
        wire.run(1_000)
    assert len(listener.handed_off) <= 10


def test_a_peer_that_has_caught_up_costs_no_more_streams() -> None:
    """A newcomer lacks records for a while, and publishes no digest once it has everything.

    Fails when it counts as lacking until its own digest says otherwise: trickle suppresses that
    one.
    """
    wire = Wire(9)
    speakers, listener, known = at_rest(wire, 2)
    goal, ids = record_id(known[0]), [record_id(record) for record in known]
    for held in (2, 5, 8):
        short = frames.Digest((digest_of(goal, ids[:held]),))
        listener.gossip.heard_from("newcomer", wire.now)
        listener.gossip.digest(short, wire.now, "newcomer")
        wire.run(10_000)
    for _ in range(120):
        listener.gossip.heard_from("newcomer", wire.now)
        show_presence(speakers, listener, wire)
        wire.run(MINUTE // 2)
    assert len(listener.handed_off) <= 5
