"""Multiaddresses: what they say, which can be dialled or listened on, and what this machine's are.

This is the only file that takes addresses apart. Commands read addresses too and must start fast,
so importing it is cheap: multiaddr (28 ms) and psutil are imported by the functions that need them.

Two readers live here. `parse_address` accepts every TCP multiaddress that the network can dial, and
raises errors that say what to write. `is_address` and its relatives accept only the plain form that
people paste and invites carry, and never import anything.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from swarm.net.errors import OpenListenError, SettingsError

if TYPE_CHECKING:
    from multiaddr import Multiaddr

MAX_PORT = 65_535
"""The highest TCP port."""

MAX_ADDRESS = 256
"""Characters of an address that nobody configured; one with IPv6 and a peer id has about 110."""

MAX_OWN = 4
"""Addresses a peer gives for itself; machines with container networks have dozens."""

_PLAIN = re.compile(
    r"/(?P<kind>ip4|ip6|dns[46]?)/(?P<host>[A-Za-z0-9._:-]{1,253})"
    r"/tcp/(?P<port>[0-9]{1,5})(?:/p2p/[A-Za-z0-9]{1,128})?"
)
_WILDCARDS = {"0.0.0.0": socket.AF_INET, "::": socket.AF_INET6}  # noqa: S104  # compared, never bound
_LOOPBACK = ("/ip4/127.", "/ip6/::1/")


def parse_address(text: str) -> tuple[Multiaddr, str, int]:
    """Split a TCP multiaddress into itself, the host to connect to and the port.

    Raises:
        SettingsError: it is not an address of a form that this network speaks.
    """
    from multiaddr import Multiaddr

    try:
        address = Multiaddr(text)
        parts = {p.name: address.value_for_protocol(p.code) for p in address.protocols()}
        port = int(parts["tcp"])
    except Exception as error:
        # multiaddr raises its own errors and those of what it is made of.
        raise SettingsError(
            f"{text!r} is not the address of a peer. Write it as /ip4/192.0.2.7/tcp/4001 or "
            "/dns4/host.example/tcp/4001, with or without /p2p/PEER-ID at the end."
        ) from error
    for name in ("ip4", "ip6", "dns4", "dns6", "dns"):
        if name in parts:
            return address, str(parts[name]), port
    raise SettingsError(
        f"{text!r} does not name a host; write /ip4/…, /ip6/… or /dns4/… before /tcp/…."
    )


def is_usable(text: str) -> bool:
    """Return whether `parse_address` accepts an address."""
    try:
        parse_address(text)
    except SettingsError:
        return False
    return True


def is_plain(text: str) -> bool:
    """Return whether a text has the form of a multiaddress, whatever its port and host are."""
    return _PLAIN.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Return whether a text is a peer's multiaddress: a host, a TCP port, perhaps a peer id."""
    found = _PLAIN.fullmatch(text)
    if found is None or int(found["port"]) > MAX_PORT:
        return False
    kind, host = found["kind"], found["host"]
    try:
        return kind.startswith("dns") or bool(ip_address(host).version == int(kind[-1]))
    except ValueError:
        return False


def is_dialable(text: str) -> bool:
    """Return whether a multiaddress can be dialled: it names one host and a port other than 0."""
    found = _PLAIN.fullmatch(text) if is_address(text) else None
    if found is None or int(found["port"]) == 0:
        return False
    return found["kind"].startswith("dns") or not ip_address(found["host"]).is_unspecified


def is_listenable(text: str) -> bool:
    """Return whether a peer can listen on a multiaddress: it names an IP, perhaps a wildcard."""
    return is_address(text) and not text.startswith("/dns")


def peer_id_in(text: str) -> str | None:
    """Return the peer id at the end of an address, or None."""
    _, _, peer_id = text.partition("/p2p/")
    return peer_id or None


def without_peer_id(text: str) -> str:
    """Return an address without the peer id at its end."""
    return text.partition("/p2p/")[0]


def any_port(address: str) -> str:
    """Return a TCP multiaddress with port 0, which lets the system choose a free port."""
    head, tcp, rest = address.partition("/tcp/")
    return f"{head}{tcp}0{''.join(rest.partition('/')[1:])}" if tcp else address


def is_loopback(host: str) -> bool:
    """Return whether a host is an IP that only this machine can reach.

    A name never is, not even localhost.
    """
    return is_ip(host) and ip_address(host).is_loopback


def is_local(address: str) -> bool:
    """Return whether a multiaddress can be dialled from this machine only."""
    return address.startswith(_LOOPBACK)


def is_ip(host: str) -> bool:
    """Return whether a host is an IP, rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def reachable_here(text: str) -> bool:
    """Return whether an address that somebody announced may be dialled from here.

    Loopback addresses are accepted: peers of one machine announce them. Dialling another machine's
    finds no peer, which costs a refused connection.
    """
    with suppress(Exception):
        _, host, _ = parse_address(text)
        return is_loopback(host) or not ip_address(host).is_multicast
    return False


def check_listen(addresses: tuple[str, ...], key: str | None, *, allow_open: bool) -> None:
    """Refuse to open an unprotected peer to the network by accident.

    Raises:
        OpenListenError: an address is reachable from other machines and there is no swarm key.
        SettingsError: an address cannot be listened on, with a key or without.
    """
    for text in addresses:
        host = _listen_host(text)
        if key is None and not allow_open and not is_loopback(host):
            raise OpenListenError(
                f"{text} can be reached from other machines, and this swarm has no key: anyone "
                "there could join it and read every goal. Give all its peers the same swarm key "
                "(openssl rand -hex 32), or listen on 127.0.0.1, or say explicitly that the swarm "
                "is open (allow_open)."
            )


def _listen_host(text: str) -> str:
    """Return the IP of an address to listen on.

    libp2p takes what it needs from an address and ignores the rest: where it finds no IP, as in one
    that begins with a name, it listens on all networks. So only the plain form is accepted.

    Raises:
        SettingsError: it has another form; the message says what to write.
    """
    address, host, port = parse_address(text)
    if not is_ip(host):
        here = "/ip6/::1" if address.protocols()[0].name == "dns6" else "/ip4/127.0.0.1"
        raise SettingsError(
            f"{text} names a host, but a peer can listen only on an IP of its machine. Write "
            f"{here}/tcp/{port} for this machine alone, or /ip4/0.0.0.0/tcp/{port} for all its "
            "networks (with a swarm key)."
        )
    form = [protocol.name for protocol in address.protocols()]
    if form[:2] not in (["ip4", "tcp"], ["ip6", "tcp"]) or form[2:] not in ([], ["p2p"]):
        raise SettingsError(
            f"{text} is not an address to listen on. Write an IP of this machine and a port, and "
            f"nothing else: /ip4/127.0.0.1/tcp/{port}"
        )
    return host


def dialable(addresses: Iterable[str]) -> list[str]:
    """Return the addresses under which others can dial, those beyond this machine first.

    Args:
        addresses: where a peer listens; "all interfaces" becomes one address for each interface.
    """
    found: list[str] = []
    for address in addresses:
        for wildcard, family in _WILDCARDS.items():
            kind = "ip4" if family == socket.AF_INET else "ip6"
            if address.startswith(start := f"/{kind}/{wildcard}/"):
                rest = address.removeprefix(start)
                hosts = _interface_ips(family) or ["127.0.0.1" if kind == "ip4" else "::1"]
                found += [f"/{kind}/{host}/{rest}" for host in hosts]
                break
        else:
            found.append(address)
    return sorted(dict.fromkeys(found), key=is_local)


def announceable(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses a peer announces to others, without its peer id.

    A wildcard becomes this machine's addresses on its networks (`lan_addresses`).
    """
    result = []
    for text in addresses:
        _, host, port = parse_address(text)
        if host not in _WILDCARDS:
            result.append(without_peer_id(text))
        else:
            mine = lan_addresses() or ("127.0.0.1",)
            result += [f"/ip4/{address}/tcp/{port}" for address in mine]
    return tuple(dict.fromkeys(result))


def lan_addresses() -> tuple[str, ...]:
    """Return this machine's IPv4 addresses on its networks, the default route's first.

    All of them, up to `MAX_OWN`, because the network that the other peers are on may not be the one
    with a router: two laptops joined by a cable have none, or one that leads elsewhere.
    """
    others = sorted(ip for ip in _interface_ips(socket.AF_INET) if not is_loopback(ip))
    return tuple(dict.fromkeys([*_routed_address(), *others]))[:MAX_OWN]


def _routed_address() -> list[str]:
    """Return the address of the default route, or nothing without one. Sends nothing."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return [str(probe.getsockname()[0])]
    return []


def _interface_ips(family: socket.AddressFamily) -> list[str]:
    """Return the IPs of this machine's interfaces, loopback included."""
    import psutil

    return [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        # A link-local IPv6 address means nothing without its interface.
        if entry.family == family and "%" not in entry.address
    ]
