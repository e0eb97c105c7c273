"""A neighbour with the swarm's key that turned bad, beside one that did not, on real hosts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio.testing
from libp2p.crypto.keys import KeyPair
from libp2p.peer.id import ID
from libp2p.pubsub.pb import rpc_pb2
from libp2p.pubsub.validators import PUBSUB_SIGNING_PREFIX

from swarm.gossip.record_set import AddResult
from swarm.net.pubsub.safe_pubsub import SafePubsub
from tests.net.hosts import TOPIC, Member, Stranger, members, rpc, stranger, until
from tests.net.memory import make

SUBSCRIBE = rpc_pb2.RPC.SubOpts(subscribe=True, topicid=TOPIC)
LEAVE = rpc_pb2.RPC.SubOpts(subscribe=False, topicid=TOPIC)


def signed(keys: KeyPair, number: int, data: bytes, topics: tuple[str, ...] = (TOPIC,)) -> Any:
    """A message as its author signs it."""
    message = rpc_pb2.Message(
        from_id=ID.from_pubkey(keys.public_key).to_bytes(),
        data=data,
        topicIDs=topics,
        seqno=number.to_bytes(8),
    )
    payload = PUBSUB_SIGNING_PREFIX.encode() + message.SerializeToString()
    message.signature = keys.private_key.sign(payload)
    return message


def control(**fields: Any) -> bytes:
    return rpc(control=rpc_pb2.ControlMessage(**fields))


@asynccontextmanager
async def attacked(*raws: bytes) -> AsyncIterator[tuple[Member, Attacker, SafePubsub]]:
    """A victim with an honest neighbour and an attacker, who has subscribed.

    At the end the honest one is still heard.
    """
    victim = Member(*raws, may_ask=False)
    async with members(victim):
        honest = Member(*raws, peers=(victim.address,), may_ask=False)
        async with members(honest), stranger(victim) as attacker:
            pubsub = victim.network._pubsub
            assert pubsub is not None
            bad = Attacker(attacker, await attacker.open(), pubsub)
            await bad.send(rpc(subscriptions=[SUBSCRIBE]))
            await until(5, lambda: victim.linked == 2 and bad.id in pubsub.peer_queues)
            yield victim, bad, pubsub
            raw = make(None, "honest")
            honest.publish(raw)
            await until(10, lambda: (raw, AddResult.NEW) in victim.told)


class Attacker:
    """A stranger with one gossip stream."""

    def __init__(self, host: Stranger, stream: Any, pubsub: SafePubsub) -> None:
        self.open = host.open
        self.host = host.host
        self.id = host.host.get_id()
        self._stream = stream
        self._pubsub = pubsub

    async def send(self, frame: bytes) -> None:
        """Send a frame, and wait until it has arrived and what it called for has left."""
        before = self._pubsub.last_heard.get(self.id)
        await self._stream.write(frame)
        await until(10, lambda: self._pubsub.last_heard.get(self.id) != before)
        await trio.testing.wait_all_tasks_blocked(0.02)
