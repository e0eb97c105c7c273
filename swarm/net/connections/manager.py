"""The connection manager: finds, dials, watches and replaces a peer's neighbours.

A peer keeps a few outbound connections and accepts inbound ones (`inbound_slots`); the gossip mesh
contains all of them. The addresses that it dials (`candidates`) come from the configuration, the
machine's address book, mDNS and the neighbours (`peer_exchange`).

A connection is not trusted to be alive. A quiet neighbour is pinged. One that does not answer, or
never subscribes to our topic, is disconnected and dialled again. Dials have a time limit, back off
with jitter, and never stop.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
import trio
from libp2p.stream_muxer.yamux.yamux import FLAG_SYN, TYPE_PING, YAMUX_HEADER_FORMAT

from swarm.core.bounded import BoundedDict
from swarm.net.connections.candidates import Candidate, Candidates, Source
from swarm.net.connections.descriptors import is_exhausted
from swarm.net.connections.dialling import (
    ALONE_SECONDS,
    OUTBOUND,
    SEEK_PAUSE_SECONDS,
    SILENT_SECONDS,
)
from swarm.net.connections.host import MAX_OUTBOUND, dial
from swarm.net.discovery.address_book import AddressBook
from swarm.net.errors import DialError, blame
from swarm.net.streams import peer_id_of
from swarm.net.timers import until_tick

log = structlog.get_logger(__name__)

FULL_MESH = 16
"""Other peers up to which every peer connects to every other, one dial after another. A message
then reaches all peers from its origin, once. With four dials each, 15 peers needed three times as
many copies to reach those that the origin is not connected to."""

MEET_PAUSE_SECONDS = 1.0
"""Shortest time between those dials in seconds: without it, two peers would dial each other."""

MAX_HEARD = 4_096
"""How many last-published times of peers are kept."""

DIAL_SECONDS = 4.0
"""Seconds for one dial with its handshakes. 0.3 s is usual; a wrong swarm key never finishes."""

BACKOFF_FIRST_SECONDS = 0.25
BACKOFF_MOST_SECONDS = 15.0
"""Seconds until a failed address is dialled again, doubling from the first to the second value,
with jitter."""

STABLE_SECONDS = 10.0
"""Seconds that a connection must last for its address to be dialled again at once when it ends."""

GIVE_UP_FOUND = 6
"""Failures after which a discovered address is forgotten; a configured one never is."""

CHECK_SHORT_SECONDS = 0.25
CHECK_IDLE_SECONDS = 2.0
"""Seconds between two checks of connections and candidates: while neighbours are too few, and
otherwise."""

BOOK_RESCAN_SECONDS = 15.0
"""Seconds after which the address book is read even if its directory has not changed."""

PING_QUIET_SECONDS = 5.0
"""Seconds of silence after which a neighbour is pinged. Any gossip frame from it counts as a sign
of life, and so does its own ping: of two idle neighbours, only one pings."""

PING_SECONDS = 3.0
"""Seconds in which a neighbour must answer. Less would cut off honest peers while a model uses
every core."""

PING_STRIKES = 2
"""Consecutive failed pings after which a neighbour is disconnected."""

LATE_SECONDS = 0.5
"""Seconds after its deadline from which a failed ping tells nothing about the neighbour."""

SUBSCRIBE_SECONDS = 8.0
"""Seconds within which a connected neighbour must subscribe to our topic. It takes 0.1 s; on a
machine busy with a model, a second or two."""

SUBSCRIBE_MOST_SECONDS = 60.0
"""Seconds up to which that limit doubles with every neighbour that is disconnected for it. A new
connection costs handshakes and a repetition of recent messages: where many peers share a starved
machine, disconnecting peers that are merely late kept all of them late."""

CALM_SECONDS = 300.0
"""Seconds without such a neighbour after which the limit returns to its first value."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A peer that we are connected to.

    Attributes:
        peer_id: its transport id, fresh in every process.
        address: its multiaddress; empty if unknown.
        outbound: whether we dialled it.
        subscribed: whether it has subscribed to our swarm's topic.
    """

    peer_id: str
    address: str
    outbound: bool
    subscribed: bool


class ConnectionManager:
    """Keeps one host connected to its swarm.

    Args:
        host: a running host of `swarm.net.connections.host`.
        key: the swarm key, or None.
        listed: addresses that a person configured; dialled for ever.
        book: the machine's address book, or None.
        book_folder: its directory, watched for changes.
        subscribers: returns the neighbours that have subscribed to our topic.
        speakers: returns those of them that have published.
        heard: returns when a neighbour last sent a frame (trio time), or None.
        rng: for order and jitter.
    """

    def __init__(
        self,
        host: Any,
        key: str | None,
        *,
        listed: Iterable[str],
        book: AddressBook | None,
        book_folder: Path | None,
        subscribers: Callable[[], frozenset[str]],
        speakers: Callable[[], frozenset[str]],
        heard: Callable[[str], float | None],
        rng: random.Random,
    ) -> None:
        self._host = host
        self._network = host.get_network()
        self._key = key
        self._book = book
        self._book_folder = book_folder
        self._subscribers = subscribers
        self._speakers = speakers
        self._heard = heard
        self._rng = rng
        self._own_id = str(host.get_id())
        self._candidates = Candidates(listed, self._own_id, rng)
        self._wake = trio.Event()
        self._dialled: set[str] = set()
        self._connected_at: dict[str, float] = {}
        self._subscribe_seconds = SUBSCRIBE_SECONDS
        self._dropped_at = -math.inf
        """When a neighbour was last disconnected because it did not subscribe."""
        self._strikes: dict[str, int] = {}
        self._pinged_at: dict[str, float] = {}
        self._meet_after = -math.inf
        """From when on one more peer than usual may be dialled."""
        self._alone_since: float | None = None
        """Since when no connected peer has published anything; None if one has."""
        self._last_published: BoundedDict[str, float] = BoundedDict(MAX_HEARD)
        """When each peer, connected or not, last published something."""
        self._seek_after = -math.inf
        self._book_seen: tuple[int, float] = (-1, -math.inf)
        self.dials = 0
        self.failed_dials = 0

    def found(self, address: str, source_peer: str | None = None) -> None:
        """Add an address found by discovery; it is dialled when neighbours are too few.

        Args:
            address: a multiaddress in any form.
            source_peer: the neighbour that named it; None if it is from the local network.
        """
        self._add_candidate(
            address, Source.ANNOUNCED if source_peer is None else Source.NAMED, source_peer
        )

    def _add_candidate(self, address: str, source: Source, source_peer: str | None = None) -> None:
        if self._candidates.add(address, source, source_peer, self._connected_at):
            self._wake.set()

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Return the peers that we are connected to now."""
        subscribers = self._subscribers()
        return tuple(
            Neighbour(peer, self._address(peer), peer in self._dialled, peer in subscribers)
            for peer in self._open()
        )

    def heard_from(self, peer: str) -> None:
        """Note that a peer published something, whichever neighbour forwarded it."""
        self._last_published[peer] = trio.current_time()

    def connected(self) -> tuple[str, ...]:
        """Return the ids of the peers that we are connected to now."""
        return tuple(self._connected_at)

    def dialled(self, peer: str) -> bool:
        """Return whether we dialled this neighbour, rather than it us."""
        return peer in self._dialled

    async def run(self) -> None:
        """Find neighbours and watch over them, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                self._wake = trio.Event()
                try:
                    await self._check(nursery)
                except Exception as error:
                    # A peer that stopped watching its connections would silently drop out of the
                    # swarm.
                    log.warning("connection_check_failed", reason=blame(error))
                short = len(self._connected_at) < OUTBOUND
                with trio.move_on_after(
                    CHECK_SHORT_SECONDS if short else until_tick(CHECK_IDLE_SECONDS)
                ):
                    await self._wake.wait()

    async def _check(self, nursery: trio.Nursery) -> None:
        await self._read_book()
        now_seconds = trio.current_time()
        connected = self._note_connections(now_seconds)
        self._start_dials(nursery, connected, now_seconds)
        if now_seconds - self._dropped_at > CALM_SECONDS:
            self._subscribe_seconds = SUBSCRIBE_SECONDS
        for peer in connected:
            if self._never_subscribed(peer, now_seconds):
                log.info("neighbour_not_subscribed", peer=peer, after_s=self._subscribe_seconds)
                self._subscribe_seconds = min(2 * self._subscribe_seconds, SUBSCRIBE_MOST_SECONDS)
                self._dropped_at = now_seconds
                nursery.start_soon(self.disconnect, peer)
            elif self._is_due_for_ping(peer, now_seconds):
                self._pinged_at[peer] = now_seconds
                nursery.start_soon(self._ping, peer)

    def _open(self) -> list[str]:
        return [
            str(peer)
            for peer, connections in self._network.get_connections_map().items()
            if any(not c.is_closed for c in connections)
        ]

    def _note_connections(self, now_seconds: float) -> list[str]:
        connected = self._open()
        for peer in connected:
            self._connected_at.setdefault(peer, now_seconds)
        for candidate in self._candidates:
            since = self._connected_at.get(candidate.peer_id or "", now_seconds)
            if now_seconds - since > STABLE_SECONDS:
                candidate.failures = 0
        for peer in self._connected_at.keys() - set(connected):
            del self._connected_at[peer]
            self._dialled.discard(peer)
            self._strikes.pop(peer, None)
            self._pinged_at.pop(peer, None)
        return connected

    def _start_dials(self, nursery: trio.Nursery, connected: list[str], now_seconds: float) -> None:
        dialling = [c for c in self._candidates if c.dialling]
        outbound = self._dialled.intersection(connected)
        room = OUTBOUND - len(outbound) - len(dialling)
        busy = {c.peer_id for c in dialling} | set(connected) | {self._own_id}
        known = {c.peer_id or c.address for c in self._candidates} | busy
        if room <= 0 and len(known) - 1 <= FULL_MESH and now_seconds >= self._meet_after:
            room, self._meet_after = 1, now_seconds + MEET_PAUSE_SECONDS
        if not connected or not self._speakers().isdisjoint(connected):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now_seconds
        elif now_seconds - self._alone_since > ALONE_SECONDS:
            room, self._alone_since = max(room, 1), now_seconds
        ready = self._candidates.ready(now_seconds, busy)
        chosen = ready[: max(0, room)]
        silent = [c for c in ready if c not in chosen and self._went_silent(c, now_seconds)]
        if silent and now_seconds >= self._seek_after:
            self._seek_after = now_seconds + SEEK_PAUSE_SECONDS
            chosen.append(silent[0])
        for candidate in chosen:
            candidate.dialling = True
            nursery.start_soon(self._dial, candidate)
        too_many = len(outbound) + len(dialling) + len(chosen) - MAX_OUTBOUND
        for peer in self._rng.sample(sorted(outbound), max(0, min(too_many, len(outbound)))):
            # A peer that has to look further has no use for all the connections that it has.
            log.info("neighbour_dropped", peer=peer)
            nursery.start_soon(self.disconnect, peer)

    def _went_silent(self, candidate: Candidate, now_seconds: float) -> bool:
        heard_from = self._last_published.get(candidate.peer_id or "")
        return heard_from is not None and now_seconds - heard_from > SILENT_SECONDS

    async def _dial(self, candidate: Candidate) -> None:
        self.dials += 1
        try:
            peer = await dial(self._host, candidate.address, self._key, DIAL_SECONDS)
        except DialError as error:
            self.failed_dials += 1
            if is_exhausted(error):
                # The address is not to blame: no address can be dialled now.
                candidate.next_try = trio.current_time() + BACKOFF_MOST_SECONDS
            else:
                self._back_off(candidate)
            log.debug("dial_failed", address=candidate.address, reason=str(error))
        else:
            log.debug("dial_succeeded", address=candidate.address, peer=peer)
            candidate.peer_id = peer
            self._delay_next_dial(candidate)
            self._dialled.add(peer)
            self._connected_at.setdefault(peer, trio.current_time())
        finally:
            candidate.dialling = False
            self._wake.set()

    def _back_off(self, candidate: Candidate) -> None:
        self._delay_next_dial(candidate)
        if not candidate.listed and candidate.failures >= GIVE_UP_FOUND:
            self._candidates.drop(candidate)

    def _delay_next_dial(self, candidate: Candidate) -> None:
        """Delay the next dial, even after a success: some peers accept only to disconnect."""
        candidate.failures += 1
        delay = min(BACKOFF_MOST_SECONDS, BACKOFF_FIRST_SECONDS * 2 ** min(candidate.failures, 10))
        candidate.next_try = trio.current_time() + delay * self._rng.uniform(0.5, 1.0)

    async def _read_book(self) -> None:
        if self._book is None or self._book_folder is None:
            return
        now_seconds = trio.current_time()
        with suppress(OSError):
            changed = self._book_folder.stat().st_mtime_ns  # microseconds, local
            if (
                changed == self._book_seen[0]
                and now_seconds - self._book_seen[1] < BOOK_RESCAN_SECONDS
            ):
                return
            self._book_seen = (changed, now_seconds)
            entries = await trio.to_thread.run_sync(self._book.read)
            for entry in entries:
                for address in entry.addresses:
                    self._add_candidate(address, Source.BOOK)

    def _never_subscribed(self, peer: str, now_seconds: float) -> bool:
        since = self._connected_at.get(peer, now_seconds)
        return now_seconds - since > self._subscribe_seconds and peer not in self._subscribers()

    def _is_due_for_ping(self, peer: str, now_seconds: float) -> bool:
        signs = (
            self._heard(peer),
            self._connected_at.get(peer),
            self._pinged_at.get(peer),
            *(c.muxed_conn.answered_at for c in self._network.get_connections(peer_id_of(peer))),
        )
        return bool(now_seconds - max(at for at in signs if at is not None) > PING_QUIET_SECONDS)

    async def _ping(self, peer: str) -> None:
        deadline = trio.current_time() + PING_SECONDS
        try:
            with trio.fail_at(deadline):
                for connection in self._network.get_connections(peer_id_of(peer)):
                    await _ping_yamux(connection.muxed_conn)
            self._strikes.pop(peer, None)
        except Exception as error:
            # Any exception counts as a failed ping: libp2p has no common error class.
            if trio.current_time() - deadline > LATE_SECONDS:
                return  # This process itself got no time: the answer may be waiting to be read.
            strikes = self._strikes.get(peer, 0) + 1
            self._strikes[peer] = strikes
            log.debug("ping_failed", peer=peer, strikes=strikes, reason=type(error).__name__)
            self._pinged_at[peer] = -math.inf
            if strikes >= PING_STRIKES:
                log.info("neighbour_unresponsive", peer=peer)
                await self.disconnect(peer)

    async def disconnect(self, peer: str) -> None:
        """Close every connection to a neighbour; its address may be dialled again after a pause."""
        for candidate in self._candidates.of_peer(peer):
            self._back_off(candidate)
        with trio.move_on_after(1), suppress(Exception):
            await self._host.disconnect(peer_id_of(peer))
        self._wake.set()

    def _address(self, peer: str) -> str:
        for candidate in self._candidates.of_peer(peer):
            return candidate.address
        with suppress(Exception):
            connections = self._network.get_connections(peer_id_of(peer))
            return str(connections[0].get_transport_addresses()[0])
        return ""


async def _ping_yamux(muxed: Any) -> None:
    """Ping with yamux itself, and wait for the answer.

    libp2p's ping protocol negotiates a stream for each ping, which cost more than everything else
    an idle peer does. yamux answers a frame of twelve bytes.
    """
    answered = muxed._ping_event = trio.Event()
    muxed._ping_sent_time = trio.current_time()
    muxed._ping_id += 1
    header = struct.pack(YAMUX_HEADER_FORMAT, 0, TYPE_PING, FLAG_SYN, 0, muxed._ping_id)
    await muxed._write_frame(header)
    await answered.wait()
