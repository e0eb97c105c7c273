"""Frames that end a stock libp2p 0.8.1 process, or might: each costs at most its sender something.

After each one an honest record still passes through the victim, on real hosts.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from libp2p.crypto.pb import crypto_pb2
from libp2p.pubsub.pb import rpc_pb2
from libp2p.utils.varint import encode_varint_prefixed

from swarm.net import sync
from tests.net.hosts import TOPIC, Member, members, message, rpc, stranger, until
from tests.net.memory import history, make

pytestmark = pytest.mark.trio

SHA256_ID = b"\x12\x20" + bytes(32)
BAD_RSA = crypto_pb2.PublicKey(key_type=crypto_pb2.KeyType.RSA, data=b"no key").SerializeToString()
SHORT_ED = crypto_pb2.PublicKey(
    key_type=crypto_pb2.KeyType.Ed25519, data=b"short"
).SerializeToString()
SUBSCRIBE = rpc_pb2.RPC.SubOpts(subscribe=True, topicid=TOPIC)


def control(**fields: Any) -> bytes:
    return rpc(control=rpc_pb2.ControlMessage(**fields))


FRAMES = {
    "no protobuf": encode_varint_prefixed(b"\xff" * 40),
    "cut protobuf": encode_varint_prefixed(b"\x12\x7f\x01"),
    "garbage key": rpc(publish=[message(from_id=SHA256_ID, key=b"\xff\xfe", signature=b"s")]),
    "bad rsa key": rpc(publish=[message(from_id=SHA256_ID, key=BAD_RSA, signature=b"s")]),
    "short key": rpc(publish=[message(from_id=SHA256_ID, key=SHORT_ED, signature=bytes(64))]),
    "no author": rpc(publish=[message(from_id=b"", key=b"", signature=b"")]),
    "garbage author": rpc(publish=[message(from_id=b"\x00", key=b"\x08\x01", signature=b"s")]),
    "length overflow": b"\xff" * 11,
    "two gigabytes": b"\xff\xff\xff\xff\x07",
    "empty frame": b"\x00",
    "bad sender record": rpc(senderRecord=b"\xff" * 50),
    "topic that is not text": encode_varint_prefixed(bytes.fromhex("0a0508011201ff")),
    "20,000 subscriptions": rpc(
        subscriptions=[rpc_pb2.RPC.SubOpts(subscribe=True, topicid=f"t{i}") for i in range(20_000)]
    ),
    "iwant nonsense": control(iwant=[rpc_pb2.ControlIWant(messageIDs=[b"open('x')", b"(("])]),
    "ihave nonsense": control(
        ihave=[rpc_pb2.ControlIHave(topicID=TOPIC, messageIDs=[b"{", b"b''", b"\x00"])]
    ),
    "graft nonsense": control(
        graft=[rpc_pb2.ControlGraft(topicID="nowhere"), rpc_pb2.ControlGraft()]
    ),
    "prune nonsense": control(
        prune=[
            rpc_pb2.ControlPrune(
                topicID=TOPIC,
                peers=[rpc_pb2.PeerInfo(peerID=b"\xff", signedPeerRecord=b"\xff")],
                backoff=2**63,
            )
        ]
    ),
}


@pytest.mark.parametrize("name", FRAMES)
async def test_a_killer_frame_costs_only_its_sender(name: str) -> None:
    """The victim goes on receiving and forwarding for all others, the second time too."""
    goal, *notes = history(3)
    victim = Member()
    async with members(victim):
        honest = Member(peers=(victim.address,))
        async with members(honest), stranger(victim) as attacker:
            await until(5, lambda: victim.linked)
            await attacker.send(rpc(subscriptions=[SUBSCRIBE]), FRAMES[name])
            await attacker.again(FRAMES[name])
            honest.publish(goal)
            await until(5, lambda: len(victim.records) == 1)
            victim.publish(notes[0])
            await until(5, lambda: len(honest.records) == 2)


async def test_a_validator_or_subscriber_hook_that_raises_ends_nothing() -> None:
    """An exception in a validator drops the message; one in our own hook is only counted."""
    a = Member(may_ask=False)
    async with members(a):
        b = Member(peers=(a.address,), may_ask=False)
        async with members(b):
            await until(5, lambda: a.linked)
            pubsub = a.network._pubsub
            assert pubsub is not None

            def broken(*_: Any) -> Any:
                raise RuntimeError("a validator's bug")

            pubsub.set_topic_validator(pubsub.topic, broken, False)
            b.publish(make(None, "one"))
            await until(5, lambda: pubsub.bad_frames)
            assert len(a.records) == 0
            pubsub.remove_topic_validator(pubsub.topic)
            pubsub._on_subscriber = broken
            pubsub.handle_subscription(b.network.peer_id, rpc_pb2.RPC.SubOpts(subscribe=True))
            b.publish(make(None, "two"))
            await until(10, lambda: len(a.records) == 2)


async def test_a_heartbeat_that_raises_beats_again() -> None:
    """An exception in the router's heartbeat does not end the service."""
    a = Member()
    async with members(a):
        pubsub = a.network._pubsub
        assert pubsub is not None
        beats = 0

        def broken() -> Any:
            nonlocal beats
            beats += 1
            raise RuntimeError("a bug in the router")

        original, pubsub.router.mesh_heartbeat = pubsub.router.mesh_heartbeat, broken
        await until(5, lambda: beats >= 2)
        pubsub.router.mesh_heartbeat = original
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked)
            b.publish(make(None, "alive"))
            await until(5, lambda: len(a.records) == 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short",
        bytes(16) + b"\xff\xff\xff\xff",
        bytes(16) + (6).to_bytes(4) + b"\x09" * 6,
        bytes(16) + (3).to_bytes(4) + b"\x01\x40\x00",
        os.urandom(5_000),
    ],
    ids=["nothing", "short salt", "four gigabytes", "unknown part", "deep prefix", "noise"],
)
async def test_garbage_on_the_sync_stream_ends_that_stream_only(data: bytes) -> None:
    """The sync handler survives what it cannot read, and still answers an honest peer."""
    victim = Member(*history(20))
    async with members(victim), stranger(victim) as attacker:
        stream = await attacker.open(sync.PROTOCOL)
        if data:
            await stream.write(data)
        await stream.reset()
        late = Member(peers=(victim.address,), speaks=False)
        async with members(late):
            await until(5, lambda: len(late.records) == 20)
            await until(5, lambda: late.network.counters().syncs)


async def test_frames_on_the_topic_that_are_no_frames_are_counted() -> None:
    """Garbage, forged records and a megabyte from a hostile member change nothing."""
    rng = random.Random(1)
    a = Member()
    async with members(a):
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked)
            pubsub = b.network._pubsub
            assert pubsub is not None
            mesh = pubsub.router.mesh
            await until(5, lambda: len(mesh[pubsub.topic]) == 1)
            await pubsub.publish(pubsub.topic, b"")
            await pubsub.publish(pubsub.topic, b"\x01" + rng.randbytes(400))
            await pubsub.publish(pubsub.topic, b"\x02" + rng.randbytes(50))
            await pubsub.publish(pubsub.topic, rng.randbytes(900_000))
            await pubsub.publish(pubsub.topic, b"\x01\x64" + rng.randbytes(100))
            b.publish(make(None, "good"))
            await until(5, lambda: len(a.records) == 1)
            counters = a.network.counters()
            await until(5, lambda: counters.bad_frames >= 3 and counters.rejected == 1)


async def test_a_callback_that_raises_ends_nothing() -> None:
    """An exception in the owner's callback is counted, and the next record arrives."""
    a = Member()

    def broken(*_: Any) -> None:
        raise RuntimeError("the owner's bug")

    a.network._on_record = broken
    a.network._on_newcomer = broken
    async with members(a):
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked)
            b.publish(*history(3))
            await until(5, lambda: len(a.records) == 3)
            assert a.network.counters().callback_errors >= 4
