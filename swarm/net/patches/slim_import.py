"""Import libp2p without the parts that this project never uses.

libp2p imports every transport that it knows: QUIC, TLS with ACME, WebSocket, relays, a DHT, mDNS.
They cost a peer a fifth of its memory and half of its start-up time, eight times over on a laptop.
Inside `without`, the named modules are replaced by empty ones in which every name is an inert
class. Afterwards the empty modules are removed again, so that a later import gets the real ones.

Importing this module imports libp2p that way. It must come before any other import of libp2p:
`swarm.peer.peer` and the fork server see to that. Every test that runs a real host shows that no
used part is missing; `tests/net/patches/test_slim_import.py` shows that no unused part is imported.

Upstream: no issue about this was found. The patch can go when libp2p imports a transport only when
a host is configured with it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

UNUSED = (
    "aioquic",
    "dns",
    "miniupnpc",
    "multiaddr.resolvers",
    "OpenSSL",
    "prometheus_client",
    "trio_websocket",
    "wsproto",
    "zeroconf",
    "libp2p.bitswap",
    "libp2p.discovery.bootstrap",
    "libp2p.discovery.mdns",
    "libp2p.discovery.random_walk",
    "libp2p.kad_dht",
    "libp2p.peer.persistent",
    "libp2p.relay",
    "libp2p.security.tls",
    "libp2p.transport.quic.config",
    "libp2p.transport.quic.connection",
    "libp2p.transport.quic.listener",
    "libp2p.transport.quic.security",
    "libp2p.transport.quic.stream",
    "libp2p.transport.quic.transport",
    "libp2p.transport.quic.utils",
    "libp2p.transport.websocket",
)
"""Modules, with all below them, that a host with TCP, noise and yamux never calls.
`swarm.net.discovery.mdns` imports the real mDNS when it is turned on. QUIC's exceptions are not in
this list, because every stream refers to them."""


class _Inert(type):
    """The type of stand-ins: any attribute, subscript or union of one is a stand-in again."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused

    def __or__(cls, other: Any) -> Any:
        return cls

    def __ror__(cls, other: Any) -> Any:
        return cls

    def __getitem__(cls, item: Any) -> Any:
        return cls


class Unused(metaclass=_Inert):
    """A stand-in for a class that was not imported; creating an instance is a bug."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError(
            "A part of libp2p was used that swarm/net/patches/slim_import.py leaves out; "
            "remove it from UNUSED."
        )


class _Empty(types.ModuleType):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.made: list[str] = []

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if not any(fullname == name or fullname.startswith(f"{name}.") for name in self._names):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        self.made.append(spec.name)
        return _Empty(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Import without these modules in the body; those already imported stay as they are."""
    finder = _Finder(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.made:
            sys.modules.pop(name, None)
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and isinstance(vars(sys.modules[parent]).get(child), _Empty):
                delattr(sys.modules[parent], child)


with without(*UNUSED):
    import libp2p
    import libp2p.network.swarm
    import libp2p.pubsub.gossipsub
    import libp2p.pubsub.pubsub

# libp2p makes one for each network, to dial by itself; here `host.dial` resolves names.
libp2p.network.swarm.DNSResolver = lambda: None
