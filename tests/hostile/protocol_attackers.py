"""Attackers that abuse the gossip and sync protocols themselves, rather than the records in them.

Each repeats something that no honest peer does, and reconnects whenever it is disconnected.
"""

from __future__ import annotations

import os
import random
import struct
import time
from contextlib import suppress
from typing import Any

import trio
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.crypto.keys import KeyPair
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2
from libp2p.utils.varint import encode_varint_prefixed

from swarm.core.records import HEADER_SIZE
from swarm.gossip.frames import GoalDigest, encode_bundle, encode_digest
from swarm.net import sync
from tests.hostile import attackers
from tests.hostile.attackers import Attack, Stranger, Target, stranger
from tests.net.attacker import signed

PAUSE = 0.05
"""Seconds between two frames of most attacks: it is the contents that harm, not the rate."""

CROWD = 20
"""How many origins one neighbour pretends to forward for."""


class _Line:
    """A gossip stream to the victim, opened again whenever it is closed."""

    def __init__(self, attacker: Stranger, target: Target) -> None:
        self._attacker = attacker
        self._target = target
        self._stream: Any = None

    async def send(self, **fields: Any) -> None:
        """Send an RPC; wait a little if it cannot be sent."""
        try:
            if self._stream is None:
                self._stream = await self._attacker.open(PROTOCOL_ID_V11, self._target.victim)
                hello = rpc_pb2.RPC.SubOpts(subscribe=True, topicid=self._target.topic)
                await self._write(rpc_pb2.RPC(subscriptions=[hello]))
            with trio.fail_after(2):
                await self._write(rpc_pb2.RPC(**fields))
        except Exception:
            # However the victim closed it, the attacker opens it again.
            self._stream = None
        await trio.sleep(PAUSE)

    async def control(self, **fields: Any) -> None:
        await self.send(control=rpc_pb2.ControlMessage(**fields))

    async def _write(self, rpc: Any) -> None:
        await self._stream.write(bytes(encode_varint_prefixed(rpc.SerializeToString())))

    async def overrun(self, data: bytes) -> None:
        """Write bytes regardless of the window."""
        await self.send()
        if self._stream is not None:
            muxed = self._stream.muxed_stream
            head = struct.pack("!BBHII", 0, 0, 0, muxed.stream_id, len(data))
            with suppress(Exception):
                await muxed.conn._write_frame(head + data)


def _said(keys: KeyPair, target: Target, data: bytes) -> Any:
    return signed(keys, time.time_ns(), data, (target.topic,))


async def asks_again(target: Target) -> None:
    """Sends a large message, requests it ten thousand times in each RPC, and resubscribes."""
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        while True:
            message = _said(create_new_key_pair(), target, b"\x7f" + os.urandom(200_000))
            await line.send(publish=[message])
            identity = message.from_id + message.seqno
            entries = [rpc_pb2.ControlIWant(messageIDs=[identity] * 10_000)]
            again = [
                rpc_pb2.RPC.SubOpts(subscribe=s, topicid=target.topic) for s in (False, True)
            ] * 50
            for _ in range(10):
                await line.control(iwant=entries)
                await line.send(subscriptions=again)


async def made_up_topics(target: Target) -> None:
    """Sends tens of thousands of made-up topics, in every kind of control message."""
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        number = 0
        while True:
            number += 1
            names = [f"{number:x} {i:x}" for i in range(20_000)]
            await line.control(graft=[rpc_pb2.ControlGraft(topicID=name) for name in names])
            await line.control(
                prune=[rpc_pb2.ControlPrune(topicID=name, backoff=2**60) for name in names]
            )
            await line.control(ihave=[rpc_pb2.ControlIHave(topicID=name) for name in names])


async def forged_messages(target: Target) -> None:
    """Sends thousands of messages in each RPC under others' names, without their signatures."""
    authors = [create_new_key_pair() for _ in range(CROWD)]
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        while True:
            batch = [_said(random.choice(authors), target, b"\x02") for _ in range(50)]
            forged = []
            for _ in range(3_000):
                message = rpc_pb2.Message()
                message.CopyFrom(random.choice(batch))
                message.seqno = os.urandom(8)
                forged.append(message)
            await line.send(publish=forged)


async def ignores_windows(target: Target) -> None:
    """Keeps sending when the stream's window is used up."""
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        while True:
            await line.overrun(bytes(800_000))


async def sham_digests(target: Target) -> None:
    """Sends digests of made-up goals, and false ones of real goals, under many identities."""
    crowd = [create_new_key_pair() for _ in range(CROWD)]
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        while True:
            for keys in crowd:
                goals = [*target.goals, *(os.urandom(32) for _ in range(200))]
                digests = [
                    GoalDigest(g, 5, os.urandom(32), tuple(os.urandom(4) for _ in range(16)))
                    for g in goals
                ]
                await line.send(publish=[_said(keys, target, encode_digest(digests))])


async def sync_storm(target: Target) -> None:
    """Opens one sync session after another, and repeats its questions in each."""
    root = b"\x01\x00\x01" + bytes(8)
    message = root * 30_000
    async with stranger(target) as attacker:
        while True:
            with suppress(Exception):
                stream = await attacker.open(sync.PROTOCOL, target.victim)
                await stream.write(os.urandom(16) + len(message).to_bytes(4))
                with trio.move_on_after(0.5):
                    await stream.write(message)
                await stream.reset()
            await trio.sleep(PAUSE)


async def forged_copies(target: Target) -> None:
    """Publishes copies of all records with forged signatures, each time from another origin."""
    async with stranger(target) as attacker:
        line = _Line(attacker, target)
        while True:
            copies = [r[:33] + bytes(64) + r[HEADER_SIZE:] for r in target.records]
            random.shuffle(copies)
            frame = encode_bundle(copies[: attackers.BUNDLE])
            await line.send(publish=[_said(create_new_key_pair(), target, frame)])


PROTOCOL_ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        asks_again,
        made_up_topics,
        forged_messages,
        ignores_windows,
        sham_digests,
        sync_storm,
        forged_copies,
    )
}

ATTACKS: dict[str, Attack] = {**attackers.ATTACKS, **PROTOCOL_ATTACKS}
"""All attacks, by name."""
