"""The filter passes a bounded part of any RPC, and only for our topic."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.utils import safe_bytes_from_hex

from swarm.net.pubsub.rpc_filter import (
    AGAIN_BYTES,
    AGAIN_BYTES_PER_SECOND,
    MAX_BACKOFF_SECONDS,
    MAX_ENTRIES,
    MAX_ID,
    MAX_IDS,
    MAX_MESSAGES,
    MESSAGE_OVERHEAD,
    SEQNO_SIZE,
    RpcFilter,
)

TOPIC = "ours"
ID = bytes(range(0x80, 0xA6)) + bytes(SEQNO_SIZE)
"""The id of a message, as libp2p makes them: of an author and a number, and no hex."""

CONTROL_BYTES = 2 * MAX_IDS * (MAX_ID + 4) + 1_000
"""Bytes of all control messages that may pass of one RPC."""

topics = st.sampled_from([TOPIC, "", "made up"]) | st.text(max_size=5)
ids = st.sampled_from([ID, ID.hex().encode(), ID.hex().upper().encode(), b"", b"\xff" * 500])
many = st.sampled_from([1, 2, MAX_ENTRIES + 1, MAX_MESSAGES + 1])
"""How often an entry is repeated; hypothesis draws no lists as long as an attacker's."""


def repeated(item: Any) -> Any:
    return st.lists(st.tuples(item, many), max_size=3).map(
        lambda entries: [entry for entry, count in entries for _ in range(count)]
    )


messages = st.builds(
    rpc_pb2.Message,
    topicIDs=repeated(topics),
    seqno=st.sampled_from([bytes(SEQNO_SIZE), b"", bytes(100_000)]),
    data=st.binary(max_size=20),
    from_id=st.binary(max_size=40),
    key=st.sampled_from([b"", bytes(100_000)]),
)
subscriptions = st.builds(rpc_pb2.RPC.SubOpts, subscribe=st.booleans(), topicid=topics)
listed = st.lists(ids, max_size=4).flatmap(lambda some: st.sampled_from([some, some * MAX_IDS]))
controls = st.builds(
    rpc_pb2.ControlMessage,
    ihave=repeated(st.builds(rpc_pb2.ControlIHave, topicID=topics, messageIDs=listed)),
    iwant=repeated(st.builds(rpc_pb2.ControlIWant, messageIDs=listed)),
    graft=repeated(st.builds(rpc_pb2.ControlGraft, topicID=topics)),
    prune=repeated(
        st.builds(
            rpc_pb2.ControlPrune,
            topicID=topics,
            backoff=st.integers(0, 2**64 - 1),
            peers=st.just([rpc_pb2.PeerInfo(peerID=b"x")]),
        )
    ),
    idontwant=repeated(st.builds(rpc_pb2.ControlIDontWant, messageIDs=listed)),
)
rpcs = st.builds(
    rpc_pb2.RPC,
    publish=repeated(messages),
    subscriptions=repeated(subscriptions),
    control=st.none() | controls,
)


def of_control(control: Any) -> list[tuple[str, int]]:
    return [(field.name, len(value)) for field, value in control.ListFields()]


@settings(max_examples=60, deadline=None)
@given(rpcs)
def test_of_any_rpc_a_bounded_part_for_our_topic_passes(rpc: Any) -> None:
    """What passes of any RPC is bounded, without repetitions, and for our topic."""
    passed = RpcFilter(TOPIC, lambda _: 1_000).passes(rpc, 0)
    assert len(passed.messages) + passed.strange <= MAX_MESSAGES
    for message in passed.messages:
        assert list(message.topicIDs) == [TOPIC]
        assert message.ByteSize() <= len(message.data) + MESSAGE_OVERHEAD
    assert len(passed.subscriptions) <= 2
    assert all(s.topicid == TOPIC for s in passed.subscriptions)
    control = passed.control or rpc_pb2.ControlMessage()
    assert {name for name, _ in of_control(control)} <= {"ihave", "iwant", "graft", "prune"}
    assert all(count == 1 for _, count in of_control(control))
    assert control.ByteSize() <= CONTROL_BYTES
    for entry in (*control.ihave, *control.iwant):
        decoded = [safe_bytes_from_hex(wire) for wire in entry.messageIDs]
        assert len(decoded) == len(set(decoded)) <= MAX_IDS
    for entry in (*control.ihave, *control.graft, *control.prune):
        assert entry.topicID == TOPIC
    for prune in control.prune:
        assert prune.backoff <= MAX_BACKOFF_SECONDS
        assert not prune.peers


@given(
    st.lists(st.lists(st.integers(0, 400), max_size=50), min_size=1, max_size=20),
    st.lists(st.integers(0, 300 * 1024), min_size=401, max_size=401),
    st.integers(0, 2_000),
)
def test_repeated_bytes_are_bounded_over_any_number_of_rpcs(
    wishes: list[list[int]], sizes: list[int], pause: int
) -> None:
    """The bytes repeated for one neighbour keep to a burst and a rate over all its RPCs."""
    rpcs = RpcFilter(TOPIC, lambda i: sizes[int.from_bytes(i[1:])] if i[:1] == b"\xff" else None)
    answered = 0
    for at, wanted in enumerate(wishes):
        asks = [
            rpc_pb2.ControlIWant(messageIDs=[b"\xff" + i.to_bytes(2)]) for i in wanted[:MAX_ENTRIES]
        ]
        control = rpc_pb2.ControlMessage(iwant=asks)
        passed = rpcs.passes(rpc_pb2.RPC(control=control), at * pause)
        for entry in passed.control.iwant if passed.control is not None else ():
            now = sum(sizes[int.from_bytes(i[1:])] for i in entry.messageIDs)
            assert now <= AGAIN_BYTES
            answered += now
    elapsed = (len(wishes) - 1) * pause / 1000
    assert answered <= AGAIN_BYTES + AGAIN_BYTES_PER_SECOND * elapsed + 1


def test_honest_rpcs_pass_unchanged() -> None:
    """A message, an announcement, and usual control messages pass as they are."""
    rpcs = RpcFilter(TOPIC, lambda _: 50_000)
    said = rpc_pb2.Message(topicIDs=[TOPIC], seqno=bytes(8), data=bytes(200_000), signature=b"s")
    pair = [rpc_pb2.RPC.SubOpts(subscribe=s, topicid=TOPIC) for s in (False, True)]
    control = rpc_pb2.ControlMessage(
        ihave=[rpc_pb2.ControlIHave(topicID=TOPIC, messageIDs=[ID, ID[1:]])],
        iwant=[rpc_pb2.ControlIWant(messageIDs=[ID, ID[1:]])],
        graft=[rpc_pb2.ControlGraft(topicID=TOPIC)],
        prune=[rpc_pb2.ControlPrune(topicID=TOPIC, backoff=10)],
    )
    passed = rpcs.passes(rpc_pb2.RPC(publish=[said], subscriptions=pair, control=control), 0)
    assert passed.messages == [said]
    assert passed.subscriptions == pair
    assert passed.control == control
    for one in pair:
        assert rpcs.passes(rpc_pb2.RPC(subscriptions=[one]), 0).subscriptions == [one]
