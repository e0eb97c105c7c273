"""Addresses: how they are read, which can be listened on and dialled, and this machine's own."""

from __future__ import annotations

import socket
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from multiaddr import Multiaddr

from swarm.net import addresses
from swarm.net.addresses import (
    announceable,
    any_port,
    check_listen,
    dialable,
    is_local,
    is_loopback,
    parse_address,
    peer_id_in,
    reachable_here,
)
from swarm.net.connections.host import build_host
from swarm.net.errors import NetError, OpenListenError, SettingsError
from tests.net.hosts import Member

KEY = "ab" * 32


@pytest.mark.parametrize(
    "listen", ["/ip4/0.0.0.0/tcp/0", "/ip4/192.0.2.7/tcp/4001", "/ip6/::/tcp/1"]
)
def test_listening_beyond_this_machine_needs_a_key(listen: str) -> None:
    """Without a key it is refused with three ways out; a key or explicit consent allows it."""
    with pytest.raises(OpenListenError, match=r"same swarm key.*127\.0\.0\.1.*allow_open"):
        Member(listen=(listen,))
    check_listen((listen,), KEY, allow_open=False)
    check_listen((listen,), None, allow_open=True)


@pytest.mark.parametrize(
    "listen", ["/ip4/127.0.0.1/tcp/0", "/ip4/127.9.9.9/tcp/1", "/ip6/::1/tcp/1"]
)
def test_loopback_needs_no_key(listen: str) -> None:
    """A demo on one laptop works without any key."""
    check_listen((listen,), None, allow_open=False)


NAMES = ("localhost", "LOCALHOST", "127.0.0.1", "host.example")
HOSTS = (
    *(f"/{kind}/{name}" for kind in ("dns", "dns4", "dns6", "dnsaddr") for name in NAMES),
    *("/ip4/127.0.0.1", "/ip4/127.8.9.1", "/ip4/0.0.0.0", "/ip6/::1", "/ip6/::"),
    *("/ip6/::ffff:127.0.0.1", "/ip6/::ffff:0.0.0.0", "/ip6zone/lo/ip6/::1"),
)
P2P = "/p2p/12D3KooWPjX8mac8tpwJMghuvRzx9DX9sNomY6a8vkY5zvA4AKqt"
TAILS = ("/tcp/0", "/udp/0", "/tcp/0/ws", f"/tcp/0{P2P}", f"/tcp/0{P2P}/p2p-circuit")


@pytest.mark.trio
async def test_what_needs_no_key_opens_no_socket_beyond_this_machine() -> None:
    """Accepted addresses with one or two hosts bind loopback and nothing else.

    Fails when an address is judged by its appearance, as `/dns4/localhost/tcp/7400` was:
    libp2p resolves no names when it listens, and opened it on all networks.
    """
    ends = [end + host + more for end in TAILS for host in HOSTS for more in ("", "/tcp/0")]
    through = []
    for text in (host + end for host in HOSTS for end in (*TAILS, *ends)):
        with suppress(NetError):
            check_listen((text,), None, allow_open=False)
            through.append(text)
    assert {"/ip4/127.0.0.1/tcp/0", "/ip4/127.8.9.1/tcp/0", "/ip6/::1/tcp/0"} <= set(through)
    for text in through:
        assert all(map(is_loopback, await bound_by(text))), text


async def bound_by(listen: str) -> set[str]:
    """Return the IPs on which this process starts to listen when a host uses an address."""
    before = listening()
    async with build_host((listen,), None).run(listen_addrs=[Multiaddr(listen)]):
        return {ip for ip, _ in listening() - before}


def listening() -> set[tuple[str, int]]:
    return {
        (one.laddr.ip, one.laddr.port)
        for one in psutil.Process().net_connections("tcp")
        if one.status == psutil.CONN_LISTEN
    }


@pytest.mark.parametrize(
    ("listen", "instead"),
    [
        ("/dns4/localhost/tcp/7400", "/ip4/127.0.0.1/tcp/7400"),
        ("/dns/localhost/tcp/7400", "/ip4/127.0.0.1/tcp/7400"),
        ("/dns6/localhost/tcp/7400", "/ip6/::1/tcp/7400"),
        ("/dns4/host.example/tcp/7400", "/ip4/0.0.0.0/tcp/7400"),
    ],
)
@pytest.mark.parametrize("key", [None, KEY])
def test_a_name_to_listen_on_is_refused_with_what_to_write(
    listen: str, instead: str, key: str | None
) -> None:
    """A name is not an address of this machine, even with a key or in an open swarm."""
    with pytest.raises(SettingsError) as caught:
        Member(listen=(listen,), swarm_key=key)
    assert instead in str(caught.value)
    with pytest.raises(SettingsError):
        check_listen((listen,), key, allow_open=True)


def test_addresses_are_read() -> None:
    """Names and IPs are read, with a peer id or without."""
    assert parse_address("/dns4/host.example/tcp/4001")[1:] == ("host.example", 4001)
    assert parse_address(f"/ip6/::1/tcp/9{P2P}")[1:] == ("::1", 9)
    assert peer_id_in("/ip4/127.0.0.1/tcp/1/p2p/abc") == "abc"
    assert peer_id_in("/ip4/127.0.0.1/tcp/1") is None
    assert is_loopback("127.8.9.1")
    assert is_loopback("::1")
    assert not any(map(is_loopback, ("localhost", "host.example", "0.0.0.0", "::", "")))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/ip4/0.0.0.0/tcp/7400", "/ip4/0.0.0.0/tcp/0"),
        ("/ip4/0.0.0.0/tcp/7400/p2p/x", "/ip4/0.0.0.0/tcp/0/p2p/x"),
        ("/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/tcp/0"),
        ("/unix/x", "/unix/x"),
    ],
)
def test_a_visitor_never_takes_a_configured_port(address: str, expected: str) -> None:
    """Only the port of a TCP address changes."""
    assert any_port(address) == expected


def test_an_address_of_all_interfaces_becomes_ones_that_can_be_dialled() -> None:
    """0.0.0.0 is replaced; other addresses stay; those beyond this machine come first."""
    told = dialable(["/ip4/0.0.0.0/tcp/7/p2p/x", "/ip4/127.0.0.1/tcp/8/p2p/x", "/dns4/a/tcp/9"])
    assert not any("0.0.0.0" in address for address in told)
    assert "/ip4/127.0.0.1/tcp/7/p2p/x" in told
    assert {"/ip4/127.0.0.1/tcp/8/p2p/x", "/dns4/a/tcp/9"} <= set(told)
    assert [is_local(address) for address in told] == sorted(map(is_local, told))


def interfaces(**addresses: str) -> dict[str, list[Any]]:
    """Return interfaces as psutil lists them, with one IPv4 address each."""
    return {
        name: [SimpleNamespace(family=socket.AF_INET, address=address)]
        for name, address in addresses.items()
    }


@pytest.mark.parametrize("routed", [False, True])
def test_every_network_hears_an_address_that_it_can_dial(
    monkeypatch: pytest.MonkeyPatch, routed: bool
) -> None:
    """All networks are announced: two machines on a cable may have no router between them."""
    wired, wireless = "10.77.0.1", "192.168.1.7"

    monkeypatch.setattr(addresses, "_routed_address", lambda: [wireless] if routed else [])
    listed = interfaces(lo="127.0.0.1", eth0=wired, wlan0=wireless)
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: listed)
    found = announceable(["/ip4/0.0.0.0/tcp/7400"])
    assert set(found) == {f"/ip4/{wired}/tcp/7400", f"/ip4/{wireless}/tcp/7400"}
    assert found[0] == (f"/ip4/{wireless}/tcp/7400" if routed else f"/ip4/{wired}/tcp/7400")


def test_a_machine_of_many_networks_announces_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Container hosts have dozens of bridges; other peers need not dial them all."""
    many = {f"br{n}": f"172.17.{n}.1" for n in range(40)}
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: interfaces(**many))
    assert 1 <= len(announceable(["/ip4/0.0.0.0/tcp/1"])) <= addresses.MAX_OWN


def test_a_machine_without_a_network_announces_itself_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With loopback alone, other peers on the machine can dial loopback."""
    monkeypatch.setattr(addresses, "lan_addresses", tuple)
    assert announceable(["/ip4/0.0.0.0/tcp/1"]) == ("/ip4/127.0.0.1/tcp/1",)


def test_announced_addresses_can_be_dialled() -> None:
    """0.0.0.0 becomes an address of this machine; loopback stays; multicast is refused."""
    here = f"/ip4/127.0.0.1/tcp/1{P2P}"
    (first,) = announceable([f"/ip4/0.0.0.0/tcp/4001{P2P}"])
    assert "0.0.0.0" not in first
    assert first.endswith("/tcp/4001")
    assert announceable([here]) == ("/ip4/127.0.0.1/tcp/1",)
    assert reachable_here(here)
    assert not reachable_here("/ip4/224.0.0.1/tcp/1")
    assert not reachable_here("nonsense")
