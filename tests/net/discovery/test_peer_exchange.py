"""What neighbours tell of addresses: a little at a time, and only what can be dialled."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11
from libp2p.pubsub.pb import rpc_pb2

from swarm.net.addresses import MAX_OWN
from swarm.net.connections.candidates import MAX_OF_ONE
from swarm.net.discovery import mdns, peer_exchange
from swarm.net.discovery.mdns import Mdns
from swarm.net.discovery.peer_exchange import BURST
from swarm.net.streams import Messages, peer_id_of
from tests.net.connections.test_manager import peer
from tests.net.hosts import TOPIC, Member, Stranger, members, rpc, stranger, until

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


async def test_who_asks_without_end_is_answered_a_few_times_and_fills_nothing() -> None:
    """Each neighbour has its share, and takes the room of one peer, whatever it says of itself."""
    victim = Member()
    async with members(victim), stranger(victim) as greedy, stranger(victim) as modest:
        await enter(greedy)
        answers = 0
        for n in range(30):
            own = [f"/ip4/127.0.0.{i}/tcp/{n + 1}/p2p/{greedy.peer_id}" for i in range(1, 9)]
            answers += await ask(greedy, *own) is not None
        links = victim.network._links
        assert links is not None
        assert 1 <= answers <= BURST + 1
        assert len(links._candidates) <= MAX_OF_ONE <= MAX_OWN
        await enter(modest)
        assert await ask(modest, f"/ip4/127.0.0.1/tcp/1/p2p/{modest.peer_id}") is not None
        await until(5, lambda: links._candidates.of_peer(modest.peer_id))


@pytest.mark.parametrize(
    "text", ["/dns4/localhost/tcp/1", "/dns/somebody.example/tcp/1", "/ip4/127.0.0.1/udp/1", "/x"]
)
async def test_only_ips_are_believed(text: str) -> None:
    """Peers listen on IPs: a name would have everybody look up and dial what a stranger likes."""
    victim = Member()
    async with members(victim), stranger(victim) as liar:
        await enter(liar)
        assert await ask(liar, f"{text}/p2p/{liar.peer_id}", "") == b"[]"
        links = victim.network._links
        assert links is not None
        assert len(links._candidates) == 0


async def test_who_announces_most_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the local network too, what is heard last is remembered."""
    monkeypatch.setattr(mdns, "MAX_HEARD", 10)
    found: list[str] = []
    host: Any = SimpleNamespace(get_network=lambda: None)
    subject = Mdns(host, "realm", ("/ip4/127.0.0.1/tcp/1",), found.append)
    for n in range(100):
        liar = SimpleNamespace(addrs=[f"/ip4/192.0.2.1/tcp/{n + 1}"], peer_id=peer(f"liar{n}"))
        subject._note(liar)
    subject._note(SimpleNamespace(addrs=["/ip4/192.0.2.2/tcp/1"], peer_id=peer("honest")))
    honest = f"/ip4/192.0.2.2/tcp/1/p2p/{peer('honest')}"
    assert found[-1] == honest
    assert honest in subject._heard
    assert len(subject._heard) == 10
