"""What a peer makes of the addresses that it hears on the local network."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from swarm.net.discovery import mdns
from swarm.net.discovery.mdns import Mdns
from tests.net.connections.test_manager import peer

PEER = peer("x")


def listening(found: list[str]) -> Mdns:
    """Return an mDNS listener that has not been started; it reports to a list."""
    host: Any = SimpleNamespace(get_network=lambda: None)
    return Mdns(host, "realm", ("/ip4/127.0.0.1/tcp/1",), found.append)


def test_heard_addresses_are_reported_with_their_peer() -> None:
    """An announced address is passed on with one peer id; one that cannot be dialled is dropped."""
    found: list[str] = []
    said = [f"/ip4/192.168.1.7/tcp/7/p2p/{PEER}", "/ip4/224.0.0.1/tcp/7", "nonsense"]
    listening(found)._note(SimpleNamespace(addrs=said, peer_id=PEER))
    assert found == [f"/ip4/192.168.1.7/tcp/7/p2p/{PEER}"]


def test_a_flood_of_announcements_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that announces more than is remembered does not hide one that announces later."""
    monkeypatch.setattr(mdns, "MAX_HEARD", 10)
    found: list[str] = []
    subject = listening(found)
    for n in range(100):
        flood = [f"/ip4/192.0.2.1/tcp/{n + 1}"]
        subject._note(SimpleNamespace(addrs=flood, peer_id=peer(f"liar{n}")))
    subject._note(SimpleNamespace(addrs=["/ip4/192.0.2.2/tcp/1"], peer_id=peer("honest")))
    honest = f"/ip4/192.0.2.2/tcp/1/p2p/{peer('honest')}"
    assert found[-1] == honest
    assert honest in subject._heard
    assert len(subject._heard) == 10
