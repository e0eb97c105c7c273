"""The whole protocol over a lossy virtual wire: all peers get everything, then are silent."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.records import record_id
from swarm.gossip import frames
from swarm.gossip.anti_entropy import HISTORY_MS, NEWCOMER_FIRST_MS
from swarm.gossip.frames import digest_of
from swarm.gossip.outbox import AGAIN_BURST, AGAIN_BYTES_PER_SECOND
from swarm.gossip.protocol import Gossip
from swarm.gossip.record_set import AddResult
from tests.gossip.wire import Node, Wire
from tests.net.memory import MemoryRecords, history, make

MINUTE = 60_000


def equal(*nodes: Node) -> bool:
    return len({n.records.digest() for n in nodes}) == 1


def talk(wire: Wire, speakers: list[Node], raws: list[bytes], pause: int = 100) -> None:
    for i, raw in enumerate(raws):
        speakers[i % len(speakers)].publish(raw, wire.now)
        wire.run(pause)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from([0.0, 0.1, 0.3]), goals=st.integers(1, 3))
def test_everyone_ends_with_everything(seed: int, loss: float, goals: int) -> None:
    """Whatever is lost, speakers and a listener soon hold the same records."""
    wire = Wire(seed, loss=loss)
    speakers = [wire.join(f"s{i}") for i in range(4)]
    listener = wire.join("listener", speaks=False)
    raws = [raw for g in range(goals) for raw in history(12, tag=f"{g}-")]
    talk(wire, speakers, raws)
    everyone = [*speakers, listener]
    assert wire.run(2 * MINUTE, until=lambda: equal(*everyone))
    assert len(listener.records) == len(raws)
    assert listener.sent == []


@pytest.mark.parametrize(("count", "most_ms"), [(200, 1_500), (2_000, 5_000)])
def test_a_late_listeners_history_is_shared_out(count: int, most_ms: int) -> None:
    """About one of eight holders publishes each record; together they are as fast as one."""
    wire = Wire(5)
    raws = history(count, text="x" * 300)
    speakers = [wire.join(f"s{i}", raws=list(raws)) for i in range(8)]
    wire.run(5 * MINUTE)
    joined = wire.now
    listener = wire.join("late", speaks=False)
    assert wire.run(most_ms, until=lambda: len(listener.records) == count)
    wire.run(MINUTE)
    assert sum(s.records_sent(joined) for s in speakers) <= 1.1 * count


def test_a_share_whose_first_speaker_is_gone_is_published_by_the_next() -> None:
    """A speaker that is expected to publish and does not delays the rest only for a moment."""
    wire = Wire(6)
    raws = history(200)
    speakers = [wire.join(f"s{i}", raws=list(raws)) for i in range(4)]
    wire.run(5 * MINUTE)
    dumb = speakers[:2]
    wire.cut = lambda sender, _: sender in dumb
    listener = wire.join("late", speaks=False)
    assert wire.run(10_000, until=lambda: len(listener.records) == 200)


def test_late_listener_gets_everything_within_a_second() -> None:
    """A listener that arrives when everything was published is served once, by about one holder."""
    wire = Wire(3)
    speakers = [wire.join(f"s{i}") for i in range(5)]
    talk(wire, speakers, history(200), pause=20)
    wire.run(MINUTE)
    joined = wire.now
    listener = wire.join("late", speaks=False)
    assert wire.run(1_500, until=lambda: len(listener.records) == 200)
    wire.run(2_000)
    said = sum(s.records_sent(joined) for s in speakers)
    assert said <= 500, "others must stay silent when they overhear it"
    assert listener.sent == []


def test_ended_goals_reach_a_late_listener_too() -> None:
    """Retained goals are served to a newcomer even though no digest mentions them any more."""
    wire = Wire(4)
    speakers = [wire.join(f"s{i}", raws=history(30)) for i in range(3)]
    for node in speakers:
        node.records.ended.update(node.records.goals())
    wire.run(5 * MINUTE)
    late = wire.join("late", speaks=False)
    assert wire.run(HISTORY_MS + 3_000, until=lambda: len(late.records) == 30)


def test_live_goals_reach_a_late_listener_before_ended_ones() -> None:
    """What lives comes within a second or two, however much history there is."""
    wire = Wire(4)
    ended = [raw for number in range(20) for raw in history(30, tag=f"ended {number}")]
    speakers = [wire.join(f"s{i}", raws=[*ended, *history(30)]) for i in range(3)]
    (live,) = (record_id(raw) for raw in history(1))
    for node in speakers:
        node.records.ended.update(set(node.records.goals()) - {live})
    wire.run(5 * MINUTE)
    late = wire.join("late", speaks=False)
    assert wire.run(3_000, until=lambda: len(late.records.ids(live)) == 30)
    assert len(late.records) == 30
    assert wire.run(MINUTE, until=lambda: equal(*speakers, late))


def test_no_history_is_published_for_a_peer_that_asks_over_a_stream() -> None:
    """One session shows that a newcomer can ask: whatever has ended is left to it."""
    wire = Wire(4)
    speakers = [wire.join(f"s{i}", raws=history(200)) for i in range(3)]
    for node in speakers:
        node.records.ended.update(node.records.goals())
    wire.run(5 * MINUTE)
    came = wire.now
    late = wire.join("late", speaks=False)
    for node in speakers:
        node.gossip.synced(late.name)
        late.gossip.synced(node.name)
    wire.run(MINUTE)
    assert sum(node.records_sent(came) for node in speakers) == 0


@pytest.mark.parametrize("seed", [4, 7, 10, 11])
def test_what_a_late_listener_lost_of_ended_goals_is_repaired(seed: int) -> None:
    """Digests include what was published for a newcomer, so that losses of it are repaired."""
    wire = Wire(seed, loss=0.3)
    speakers = [wire.join(f"s{i}", raws=history(60)) for i in range(3)]
    for node in speakers:
        node.records.ended.update(node.records.goals())
    wire.run(4 * MINUTE)
    late = wire.join("late", speaks=False)
    assert wire.run(5 * MINUTE, until=lambda: equal(*speakers, late))


def test_the_last_record_of_an_ended_goal_is_repaired() -> None:
    """A goal whose last record was lost stays in digests until every peer has it."""
    wire = Wire(5)
    speakers = [wire.join(f"s{i}") for i in range(3)]
    listener = wire.join("listener", speaks=False)
    raws = history(10)
    talk(wire, speakers, raws[:-1])
    wire.run(5_000)
    wire.loss = 1.0
    speakers[0].publish(raws[-1], wire.now)
    speakers[0].records.ended.update(speakers[0].records.goals())
    wire.run(300)
    wire.loss = 0.0
    assert wire.run(MINUTE, until=lambda: equal(*speakers, listener))


def test_quiet_when_all_agree() -> None:
    """Ten minutes after the last record, each of eight peers sends under a message a minute."""
    wire = Wire(6)
    speakers = [wire.join(f"s{i}") for i in range(8)]
    talk(wire, speakers, history(40))
    wire.run(10 * MINUTE)
    since = wire.now
    wire.run(10 * MINUTE)
    messages = sum(1 for s in speakers for at, _ in s.sent if at >= since)
    assert 1 <= messages <= 20
    assert sum(s.records_sent(since) for s in speakers) == 0


def test_no_repetition_while_nothing_is_lost() -> None:
    """Records on their way are not taken for missing: a busy swarm repeats almost nothing."""
    wire = Wire(7, delay=(20, 140))
    speakers = [wire.join(f"s{i}") for i in range(6)]
    wire.run(2_000)
    raws = history(400)
    talk(wire, speakers, raws, pause=50)
    wire.run(5_000)
    said = sum(s.records_sent() for s in speakers)
    assert said <= len(raws) * 1.1


def test_one_lost_record_is_repeated_alone() -> None:
    """A peer that lacks one record of a large goal gets that record, not its bucket or the goal."""
    wire = Wire(8)
    raws = history(300)
    speakers = [wire.join(f"s{i}", raws=list(raws)) for i in range(4)]
    wire.run(5 * MINUTE)
    since = wire.now
    speakers[0].records.forget(record_id(raws[7]))
    assert wire.run(3 * MINUTE, until=lambda: equal(*speakers))
    assert sum(s.records_sent(since) for s in speakers) <= 4


def test_listener_that_lost_records_announces_itself_again() -> None:
    """A listener that lacks records, which no peer can see, gets them by subscribing again."""
    wire = Wire(9)
    speakers = [wire.join(f"s{i}") for i in range(3)]
    listener = wire.join("listener", speaks=False)
    talk(wire, speakers, history(20))
    wire.run(3_000)
    wire.cut = lambda a, b: b is listener
    talk(wire, speakers, history(20, tag="second "), pause=50)
    wire.run(200)
    wire.cut = lambda a, b: False
    assert wire.run(MINUTE, until=lambda: equal(*speakers, listener))
    assert listener.announced
    assert listener.sent == []
    before = len(listener.announced)
    wire.run(10 * MINUTE)
    assert len(listener.announced) == before


def test_unknown_goal_is_asked_for() -> None:
    """A speaker that does not hold a goal asks with an empty digest and gets the whole goal."""
    wire = Wire(10)
    a, b = wire.join("a", raws=history(50)), wire.join("b")
    wire.run(2_000)
    assert equal(a, b)
    other = history(10, tag="other")
    for raw in other:
        a.records.add(raw, wire.now)
    assert wire.run(MINUTE, until=lambda: equal(a, b))


def test_healed_partition() -> None:
    """Two halves that went on by themselves end with the union."""
    wire = Wire(11)
    nodes = [wire.join(f"s{i}") for i in range(6)]
    goal = make(None, "shared")
    nodes[0].publish(goal, wire.now)
    wire.run(1_000)
    left = set(nodes[:3])
    wire.cut = lambda a, b: (a in left) != (b in left)
    for i in range(40):
        nodes[i % 6].publish(make(record_id(goal), f"note {i}"), wire.now)
        wire.run(100)
    wire.run(MINUTE)
    assert not equal(*nodes)
    wire.cut = lambda a, b: False
    assert wire.run(3 * MINUTE, until=lambda: equal(*nodes))


def test_flapping_subscriber_cannot_amplify() -> None:
    """Repeated subscriptions are served with growing pauses."""
    wire = Wire(12)
    speaker = wire.join("s", raws=history(100, text="x" * 2_000))
    wire.run(MINUTE)
    since = wire.now
    for _ in range(600):
        speaker.gossip.newcomer("flapper", wire.now)
        wire.run(100)
    size = sum(len(speaker.records.raw(i) or b"") for i in speaker.records._raw)
    served = speaker.bytes_sent(since) / size
    assert MINUTE / NEWCOMER_FIRST_MS > 25
    assert served < 8


def test_hostile_digests_cannot_amplify() -> None:
    """A stream of false digests makes a speaker repeat itself only within its bounds."""
    wire = Wire(13)
    rng = random.Random(1)
    speaker = wire.join("s", raws=history(200, text="x" * 2_000))
    wire.run(MINUTE)
    since = wire.now
    (goal,) = speaker.records.goals()
    for _ in range(1_200):
        false = frames.GoalDigest(
            goal, rng.randrange(300), rng.randbytes(32), tuple(rng.randbytes(4) for _ in range(16))
        )
        unknown = frames.GoalDigest(rng.randbytes(32), 5, rng.randbytes(32), false.prints)
        speaker.receive(frames.encode_digest([false, unknown]), wire.now)
        wire.run(50)
    size = sum(len(speaker.records.raw(i) or b"") for i in speaker.records._raw)
    assert speaker.bytes_sent(since) < 8 * size
    assert speaker.bytes_sent(since) < AGAIN_BURST + AGAIN_BYTES_PER_SECOND * 60


def test_permanent_difference_comes_to_rest() -> None:
    """Two peers that can never agree (different caps) do not repeat themselves for ever."""
    wire = Wire(14)
    raws = history(30)
    a, b = wire.join("a", raws=raws), wire.join("b", raws=raws[:20])
    b.records.add = lambda raw, now_ms: type(a.records.add(raw, 0)).STALE  # type: ignore[method-assign]
    wire.run(30 * MINUTE)
    since = wire.now
    wire.run(30 * MINUTE)
    assert a.records_sent(since) + b.records_sent(since) <= 10 * 30
    assert sum(1 for at, _ in a.sent if at >= since) < 120


def test_a_listener_refuses_to_publish() -> None:
    """A listener's gossip cannot be made to publish anything."""
    listener = Wire().join("l", speaks=False)
    with pytest.raises(AssertionError):
        listener.gossip.publish(make(None, "x"), 0)


def test_a_burst_is_not_talked_about_while_it_arrives() -> None:
    """On slow links, 2,000 records at once are published once each, with few digests meanwhile.

    Digests of sets in flux look like missing records; repairs once repeated every record five
    times.
    """
    wire = Wire(5, delay=(300, 3_000))
    speakers = [wire.join(f"s{i}") for i in range(10)]
    listener = wire.join("listener", speaks=False)
    raws = history(2_001)
    speakers[0].publish(raws[0], wire.now)
    wire.run(20_000)
    began = wire.now
    for number, raw in enumerate(raws[1:]):
        speakers[number % 10].publish(raw, wire.now)
    assert wire.run(MINUTE, until=lambda: equal(*speakers, listener))
    wire.run(10_000)
    assert sum(s.records_sent(began) for s in speakers) <= 2_500


def late_peer(lateness: int, polls: int = 10) -> tuple[Gossip, int]:
    """Return a peer with 100 records that has been this late for a while, and its time."""
    gossip = Gossip(MemoryRecords(*history(100)), random.Random(6), 0)
    now = 0
    for _ in range(polls):
        now = (gossip.due(now) or now) + lateness
        gossip.poll(now)
    return gossip, now


def said(gossip: Gossip, now: int, until: int, lateness: int = 0) -> list[tuple[int, int]]:
    """Return when frames leave until a time, and how many records each contains."""
    frames_said = []
    while (due := gossip.due(now)) is not None and due + lateness < until:
        now = max(now, due) + lateness
        sending = gossip.poll(now).sending
        if sending is not None:
            frames_said.append((now, sending.records))
        now += 1
    return frames_said


def test_a_late_peer_waits_before_it_repeats() -> None:
    """A peer whose process gets no time repeats nothing that may still be in its sockets."""
    behind = digest_of(record_id(history(100)[0]), [record_id(raw) for raw in history(100)[:50]])
    for lateness, at_once in ((0, True), (4_000, False)):
        gossip, now = late_peer(lateness)
        gossip.digest(frames.Digest((behind,)), now)
        repeated = [at for at, records in said(gossip, now, now + 30_000) if records]
        assert repeated
        assert (repeated[0] - now < 2_500) is at_once


def test_a_machine_that_is_always_late_still_publishes_digests() -> None:
    """However late a peer is, and for however long, it publishes a digest now and then."""
    gossip, now = late_peer(700)
    digests = [at for at, records in said(gossip, now, now + 5 * MINUTE, lateness=700)]
    assert len(digests) >= 2


def test_a_night_asleep_is_not_being_late() -> None:
    """A peer that was suspended for hours soon repairs others as quickly as before."""
    behind = digest_of(record_id(history(100)[0]), [record_id(raw) for raw in history(100)[:50]])
    gossip, now = late_peer(8 * 60 * MINUTE, polls=1)
    said(gossip, now, now + 10_000)
    now += 10_000
    gossip.digest(frames.Digest((behind,)), now)
    repeated = [at for at, records in said(gossip, now, now + 30_000) if records]
    assert repeated
    assert repeated[0] - now < 2_500


@pytest.mark.parametrize("seed", range(5))
def test_what_ended_before_the_first_digest_is_repaired(seed: int) -> None:
    """A listener is repaired even if speakers have just started and the goal ends at once."""
    wire = Wire(seed)
    speakers = [wire.join(f"s{i}") for i in range(4)]
    listener = wire.join("listener", speaks=False)
    raws = history(20)
    for raw in raws[:10]:
        speakers[0].publish(raw, wire.now)
    wire.run(150)
    wire.cut = lambda a, b: b is listener
    for raw in raws[10:]:
        speakers[0].publish(raw, wire.now)
    wire.run(150)
    wire.cut = lambda a, b: False
    for node in wire.nodes:
        node.records.ended.update(node.records.goals())
    assert len({n.records.digest() for n in speakers}) == 1
    assert not equal(*wire.nodes)
    assert wire.run(MINUTE, until=lambda: equal(*wire.nodes))


def test_a_peer_unaware_of_a_change_suppresses_no_digest() -> None:
    """Digests with only the live goal do not suppress one with the goal that has just ended."""
    live, over = history(5, tag="live"), history(20, tag="over")
    records = MemoryRecords(*live, *over[:10])
    gossip = Gossip(records, random.Random(1), 0)
    for raw in over[10:]:
        records.add(raw, 0)
        gossip.received(record_id(raw), AddResult.NEW, 0, overheard=True)
    records.ended.add(record_id(over[0]))
    others = frames.Digest((digest_of(record_id(live[0]), [record_id(raw) for raw in live]),))
    named: set[bytes] = set()
    now = 0
    while now < 20_000:
        gossip.digest(others, now)
        sending = gossip.poll(now).sending
        if sending is not None and isinstance(said := frames.decode(sending.frame), frames.Digest):
            named |= {goal.goal for goal in said.goals}
        now += 100
    assert record_id(over[0]) in named


def test_a_peer_that_announces_itself_often_is_still_served_soon() -> None:
    """A listener that announces itself every few seconds in a busy swarm still gets what it lacks.

    Announcements must neither delay the next service further and further, nor each cost everything
    held.
    """
    wire = Wire(21)
    old = history(200, tag="old")
    speaker = wire.join("s", raws=old)
    speaker.records.ended.add(record_id(old[0]))
    listener = wire.join("listener", speaks=False)
    assert wire.run(MINUTE, until=lambda: equal(speaker, listener))
    for _ in range(40):
        speaker.gossip.newcomer("listener", wire.now)
        wire.run(4_000)
    since = wire.now
    wire.cut = lambda a, b: b is listener
    talk(wire, [speaker], history(20, tag="new"), pause=20)
    wire.run(200)
    wire.cut = lambda a, b: False
    lost = wire.now
    assert wire.run(MINUTE, until=lambda: equal(speaker, listener))
    assert wire.now - lost < 45_000
    assert speaker.records_sent(since) < 100, "what ended long ago is not said again"
