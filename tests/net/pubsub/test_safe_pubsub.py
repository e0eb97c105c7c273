"""Each override of libp2p's Pubsub in the module's table, held in place by a test."""

from __future__ import annotations

import time

import pytest
import trio
from libp2p.pubsub.pb import rpc_pb2
from libp2p.utils.varint import encode_varint_prefixed, read_varint_prefixed_bytes_limited

from swarm.net.pubsub.safe_pubsub import SUBSCRIPTION_CHANNEL, _Buffered
from tests.net.hosts import TOPIC, Member, members, message, until
from tests.net.memory import make

pytestmark = pytest.mark.trio


class Trickling:
    """A stream that returns what it has, as yamux does, and counts the reads."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads = 0

    async def read(self, n: int) -> bytes:
        self.reads += 1
        taken, self.data = self.data[:n], self.data[n:]
        await trio.lowlevel.checkpoint()
        return taken


async def test_frames_are_read_in_chunks() -> None:
    """A hundred small frames take a few reads, not one for each byte."""
    payloads = [bytes([i]) * (i + 1) for i in range(100)]
    stream = Trickling(b"".join(encode_varint_prefixed(p) for p in payloads))
    reader = _Buffered(stream)
    assert [await read_varint_prefixed_bytes_limited(reader, 1_000) for _ in payloads] == payloads
    assert stream.reads <= 2


async def test_a_restarted_peer_does_not_look_old() -> None:
    """Sequence numbers begin at the nanosecond, above anything an earlier run can have used."""
    a = Member()
    async with members(a):
        pubsub = a.network._pubsub
        assert pubsub is not None
        assert abs(pubsub.counter - time.time_ns()) < 60e9


async def test_a_burst_is_not_dropped_on_the_way_in() -> None:
    """More than libp2p's 32 messages can wait, and their delivery times are forgotten."""
    a = Member(may_ask=False)
    async with members(a):
        pubsub = a.network._pubsub
        assert pubsub is not None
        state = pubsub.subscribed_topics_send[TOPIC].statistics()
        assert state.max_buffer_size == SUBSCRIPTION_CHANNEL
        for i in range(300):
            pubsub.notify_subscriptions(message(data=b"%d" % i, from_id=b"x"))
        await until(5, lambda: a.network.counters().messages_received == 300)
        a.publish(make(None, "x"))
        await until(5, lambda: a.network.counters().messages_published)
        assert not pubsub.router.recent_message_deliveries


async def test_large_frames_written_at_once_stay_whole() -> None:
    """Several tasks write to one stream; without the lock the other side could not parse it."""
    a = Member(may_ask=False)
    async with members(a):
        b = Member(peers=(a.address,), may_ask=False)
        async with members(b):
            mine, theirs = a.network._pubsub, b.network._pubsub
            assert mine is not None
            assert theirs is not None
            # Linked is who has subscribed, with its stream to us; ours to it may open later.
            await until(5, lambda: a.linked and mine.peers)
            ((_, stream),) = mine.peers.items()
            frames = [
                rpc_pb2.RPC(publish=[message(data=bytes([i]) * 700_000, topicIDs=["elsewhere"])])
                for i in range(6)
            ]
            async with trio.open_nursery() as nursery:
                for frame in frames:
                    nursery.start_soon(mine.write_msg, stream, frame)
            a.publish(make(None, "x"))
            await until(5, lambda: len(b.records) == 1)
            assert theirs.bad_frames == 0
            assert a.linked


async def test_announcing_keeps_the_mesh() -> None:
    """The neighbour sees a new subscriber, and no message between us is lost."""
    a = Member(may_ask=False)
    async with members(a):
        b = Member(peers=(a.address,), may_ask=False, speaks=False)
        async with members(b):
            await until(5, lambda: a.linked and a.newcomers == 1)
            pubsub = b.network._pubsub
            assert pubsub is not None
            await until(30, lambda: bool(pubsub.router.mesh.get(TOPIC)))
            mesh = set(pubsub.router.mesh[TOPIC])
            gossip = a.network._gossip
            assert gossip is not None
            repair = gossip._repair
            assert repair is not None
            # Served, and forgotten: else announcing again so soon would not count as new.
            await until(5, lambda: not repair._plans)
            repair._newcomers.clear()
            await pubsub.announce()
            await until(5, lambda: a.newcomers == 2)
            assert pubsub.router.mesh[TOPIC] == mesh
            a.publish(make(None, "x"))
            await until(2, lambda: len(b.records) == 1)
            assert pubsub.published == 0
