"""Real networks in one process, and a stranger that writes whatever it likes."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import trio
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2
from libp2p.utils.varint import encode_varint_prefixed
from multiaddr import Multiaddr

from swarm.gossip.record_set import AddResult
from swarm.net.connections.host import build_host, dial, hang_up
from swarm.net.network import NetSettings, Network
from swarm.net.streams import peer_id_of
from tests.net.memory import MemoryRecords

TOPIC = "/leaderless/1/test"


def wall() -> int:
    return time.time_ns() // 1_000_000


class Member:
    """A network with its records and what its callbacks reported."""

    def __init__(self, *raws: bytes, **settings: Any) -> None:
        self.records = MemoryRecords(*raws)
        self.told: list[tuple[bytes, AddResult]] = []
        self.newcomers = 0
        self.network = Network(
            NetSettings(**{"swarm": "test", "mdns": False, **settings}),
            self.records,
            now=wall,
            on_record=lambda raw, outcome: self.told.append((raw, outcome)),
            on_newcomer=self._newcomer,
            rng=random.Random(),
        )

    def _newcomer(self) -> None:
        self.newcomers += 1

    def publish(self, *raws: bytes) -> None:
        for raw in raws:
            self.records.add(raw, wall())
            self.network.publish(raw)

    def new(self) -> list[bytes]:
        """The records that arrived and were new, in order."""
        return [raw for raw, outcome in self.told if outcome is AddResult.NEW]

    @property
    def address(self) -> str:
        return self.network.addresses[0]

    @property
    def linked(self) -> int:
        return sum(n.subscribed for n in self.network.neighbours())


STARVED = 5
"""How many times as long everything may take on a machine whose cores are all taken."""


async def until(limit_seconds: float, what: Callable[[], object]) -> None:
    """Wait until something is true, or fail; the limit is for a machine with a core to spare."""
    with anyio.move_on_after(STARVED * limit_seconds):
        while not what():  # noqa: ASYNC110  # what is waited for signals nobody
            await trio.sleep(0.01)
        return
    raise AssertionError(f"not within {limit_seconds} s")


@asynccontextmanager
async def members(*members: Member, link: bool = True) -> AsyncIterator[None]:
    """Run these networks; with `link`, wait until each has a neighbour."""
    async with trio.open_nursery() as nursery:
        for member in members:
            await nursery.start(member.network.run)
        if link and len(members) > 1:
            await until(10, lambda: all(m.linked for m in members))
        yield
        nursery.cancel_scope.cancel()


class Stranger:
    """A libp2p host that speaks the gossip protocol by hand."""

    def __init__(self, host: Any, victim: Member) -> None:
        self.host = host
        self.victim = victim

    @property
    def peer_id(self) -> str:
        return str(self.host.get_id())

    async def connect(self) -> None:
        await dial(self.host, self.victim.address, None, 5)

    async def open(self, protocol: str = PROTOCOL_ID_V11) -> Any:
        await self.connect()
        return await self.host.new_stream(peer_id_of(self.victim.network.peer_id), [protocol])

    async def send(self, *frames: bytes) -> None:
        stream = await self.open()
        for frame in frames:
            await stream.write(frame)

    async def again(self, frame: bytes) -> None:
        """Send a frame once more, even after being disconnected."""
        for _ in range(100):
            try:
                await self.send(frame)
            except Exception:
                await trio.sleep(0.02)
            else:
                return


@asynccontextmanager
async def stranger(victim: Member) -> AsyncIterator[Stranger]:
    listen = "/ip4/127.0.0.1/tcp/0"
    host = build_host((listen,), None)

    async def sink(stream: Any) -> None:
        while await stream.read(65536):
            pass

    host.set_stream_handler(PROTOCOL_ID_V11, sink)
    async with host.run(listen_addrs=[Multiaddr(listen)]):
        try:
            yield Stranger(host, victim)
        finally:
            await hang_up(host)


def rpc(**fields: Any) -> bytes:
    """A gossip frame as it stands on a stream."""
    return bytes(encode_varint_prefixed(rpc_pb2.RPC(**fields).SerializeToString()))


def message(**fields: Any) -> Any:
    return rpc_pb2.Message(**{"topicIDs": [TOPIC], "data": b"x", "seqno": bytes(8), **fields})
