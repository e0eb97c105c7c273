"""What a peer announces of itself on a network."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from swarm.net.discovery import mdns


def interfaces(**addresses: str) -> dict[str, list[Any]]:
    """Interfaces as psutil lists them, with one IPv4 address each."""
    return {
        name: [SimpleNamespace(family=socket.AF_INET, address=address)]
        for name, address in addresses.items()
    }


@pytest.mark.parametrize("routed", [False, True])
def test_every_network_hears_an_address_that_it_can_dial(
    monkeypatch: pytest.MonkeyPatch, routed: bool
) -> None:
    """Two machines on a cable have no router, or one that leads elsewhere: both are announced."""
    wired, wireless = "10.77.0.1", "192.168.1.7"

    monkeypatch.setattr(mdns, "_routed_address", lambda: [wireless] if routed else [])
    listed = interfaces(lo="127.0.0.1", eth0=wired, wlan0=wireless)
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: listed)
    found = mdns.announceable(["/ip4/0.0.0.0/tcp/7400"])
    assert set(found) == {f"/ip4/{wired}/tcp/7400", f"/ip4/{wireless}/tcp/7400"}
    assert found[0] == (f"/ip4/{wireless}/tcp/7400" if routed else f"/ip4/{wired}/tcp/7400")


def test_a_machine_of_many_networks_announces_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Container hosts have dozens of bridges: nobody is made to dial them all."""
    many = {f"br{n}": f"172.17.{n}.1" for n in range(40)}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: interfaces(**many))
    assert 1 <= len(mdns.announceable(["/ip4/0.0.0.0/tcp/1"])) <= mdns.MAX_OWN


def test_a_machine_without_a_network_announces_itself_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With loopback alone, loopback is what other peers there can dial."""
    monkeypatch.setattr(mdns, "lan_addresses", tuple)
    assert mdns.announceable(["/ip4/0.0.0.0/tcp/1"]) == ("/ip4/127.0.0.1/tcp/1",)
