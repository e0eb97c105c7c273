"""mDNS: peers on one local network announce themselves and find each other without a server.

libp2p's own switch (`enable_mDNS=True`) blocks the event loop for seconds and announces the wrong
address. So `Mdns` builds the discovery itself: it announces the real port from a worker thread, and
carries what it hears back to trio. The service name is the realm (a hash of swarm name and key):
swarms that share a network neither see each other nor learn each other's name.

Where multicast does not work (no network, a container), the peer logs that once and relies on the
address book and configured addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
import anyio.to_thread
import structlog
import trio

from swarm.core.bounded import BoundedSet
from swarm.net.addresses import announceable, parse_address, reachable_here, without_peer_id

log = structlog.get_logger(__name__)

OFFER_AGAIN_SECONDS = 30.0
"""Seconds between two reports of all addresses heard, in case the connection manager forgot
some."""

MAX_HEARD = 500
"""Addresses remembered; a hostile network may announce any number."""

STOP_SECONDS = 3.0
"""Seconds that withdrawing the announcement may take at shutdown."""


class Mdns:
    """Announces one peer and reports the others.

    Args:
        host: a running host.
        realm: identifies the swarm and its key (`address_book.realm_of`).
        addresses: where this peer listens.
        found: called on trio's thread with each address heard, `/p2p/…` included.
    """

    def __init__(
        self, host: Any, realm: str, addresses: tuple[str, ...], found: Callable[[str], None]
    ) -> None:
        self._network = host.get_network()
        self._realm = realm
        self._addresses = announceable(addresses)
        self._found = found
        self._heard: BoundedSet[str] = BoundedSet(MAX_HEARD)

    async def run(self) -> None:
        """Announce and listen until cancelled. Never raises when multicast does not work."""
        # Imported here, because most peers use the address book and never need zeroconf.
        from libp2p.discovery.events.peerDiscovery import peerDiscovery

        token = trio.lowlevel.current_trio_token()

        def on_peer(info: Any) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(self._note, info)

        peerDiscovery.register_peer_discovered_handler(on_peer)
        mdns: Any = None
        try:
            mdns = await trio.to_thread.run_sync(self._start)
            while True:
                await trio.sleep(OFFER_AGAIN_SECONDS)
                for address in tuple(self._heard):
                    self._found(address)
        except Exception as error:
            # zeroconf raises whatever the system's network does; there are other ways to find
            # peers.
            log.warning("mdns_unavailable", reason=f"{type(error).__name__}: {error}")
        finally:
            peerDiscovery.unregister_peer_discovered_handler(on_peer)
            if mdns is not None:
                with anyio.move_on_after(STOP_SECONDS, shield=True):
                    await anyio.to_thread.run_sync(_stop, mdns, abandon_on_cancel=True)

    def _start(self) -> Any:
        from libp2p.discovery.mdns.mdns import create_mdns_discovery

        _, _, port = parse_address(self._addresses[0])
        mdns = create_mdns_discovery(
            self._network,
            port=port,
            listen_addrs=list(self._addresses),
            private_network_fingerprint=self._realm,
        )
        mdns.broadcaster.register()
        return mdns

    def _note(self, info: Any) -> None:
        for address in info.addrs:
            text = f"{without_peer_id(str(address))}/p2p/{info.peer_id}"
            if not reachable_here(text):
                continue
            # A peer that announces many addresses must not keep out one that announces later.
            self._heard.add(text)
            self._found(text)


def _stop(mdns: Any) -> None:
    for step in (mdns.broadcaster.unregister, mdns.listener.stop, mdns.zeroconf.close):
        with suppress(Exception):
            step()
