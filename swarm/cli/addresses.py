"""Multiaddresses as people hand them on: those of every interface instead of 0.0.0.0."""

from __future__ import annotations

import socket
from collections.abc import Iterable

WILDCARDS = {"/ip4/0.0.0.0/": socket.AF_INET, "/ip6/::/": socket.AF_INET6}
LOOPBACK = ("/ip4/127.", "/ip6/::1/")


def dialable(addresses: Iterable[str]) -> list[str]:
    """Return addresses that can be dialled, those beyond this machine first.

    Args:
        addresses: where a peer listens; "all interfaces" becomes one address for each.
    """
    found: list[str] = []
    for address in addresses:
        for wildcard, family in WILDCARDS.items():
            if address.startswith(wildcard):
                rest = address.removeprefix(wildcard)
                kind = wildcard.split("/")[1]
                found += [f"/{kind}/{host}/{rest}" for host in _hosts(family)]
                break
        else:
            found.append(address)
    return sorted(dict.fromkeys(found), key=is_loopback)


def is_loopback(address: str) -> bool:
    """Return whether an address can be dialled from this machine only."""
    return address.startswith(LOOPBACK)


def _hosts(family: socket.AddressFamily) -> list[str]:
    import psutil

    hosts = [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        # A link-local address means nothing without its interface.
        if entry.family == family and "%" not in entry.address
    ]
    return hosts or (["127.0.0.1"] if family == socket.AF_INET else ["::1"])
