"""What a peer makes of the addresses that it hears on the local network."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from swarm.net.discovery.mdns import MAX_HEARD, Mdns

PEER = "12D3KooWPjX8mac8tpwJMghuvRzx9DX9sNomY6a8vkY5zvA4AKqt"


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


def test_a_flood_of_announcements_keeps_nobody_out() -> None:
    """A peer that announces more than is remembered does not hide one that announces later."""
    found: list[str] = []
    mdns = listening(found)
    flood = [f"/ip4/10.0.{n // 250}.{n % 250 + 1}/tcp/7" for n in range(MAX_HEARD + 10)]
    mdns._note(SimpleNamespace(addrs=flood, peer_id=PEER))
    mdns._note(SimpleNamespace(addrs=["/ip4/192.168.1.7/tcp/7"], peer_id=PEER))
    assert len(mdns._heard) == MAX_HEARD
    assert f"/ip4/192.168.1.7/tcp/7/p2p/{PEER}" in mdns._heard
