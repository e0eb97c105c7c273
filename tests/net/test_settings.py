"""Settings are checked before anything opens, in words for the person who wrote them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import Any

import psutil
import pytest
from multiaddr import Multiaddr

from swarm.net.connections.host import (
    build_host,
    check_key,
    check_listen,
    is_loopback,
    parse_address,
    peer_id_in,
)
from swarm.net.errors import NetError, OpenListenError, SettingsError, SilentPeerError
from tests.net.hosts import Member
from tests.net.memory import make

KEY = "ab" * 32


@pytest.mark.parametrize(
    "listen", ["/ip4/0.0.0.0/tcp/0", "/ip4/192.0.2.7/tcp/4001", "/ip6/::/tcp/1"]
)
def test_listening_beyond_this_machine_needs_a_key(listen: str) -> None:
    """Without a key it is refused with three ways out; with one, or on purpose, it is allowed."""
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
    """Of all addresses of one or two hosts, those let through bind loopback and nothing else.

    Fails when an address is judged by what it seems to say, as `/dns4/localhost/tcp/7400` was:
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
    """The IPs on which this process begins to listen when a host is told to use an address."""
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
    """A name is no address of this machine: with a key too, and when all may join."""
    with pytest.raises(SettingsError) as caught:
        Member(listen=(listen,), swarm_key=key)
    assert instead in str(caught.value)
    with pytest.raises(SettingsError):
        check_listen((listen,), key, allow_open=True)


@pytest.mark.parametrize("key", ["", "ab" * 31, "zz" * 32, "ab" * 33])
def test_a_bad_key_is_explained_and_not_repeated(key: str) -> None:
    """The message says what a key is and how to make one, without showing what was given."""
    with pytest.raises(SettingsError, match="openssl rand -hex 32") as caught:
        Member(swarm_key=key)
    assert not key or key not in str(caught.value)


def test_a_key_in_capitals_is_the_same_key() -> None:
    """Hex is hex."""
    assert check_key(KEY.upper()) == KEY


@pytest.mark.parametrize(
    "changes",
    [
        {"peers": ("127.0.0.1:4001",)},
        {"peers": ("/ip4/127.0.0.1/udp/1",)},
        {"peers": ("/ip4/300.0.0.1/tcp/1",)},
        {"listen": ("localhost",)},
        {"listen": ("/tcp/4001",)},
        {"swarm": ""},
        {"swarm": "x" * 65},
    ],
)
def test_what_cannot_be_used_is_named(changes: dict[str, Any]) -> None:
    """The error names the value, and how to write it."""
    with pytest.raises(SettingsError) as caught:
        Member(**changes)
    value = next(iter(changes.values()))
    shown = value[0] if isinstance(value, tuple) else value[:60]
    assert shown in str(caught.value)


def test_addresses_are_read() -> None:
    """Names and numbers, with a peer id or without."""
    assert parse_address("/dns4/host.example/tcp/4001")[1:] == ("host.example", 4001)
    assert parse_address("/ip6/::1/tcp/9/p2p/12D3KooWPjX8mac8tpwJMghuvRzx9DX9sNomY6a8vkY5zvA4AKqt")[
        1:
    ] == ("::1", 9)
    assert peer_id_in("/ip4/127.0.0.1/tcp/1/p2p/abc") == "abc"
    assert peer_id_in("/ip4/127.0.0.1/tcp/1") is None
    assert is_loopback("127.8.9.1")
    assert is_loopback("::1")
    assert not any(map(is_loopback, ("localhost", "host.example", "0.0.0.0", "::", "")))


def test_a_listener_cannot_publish() -> None:
    """Publishing on a peer that only listens is refused at once."""
    with pytest.raises(SilentPeerError, match="only listens"):
        Member(speaks=False).network.publish(make(None, "x"))


def test_only_records_can_be_published() -> None:
    """Bytes of a size that no record has are refused at the door."""
    member = Member()
    for raw in (b"", bytes(96), bytes(64 * 1024 + 1)):
        with pytest.raises(ValueError, match="a record has"):
            member.network.publish(raw)


def test_all_errors_are_one_family() -> None:
    """Who calls the network can catch everything of it by one name."""
    assert issubclass(SettingsError, NetError)
    assert issubclass(SilentPeerError, NetError)


@pytest.mark.parametrize(
    "module",
    [
        "swarm.net",
        "swarm.gossip.protocol",
        "swarm.gossip.reconcile",
        "swarm.net.errors",
        "swarm.gossip.frames",
    ],
)
def test_the_parts_without_a_wire_import_no_libp2p(module: str) -> None:
    """The simulator runs them without paying for libp2p."""
    code = f"import sys, {module}; assert not {{'libp2p', 'trio', 'zeroconf'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
