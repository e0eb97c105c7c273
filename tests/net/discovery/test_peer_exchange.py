"""Addresses that neighbours name: few at a time, and only those that can be dialled."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2

from swarm.net.addresses import MAX_OWN
from swarm.net.connections.candidates import MAX_OF_ONE
from swarm.net.discovery import peer_exchange
from swarm.net.discovery.peer_exchange import BURST
from swarm.net.streams import Messages, peer_id_of
from tests.net.hosts import TOPIC, Member, Stranger, members, rpc, stranger, until
from tests.net.memory import make

pytestmark = pytest.mark.trio


async def ask(one: Stranger, *addresses: str) -> bytes | None:
    """One exchange as the side that asks; None if it is refused."""
    victim = peer_id_of(one.victim.network.peer_id)
    stream = await one.host.new_stream(victim, [peer_exchange.PROTOCOL])
    messages = Messages(stream, peer_exchange.MAX_MESSAGE)
    try:
        await messages.send(json.dumps(addresses).encode())
        return await messages.message()
    except Exception:
        return None
    finally:
        await stream.reset()


async def enter(one: Stranger) -> None:
    """Become a neighbour that listens to the topic."""
    stream = await one.open(PROTOCOL_ID_V11)
    hello = rpc_pb2.RPC.SubOpts(subscribe=True, topicid=TOPIC)
    await stream.write(rpc(subscriptions=[hello]))
    await until(5, lambda: one.peer_id in one.victim.network.connected())


async def test_a_peer_that_asks_without_end_is_answered_a_few_times() -> None:
    """Each neighbour has its share, and takes the room of one peer, whatever it says of itself."""
    victim = Member()
    async with members(victim), stranger(victim) as greedy, stranger(victim) as modest:
        await enter(greedy)
        answers = 0
        for n in range(30):
            own = [f"/ip4/127.0.0.{i}/tcp/{n + 1}/p2p/{greedy.peer_id}" for i in range(1, 9)]
            answers += await ask(greedy, *own) is not None
        connections = victim.network._connections
        assert connections is not None
        assert 1 <= answers <= BURST + 1
        assert len(connections._candidates) <= MAX_OF_ONE <= MAX_OWN
        await enter(modest)
        assert await ask(modest, f"/ip4/127.0.0.1/tcp/1/p2p/{modest.peer_id}") is not None
        await until(5, lambda: connections._candidates.of_peer(modest.peer_id))


@pytest.mark.parametrize(
    "text", ["/dns4/localhost/tcp/1", "/dns/somebody.example/tcp/1", "/ip4/127.0.0.1/udp/1", "/x"]
)
async def test_only_ips_are_believed(text: str) -> None:
    """Peers listen on IPs: a name would make every peer look up and dial what a stranger likes."""
    victim = Member()
    async with members(victim), stranger(victim) as liar:
        await enter(liar)
        assert await ask(liar, f"{text}/p2p/{liar.peer_id}", "") == b"[]"
        connections = victim.network._connections
        assert connections is not None
        assert len(connections._candidates) == 0


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
async def test_a_malformed_peer_exchange_changes_nothing(data: bytes) -> None:
    """A message that is not a list of addresses is dropped, and the peer goes on answering."""
    a = Member()
    async with members(a), stranger(a) as attacker:
        stream = await attacker.open(peer_exchange.PROTOCOL)
        await Messages(stream, 100).send(data)
        again = await attacker.open(peer_exchange.PROTOCOL)
        messages = Messages(again, 10_000)
        await messages.send(b"[]")
        assert await messages.message() == b"[]"
        assert a.network._connections is not None
        assert not a.network._connections._candidates
