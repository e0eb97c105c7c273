"""Settings are checked before anything opens, with messages for the person who wrote them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from swarm.net.errors import SettingsError
from swarm.net.settings import check_key
from tests.net.hosts import Member

KEY = "ab" * 32


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
    """The error gives the value, and says how to write it."""
    with pytest.raises(SettingsError) as caught:
        Member(**changes)
    value = next(iter(changes.values()))
    shown = value[0] if isinstance(value, tuple) else value[:60]
    assert shown in str(caught.value)


@pytest.mark.parametrize(
    "module",
    [
        "swarm.net",
        "swarm.gossip.protocol",
        "swarm.gossip.reconcile",
        "swarm.gossip.frames",
        "swarm.net.addresses",
        "swarm.net.errors",
        "swarm.net.settings",
    ],
)
def test_the_parts_without_a_network_import_no_libp2p(module: str) -> None:
    """The simulator runs them without paying for libp2p."""
    heavy = {"libp2p", "multiaddr", "psutil", "trio", "zeroconf"}
    code = f"import sys, {module}; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
