"""Peer exchange: neighbours tell each other which other peers they know, so no address is a leader.

A second machine is usually configured with one address. If all peers knew only that one, the swarm
would fall apart with it. So on `/swarm/peers/1.0.0` the asking peer sends the addresses where it
listens, and receives those where the neighbour's other neighbours listen. Each side sends one
message: a JSON list of multiaddresses with `/p2p/…`, preceded by its length in four bytes, big
endian. Only peers that are connected now are named, and only addresses that the asking peer can
reach. An exchange publishes nothing.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
import trio

from swarm.core.bounded import BoundedDict
from swarm.net.addresses import (
    MAX_ADDRESS,
    MAX_OWN,
    announceable,
    is_ip,
    is_loopback,
    parse_address,
    peer_id_in,
)
from swarm.net.errors import SettingsError
from swarm.net.streams import Messages, peer_id_of, reset

log = structlog.get_logger(__name__)

PROTOCOL = "/swarm/peers/1.0.0"

MAX_MESSAGE = 16 * 1024
"""Bytes of the longest message; 32 peers with two addresses each take about 6 KB."""

MAX_NAMED = 32
"""Addresses in an answer, chosen at random if there are more."""

EXCHANGE_SECONDS = 10.0
"""Seconds for one exchange."""

BURST = 4
REFILL_SECONDS = 10.0
"""Exchanges of one neighbour that are answered at once, and seconds until one more is answered. A
peer asks every new neighbour once, and after that one of its neighbours each half a minute to a
minute."""

MAX_ASKERS = 1_024
"""How many peers' last exchanges are remembered."""

PERIOD_SECONDS = 60.0
"""Longest time between two exchanges with a random neighbour in seconds; the shortest is half of
it."""


class PeerExchange:
    """Both sides of peer exchange for one peer.

    Args:
        host: a running host.
        addresses: where this peer listens.
        subscribers: returns the peer ids of neighbours in our swarm.
        found: called with each address received and the id of the peer that sent it.
        rng: for choices.
    """

    def __init__(
        self,
        host: Any,
        addresses: tuple[str, ...],
        *,
        subscribers: Callable[[], frozenset[str]],
        found: Callable[[str, str], None],
        rng: random.Random,
    ) -> None:
        self._host = host
        self._own = [f"{a}/p2p/{host.get_id()}" for a in announceable(addresses)][:MAX_OWN]
        self._subscribers = subscribers
        self._found = found
        self._rng = rng
        self._known: dict[str, list[str]] = {}
        self._met: set[str] = set()
        self._asked: BoundedDict[str, float] = BoundedDict(MAX_ASKERS)
        """For each peer, the time until which its exchanges have used up its share."""
        self._wake = trio.Event()
        host.set_stream_handler(PROTOCOL, self._answer)

    def met(self, peer: str) -> None:
        """Ask a new neighbour soon."""
        self._met.add(peer)
        self._wake.set()

    async def run(self) -> None:
        """Ask new neighbours, and now and then a known one, until cancelled."""
        while True:
            self._wake = trio.Event()
            while self._met:
                await self.ask(self._met.pop())
            with trio.move_on_after(PERIOD_SECONDS * self._rng.uniform(0.5, 1.0)):
                await self._wake.wait()
            subscribers = self._subscribers()
            self._known = {p: a for p, a in self._known.items() if p in subscribers}
            if not self._met and subscribers:
                self._met.add(self._rng.choice(sorted(subscribers)))

    async def ask(self, peer: str) -> None:
        """Ask a neighbour. A failure is only logged, because nothing is lost by it."""
        stream: Any = None
        try:
            with trio.fail_after(EXCHANGE_SECONDS):
                stream = await self._host.new_stream(peer_id_of(peer), [PROTOCOL])
                messages = Messages(stream, MAX_MESSAGE)
                await messages.send(json.dumps(self._own).encode())
                named = _addresses(await messages.message() or b"[]", MAX_NAMED)
                await stream.close()
        except Exception as error:
            # A neighbour's bytes may raise anything in libp2p; other neighbours name addresses too.
            log.debug("peer_exchange_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
            return
        for address in named:
            self._found(address, peer)

    async def _answer(self, stream: Any) -> None:
        peer = str(stream.muxed_conn.peer_id)
        if not self._may_ask(peer):
            await reset(stream)
            return
        try:
            with trio.fail_after(EXCHANGE_SECONDS):
                messages = Messages(stream, MAX_MESSAGE)
                own = _addresses(await messages.message() or b"[]", MAX_OWN)
                self._known[peer] = [a for a in own if peer_id_in(a) == peer]
                await messages.send(json.dumps(self._names_for(peer, stream)).encode())
                await stream.close()
        except Exception as error:
            # A neighbour's bytes may raise anything in libp2p; other neighbours name addresses too.
            log.debug("peer_exchange_failed", peer=peer, reason=f"{type(error).__name__}: {error}")
            await reset(stream)
            return
        for address in self._known.get(peer, ()):
            self._found(address, peer)

    def _may_ask(self, peer: str) -> bool:
        """Count one exchange; return False if the peer has used up its share."""
        now_seconds = trio.current_time()
        until = max(now_seconds, self._asked.get(peer, now_seconds)) + REFILL_SECONDS
        if until - now_seconds > BURST * REFILL_SECONDS:
            return False
        self._asked[peer] = until
        return True

    def _names_for(self, asker: str, stream: Any) -> list[str]:
        here = _is_local(stream)
        names = [
            address
            for peer in self._subscribers() & self._known.keys()
            if peer != asker
            for address in self._known[peer]
            if here or not is_loopback(parse_address(address)[1])
        ]
        self._rng.shuffle(names)
        return names[:MAX_NAMED]


def _addresses(message: bytes, most: int) -> list[str]:
    """Return the usable addresses of a message.

    Raises:
        ValueError: it is not a JSON list.
    """
    listed = json.loads(message)
    if not isinstance(listed, list):
        raise ValueError("not a list of addresses")
    usable = []
    for address in listed[:most]:
        with suppress(SettingsError):
            # Peers listen on IPs; a name would make us look up whatever a stranger likes.
            if (
                isinstance(address, str)
                and len(address) <= MAX_ADDRESS
                and peer_id_in(address)
                and is_ip(parse_address(address)[1])
            ):
                usable.append(address)
    return usable


def _is_local(stream: Any) -> bool:
    """Return whether the other side of a stream is on this machine."""
    with suppress(Exception):
        return is_loopback(str(stream.get_remote_address()[0]))
    return False
