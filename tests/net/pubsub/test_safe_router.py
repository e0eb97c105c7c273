"""The settings and overrides of libp2p's router, each held in place by a test."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import trio
from libp2p.pubsub.gossipsub import PROTOCOL_ID_V11

from swarm.gossip.record_set import AddResult
from swarm.net.connections.host import MAX_CONNECTIONS, dial
from swarm.net.errors import DialError
from swarm.net.pubsub.safe_pubsub import SafePubsub
from swarm.net.pubsub.safe_router import build_router
from swarm.net.timers import NEAR_SECONDS
from tests.net.hosts import TOPIC, Member, members, until
from tests.net.memory import make

pytestmark = pytest.mark.trio


async def test_the_router_is_set_as_measured() -> None:
    """The settings in use are those that delivered every message."""
    router = build_router()
    assert router.get_protocols() == [PROTOCOL_ID_V11]
    assert 0 < router.heartbeat_interval < 1 + NEAR_SECONDS
    assert router.degree_low >= MAX_CONNECTIONS
    assert router.degree_high > MAX_CONNECTIONS
    assert not router.spam_protection_enabled
    assert not router.adaptive_gossip_enabled
    assert not router.eclipse_protection_enabled


async def connect(member: Member, other: Member) -> None:
    """Dial until it succeeds: on a starved machine a handshake may run out of time."""
    host = member.network._pubsub.host  # type: ignore[union-attr]
    with trio.fail_after(60):
        while True:
            with suppress(DialError):
                await dial(host, other.address, None, 10)
                return


async def test_no_peer_gets_a_message_twice_where_all_are_connected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Among four peers that are all connected, each message is sent three times, not nine."""
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


async def test_a_message_is_forwarded_to_peers_that_the_origin_does_not_reach() -> None:
    """In a chain of three, the middle peer forwards to the last, which is not listed."""
    first, middle, last = (Member(may_ask=False) for _ in range(3))
    async with members(first, middle, last, link=False):
        for end in (first, last):
            await connect(end, middle)
        mesh = middle.network._pubsub.router.mesh  # type: ignore[union-attr]
        await until(30, lambda: len(mesh.get(TOPIC, ())) == 2)
        raw = make(None, "x")
        first.publish(raw)
        await until(10, lambda: (raw, AddResult.NEW) in last.told)
