"""Each setting and override of libp2p's gossip that the module's table names, held in place."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
import trio
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2
from libp2p.utils.varint import encode_varint_prefixed, read_varint_prefixed_bytes_limited

from swarm.gossip.record_set import AddResult
from swarm.net.connections.host import MAX_CONNECTIONS, dial
from swarm.net.discovery import peer_exchange
from swarm.net.errors import DialError
from swarm.net.pubsub.safe_pubsub import SUBSCRIPTION_CHANNEL, SafePubsub, _Buffered, build_router
from swarm.net.streams import Messages
from swarm.net.timers import NEAR_SECONDS
from tests.net.hosts import TOPIC, Member, members, message, stranger, until
from tests.net.memory import make

pytestmark = pytest.mark.trio


class Trickling:
    """A stream that gives what it has, as yamux does, and counts the reads."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads = 0

    async def read(self, n: int) -> bytes:
        self.reads += 1
        taken, self.data = self.data[:n], self.data[n:]
        await trio.lowlevel.checkpoint()
        return taken


async def test_frames_are_read_in_chunks() -> None:
    """A hundred small frames take a few reads, not one a byte."""
    payloads = [bytes([i]) * (i + 1) for i in range(100)]
    stream = Trickling(b"".join(encode_varint_prefixed(p) for p in payloads))
    reader = _Buffered(stream)
    assert [await read_varint_prefixed_bytes_limited(reader, 1_000) for _ in payloads] == payloads
    assert stream.reads <= 2


async def test_the_router_is_set_as_measured() -> None:
    """The settings that delivered everything are the ones in use."""
    router = build_router()
    assert router.get_protocols() == [PROTOCOL_ID_V11]
    assert 0 < router.heartbeat_interval < 1 + NEAR_SECONDS
    assert router.degree_low >= MAX_CONNECTIONS
    assert router.degree_high > MAX_CONNECTIONS
    assert not router.spam_protection_enabled
    assert not router.adaptive_gossip_enabled
    assert not router.eclipse_protection_enabled


async def test_a_restarted_peer_does_not_look_old() -> None:
    """Sequence numbers begin at the nanosecond, above anything an earlier run can have used."""
    a = Member()
    async with members(a):
        pubsub = a.network._pubsub
        assert pubsub is not None
        assert abs(pubsub.counter - time.time_ns()) < 60e9


async def test_a_burst_is_not_dropped_on_the_way_in() -> None:
    """More messages than libp2p's 32 wait for us without loss, and leave no traces of time."""
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
    """Several tasks write to one stream; without the lock the other side cannot parse it."""
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
    """To the neighbour we are a new subscriber; between us no message is lost."""
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


async def test_neighbours_introduce_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two peers that know only a third are linked too, and stay so when it goes."""
    hub = Member()
    b, c = Member(), Member()
    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def run_hub(task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
            with scope:
                await hub.network.run(task_status=task_status)

        await nursery.start(run_hub)
        b, c = Member(peers=(hub.address,)), Member(peers=(hub.address,))
        async with members(b, c):
            await until(10, lambda: b.linked == 2 and c.linked == 2)
            scope.cancel()
            await until(10, lambda: b.linked == 1 and c.linked == 1)
            b.publish(make(None, "x"))
            await until(5, lambda: len(c.records) == 1)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[", b'["/ip4/127.0.0.1"]', b"[1, null]", b'["nonsense/p2p/x"]', b"\xff"]
)
async def test_nonsense_in_the_exchange_changes_nothing(data: bytes) -> None:
    """What is no list of addresses is dropped, and the peer goes on answering."""
    a = Member()
    async with members(a), stranger(a) as attacker:
        stream = await attacker.open(peer_exchange.PROTOCOL)
        await Messages(stream, 100).send(data)
        again = await attacker.open(peer_exchange.PROTOCOL)
        messages = Messages(again, 10_000)
        await messages.send(b"[]")
        assert await messages.message() == b"[]"
        assert a.network._links is not None
        assert not a.network._links._candidates


async def connect(member: Member, other: Member) -> None:
    """Dial until it succeeds: on a starved machine a handshake may run out of time."""
    host = member.network._pubsub.host  # type: ignore[union-attr]
    with trio.fail_after(60):
        while True:
            with suppress(DialError):
                await dial(host, other.address, None, 10)
                return


async def test_nobody_is_told_twice_where_all_know_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Among four that are all connected each message crosses three wires, not nine."""
    group = [Member(may_ask=False) for _ in range(4)]
    copies: list[bytes] = []
    handle = SafePubsub.push_msg

    async def count(self: SafePubsub, forwarder: Any, message: Any) -> None:
        if forwarder != self.my_id:
            copies.append(message.data)
        await handle(self, forwarder, message)

    monkeypatch.setattr(SafePubsub, "push_msg", count)
    async with members(*group, link=False):
        for i, member in enumerate(group):
            for other in group[:i]:
                await connect(member, other)
        meshes = [m.network._pubsub.router.mesh for m in group]  # type: ignore[union-attr]
        await until(30, lambda: all(len(mesh.get(TOPIC, ())) == 3 for mesh in meshes))
        copies.clear()
        raw = make(None, "x")
        group[0].publish(raw)
        await until(10, lambda: all((raw, AddResult.NEW) in m.told for m in group[1:]))
        await trio.sleep(0.5)  # a second copy would come right behind the first
        assert len([data for data in copies if raw in data]) == 3


async def test_whoever_was_not_told_is_told_by_others() -> None:
    """In a chain of three the one in the middle forwards, whatever list the first one sent."""
    first, middle, last = (Member(may_ask=False) for _ in range(3))
    async with members(first, middle, last, link=False):
        for end in (first, last):
            await connect(end, middle)
        mesh = middle.network._pubsub.router.mesh  # type: ignore[union-attr]
        await until(30, lambda: len(mesh.get(TOPIC, ())) == 2)
        raw = make(None, "x")
        first.publish(raw)
        await until(10, lambda: (raw, AddResult.NEW) in last.told)
