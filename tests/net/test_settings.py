"""Settings are checked before anything opens, in words for the person who wrote them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from swarm.net.errors import NetError, OpenListenError, SettingsError, SilentPeerError
from swarm.net.host import check_key, check_listen, is_loopback, parse_address, peer_id_in
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
    assert is_loopback("localhost")
    assert not is_loopback("host.example")


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
        "swarm.net.gossip",
        "swarm.net.reconcile",
        "swarm.net.errors",
        "swarm.net.frames",
    ],
)
def test_the_parts_without_a_wire_import_no_libp2p(module: str) -> None:
    """The simulator runs them without paying for libp2p."""
    code = f"import sys, {module}; assert not {{'libp2p', 'trio', 'zeroconf'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
