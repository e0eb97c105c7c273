"""The address of a model server as people write it, read into its parts or refused with a reason.

The rules are Ollama's for `OLLAMA_HOST`: a scheme and a port may be missing, and an address without
a scheme means port 11434. Unlike there, nothing is replaced silently: a port that does not exist is
an error. User and password are kept apart, so that no message, log or URL repeats them.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import httpx

from swarm.llm.errors import ServerUnusable, printable

DEFAULT_PORT = 11434
"""Ollama's port, for an address without a scheme and port."""

DEFAULT_URL = f"http://127.0.0.1:{DEFAULT_PORT}"
"""Where Ollama listens by default."""

SCHEME_PORTS = {"http": 80, "https": 443}
"""The schemes that can be used, and the port of an address that has a scheme but no port."""

ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  replaced, never listened on
"""Addresses that a server listens on but nobody can call (`OLLAMA_HOST=0.0.0.0` is common), and
what they mean for a client on the same machine."""

_CREDENTIALS = re.compile(r"^([a-z]+://)?.*@", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """Where a model server is.

    Attributes:
        scheme: `http` or `https`.
        host: Name or IP address; IPv6 without brackets.
        port: TCP port.
        path: Prefix of all paths, such as `/v1`; empty for none, never with a slash at its end.
        user: User and password for basic authentication; None if the address has none.
    """

    scheme: str
    host: str
    port: int
    path: str = ""
    user: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def public(self) -> str:
        """Host and port, for messages."""
        return f"{self._bracketed}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without user and password."""
        return f"{self.scheme}://{self.public}{self.path}"

    @property
    def is_this_machine(self) -> bool:
        """Whether the server runs on this machine, as far as the address shows."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_address(text: str) -> ServerAddress:
    """Read an address: a URL, or a host with or without a port; empty for Ollama's default.

    Raises:
        ServerUnusable: It is no address; the message says why and shows no password.
    """
    given = text.strip().strip("\"'").strip()
    try:
        return _parse(given or DEFAULT_URL)
    except ValueError as error:
        shown = printable(_CREDENTIALS.sub(r"\1***@", given), 100)
        raise ServerUnusable(
            f"The address of the model server, “{shown}”, cannot be used: {error}. "
            f"Write it like {DEFAULT_URL} or https://user:password@example.org:8000/v1."
        ) from None


def _parse(given: str) -> ServerAddress:
    scheme, mark, rest = given.partition("://")
    if not mark:
        scheme, rest = "", given
    if any(char.isspace() or not char.isprintable() for char in rest):
        raise ValueError("there is a space or an invisible character in it")
    if _is_ipv6(rest):
        rest = f"[{rest}]"
    scheme = scheme.lower()
    if scheme not in ("", *SCHEME_PORTS):
        raise ValueError("it must begin with http:// or https://")
    try:
        parts = urlsplit(f"http://{rest}")
        host = parts.hostname or "127.0.0.1"
    except ValueError:
        raise ValueError("its host is not a name or an IP address") from None
    if parts.query or parts.fragment:
        raise ValueError("it has a ? or # part, which an address of a server cannot have")
    user = None
    if parts.username is not None:
        user = unquote(parts.username), unquote(parts.password or "")
    address = ServerAddress(
        scheme=scheme or "http",
        host=ANYWHERE.get(host, host),
        port=_port_of(parts.netloc) or SCHEME_PORTS.get(scheme, DEFAULT_PORT),
        path=parts.path.rstrip("/"),
        user=user,
    )
    try:
        httpx.URL(address.url)
    except (httpx.InvalidURL, ValueError, UnicodeError):
        raise ValueError("its host is not a name or an IP address") from None
    return address


def _port_of(netloc: str) -> int:
    """Return the port in a network location; 0 if there is none."""
    host = netloc.rpartition("@")[2]
    text = host.rpartition("]")[2] if "]" in host else host
    _, colon, port = text.partition(":")
    if not colon or not port:
        return 0
    if not (port.isascii() and port.isdigit()):
        raise ValueError("its port is not a number")
    if len(port) > 5 or not 0 < int(port) <= 65_535:
        raise ValueError("its port must be a number from 1 to 65535")
    return int(port)


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False
