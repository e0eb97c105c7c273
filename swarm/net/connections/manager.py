"""Connections to neighbours: found, dialled, watched, replaced, for ever.

A peer keeps a few outbound connections and takes those that come in (`door`); the gossip mesh is
all of them. Whom to dial (`candidates`) comes from the addresses a person listed, the machine's
address book, mDNS and what neighbours tell (`exchange`).
A connection is not trusted to live: a quiet neighbour is pinged, one that does not answer or never
says what it listens to is disconnected and dialled again. Dials are bounded in time, back off with
jitter, and never stop.
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
from swarm.net.connections.host import MAX_OUTBOUND, dial
from swarm.net.discovery.address_book import AddressBook
from swarm.net.errors import DialError, blame
from swarm.net.streams import peer_id_of
from swarm.net.timers import until_tick

log = structlog.get_logger(__name__)

OUTBOUND = 4
"""Connections each peer keeps dialled. Four random ones keep any swarm of a few hundred connected
even while some of them fail; many more would load every message's path."""

ALL_MEET = 16
"""Other peers up to which each comes to be connected with each, one dial after the other. A message
then reaches all from its origin, once. Among 15 with four dials each it took three times as many
copies, for those it could not reach itself."""

MEET_PAUSE_SECONDS = 1.0
"""Seconds at least between those dials: at once, each of two would dial the other."""

ALONE_SECONDS = 30.0
"""Seconds with nobody connected that has ever said anything, after which one more peer is dialled.
Those who only listen tell a newcomer nothing of what was said before; whoever speaks does so within
this time."""

SILENT_SECONDS = 75.0
"""Seconds for which nothing of a peer that used to speak has come by any way, after which it is
looked for: a cut swarm fills its connections on each side, and would never meet again. Whoever
lives shows presence at least twice in this time, and what it says passes through all who are
connected, so nobody is looked for in a swarm that is whole."""

SEEK_PAUSE_SECONDS = 10.0
"""Seconds between two dials of such a kind."""

MAX_HEARD = 4_096
"""Peers of which is remembered when they last heard_from."""

DIAL_SECONDS = 4.0
"""Seconds for one dial, handshakes included: 0.3 s is usual, a wrong swarm key never ends."""

BACKOFF_FIRST_SECONDS = 0.25
BACKOFF_MOST_SECONDS = 15.0
"""Seconds until a failed address is tried again: doubling between these, with jitter."""

STABLE_SECONDS = 10.0
"""Seconds a connection must last for its address to be tried at once when it ends."""

GIVE_UP_FOUND = 6
"""Failures after which an address that was only discovered is forgotten (a listed one never is)."""

CHECK_SHORT_SECONDS = 0.25
CHECK_IDLE_SECONDS = 2.0
"""Seconds between looks at candidates: while short of neighbours, and otherwise."""

BOOK_RESCAN_SECONDS = 15.0
"""Seconds after which the address book is read even if its directory did not change."""

PING_QUIET_SECONDS = 5.0
"""Seconds of silence after which a neighbour is pinged. Any frame of gossip from it counts as a
sign, and so does its own ping: of two idle neighbours one asks."""

PING_SECONDS = 3.0
"""Seconds a neighbour has to answer. Less would cut off honest peers while a model thinks on
every core."""

PING_STRIKES = 2
"""Pings in a row that must fail before a neighbour is disconnected."""

LATE_SECONDS = 0.5
"""Seconds past its deadline after which a failed ping says nothing about the neighbour."""

SUBSCRIBE_SECONDS = 8.0
"""Seconds after which a connected neighbour must have said that it listens to our topic. It takes
0.1 s; on a machine busy with a model, a second or two."""

SUBSCRIBE_MOST_SECONDS = 60.0
"""Seconds up to which that doubles with every neighbour that is let go for it. A new connection
costs handshakes and a repetition of much that was said: where many peers share a starved machine,
hanging up on who is only late kept them all late for good."""

CALM_SECONDS = 300.0
"""Seconds without such a neighbour after which the first is the measure again."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A peer we are connected to.

    Attributes:
        peer_id: its transport id, fresh in every process.
        address: where it is, as a multiaddress; empty if unknown.
        outbound: whether we dialled it.
        subscribed: whether it said that it listens to our swarm's topic.
    """

    peer_id: str
    address: str
    outbound: bool
    subscribed: bool


class ConnectionManager:
    """Keeps one host connected.

    Args:
        host: a running host of `swarm.net.connections.host`.
        key: the swarm key, or None.
        listed: addresses a person configured; tried for ever.
        book: the machine's address book, or None.
        book_folder: its directory, watched for changes.
        subscribers: peer ids known to listen to our topic.
        speakers: peer ids of those of them that have said something.
        heard: when a neighbour last sent a frame (trio time), or None.
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
        """When a neighbour was last let go for being mute."""
        self._strikes: dict[str, int] = {}
        self._pinged_at: dict[str, float] = {}
        self._meet_after = -math.inf
        """From when on one more peer may be dialled than usual."""
        self._alone_since: float | None = None
        """Since when nobody connected has said anything; None: somebody has."""
        self._last_published: BoundedDict[str, float] = BoundedDict(MAX_HEARD)
        """When each peer, connected or not, last said something."""
        self._seek_after = -math.inf
        self._book_seen: tuple[int, float] = (-1, -math.inf)
        self.dials = 0
        self.failed_dials = 0

    def found(self, address: str, source_peer: str | None = None) -> None:
        """Learn an address by discovery; dialled when neighbours are short.

        Args:
            address: a multiaddress, of whatever form.
            source_peer: the neighbour that told it; None if the local network shows it.
        """
        self._add_candidate(
            address, Source.ANNOUNCED if source_peer is None else Source.TOLD, source_peer
        )

    def _add_candidate(self, address: str, source: Source, source_peer: str | None = None) -> None:
        if self._candidates.add(address, source, source_peer, self._connected_at):
            self._wake.set()

    def neighbours(self) -> tuple[Neighbour, ...]:
        """Everyone we are connected to now."""
        subscribers = self._subscribers()
        return tuple(
            Neighbour(peer, self._address(peer), peer in self._dialled, peer in subscribers)
            for peer in self._open()
        )

    def heard_from(self, peer: str) -> None:
        """A peer said something on the topic, whoever brought it."""
        self._last_published[peer] = trio.current_time()

    def connected(self) -> tuple[str, ...]:
        """The peer ids of all of these."""
        return tuple(self._connected_at)

    def dialled(self, peer: str) -> bool:
        """Whether we dialled this neighbour, rather than it us."""
        return peer in self._dialled

    async def run(self) -> None:
        """Look for neighbours and look after them until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                self._wake = trio.Event()
                try:
                    await self._check(nursery)
                except Exception as error:
                    # A peer that no longer looks after its links would be lost in silence.
                    log.warning("connection_check_failed", reason=blame(error))
                short = len(self._connected_at) < OUTBOUND
                with trio.move_on_after(
                    CHECK_SHORT_SECONDS if short else until_tick(CHECK_IDLE_SECONDS)
                ):
                    await self._wake.wait()

    async def _check(self, nursery: trio.Nursery) -> None:
        await self._read_book()
        now = trio.current_time()
        connected = self._note_connections(now)
        self._start_dials(nursery, connected, now)
        if now - self._dropped_at > CALM_SECONDS:
            self._subscribe_seconds = SUBSCRIBE_SECONDS
        for peer in connected:
            if self._never_subscribed(peer, now):
                log.info("neighbour_not_subscribed", peer=peer, after_s=self._subscribe_seconds)
                self._subscribe_seconds = min(2 * self._subscribe_seconds, SUBSCRIBE_MOST_SECONDS)
                self._dropped_at = now
                nursery.start_soon(self.disconnect, peer)
            elif self._is_due_for_ping(peer, now):
                self._pinged_at[peer] = now
                nursery.start_soon(self._ping, peer)

    def _open(self) -> list[str]:
        return [
            str(peer)
            for peer, connections in self._network.get_connections_map().items()
            if any(not c.is_closed for c in connections)
        ]

    def _note_connections(self, now: float) -> list[str]:
        connected = self._open()
        for peer in connected:
            self._connected_at.setdefault(peer, now)
        for candidate in self._candidates:
            since = self._connected_at.get(candidate.peer_id or "", now)
            if now - since > STABLE_SECONDS:
                candidate.failures = 0
        for peer in self._connected_at.keys() - set(connected):
            del self._connected_at[peer]
            self._dialled.discard(peer)
            self._strikes.pop(peer, None)
            self._pinged_at.pop(peer, None)
        return connected

    def _start_dials(self, nursery: trio.Nursery, connected: list[str], now: float) -> None:
        dialling = [c for c in self._candidates if c.dialling]
        outbound = self._dialled.intersection(connected)
        room = OUTBOUND - len(outbound) - len(dialling)
        busy = {c.peer_id for c in dialling} | set(connected) | {self._own_id}
        known = {c.peer_id or c.address for c in self._candidates} | busy
        if room <= 0 and len(known) - 1 <= ALL_MEET and now >= self._meet_after:
            room, self._meet_after = 1, now + MEET_PAUSE_SECONDS
        if not connected or not self._speakers().isdisjoint(connected):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since > ALONE_SECONDS:
            room, self._alone_since = max(room, 1), now
        ready = self._candidates.ready(now, busy)
        chosen = ready[: max(0, room)]
        lost = [c for c in ready if c not in chosen and self._went_silent(c, now)]
        if lost and now >= self._seek_after:
            self._seek_after = now + SEEK_PAUSE_SECONDS
            chosen.append(lost[0])
        for candidate in chosen:
            candidate.dialling = True
            nursery.start_soon(self._dial, candidate)
        too_many = len(outbound) + len(dialling) + len(chosen) - MAX_OUTBOUND
        for peer in self._rng.sample(sorted(outbound), max(0, min(too_many, len(outbound)))):
            # Who looks for somebody else has no use for all that it found so far.
            log.info("neighbour_dropped", peer=peer)
            nursery.start_soon(self.disconnect, peer)

    def _went_silent(self, candidate: Candidate, now: float) -> bool:
        heard_from = self._last_published.get(candidate.peer_id or "")
        return heard_from is not None and now - heard_from > SILENT_SECONDS

    async def _dial(self, candidate: Candidate) -> None:
        self.dials += 1
        try:
            peer = await dial(self._host, candidate.address, self._key, DIAL_SECONDS)
        except DialError as error:
            self.failed_dials += 1
            if is_exhausted(error):
                # Its address is none the worse for it: nobody can be dialled now.
                candidate.next_try = trio.current_time() + BACKOFF_MOST_SECONDS
            else:
                self._back_off(candidate)
            log.debug("dial_failed", address=candidate.address, reason=str(error))
        else:
            log.debug("dial_succeeded", address=candidate.address, peer=peer)
            candidate.peer_id = peer
            self._pace(candidate)
            self._dialled.add(peer)
            self._connected_at.setdefault(peer, trio.current_time())
        finally:
            candidate.dialling = False
            self._wake.set()

    def _back_off(self, candidate: Candidate) -> None:
        self._pace(candidate)
        if not candidate.listed and candidate.failures >= GIVE_UP_FOUND:
            self._candidates.drop(candidate)

    def _pace(self, candidate: Candidate) -> None:
        """Put off the next try, after a success too: some accept only to hang up."""
        candidate.failures += 1
        delay = min(BACKOFF_MOST_SECONDS, BACKOFF_FIRST_SECONDS * 2 ** min(candidate.failures, 10))
        candidate.next_try = trio.current_time() + delay * self._rng.uniform(0.5, 1.0)

    async def _read_book(self) -> None:
        if self._book is None or self._book_folder is None:
            return
        now = trio.current_time()
        with suppress(OSError):
            changed = self._book_folder.stat().st_mtime_ns  # microseconds, local
            if changed == self._book_seen[0] and now - self._book_seen[1] < BOOK_RESCAN_SECONDS:
                return
            self._book_seen = (changed, now)
            entries = await trio.to_thread.run_sync(self._book.read)
            for entry in entries:
                for address in entry.addresses:
                    self._add_candidate(address, Source.BOOK)

    def _never_subscribed(self, peer: str, now: float) -> bool:
        since = self._connected_at.get(peer, now)
        return now - since > self._subscribe_seconds and peer not in self._subscribers()

    def _is_due_for_ping(self, peer: str, now: float) -> bool:
        signs = (
            self._heard(peer),
            self._connected_at.get(peer),
            self._pinged_at.get(peer),
            *(c.muxed_conn.answered_at for c in self._network.get_connections(peer_id_of(peer))),
        )
        return bool(now - max(at for at in signs if at is not None) > PING_QUIET_SECONDS)

    async def _ping(self, peer: str) -> None:
        deadline = trio.current_time() + PING_SECONDS
        try:
            with trio.fail_at(deadline):
                for connection in self._network.get_connections(peer_id_of(peer)):
                    await _ping_yamux(connection.muxed_conn)
            self._strikes.pop(peer, None)
        except Exception as error:
            # Any way in which a ping fails is one: libp2p has no common error.
            if trio.current_time() - deadline > LATE_SECONDS:
                return  # This very process got no time: the answer may be waiting to be read.
            strikes = self._strikes.get(peer, 0) + 1
            self._strikes[peer] = strikes
            log.debug("ping_failed", peer=peer, strikes=strikes, reason=type(error).__name__)
            self._pinged_at[peer] = -math.inf
            if strikes >= PING_STRIKES:
                log.info("neighbour_unresponsive", peer=peer)
                await self.disconnect(peer)

    async def disconnect(self, peer: str) -> None:
        """Close every connection to a neighbour; its address is dialled again after a pause."""
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
    """Wait for one answer of yamux itself.

    libp2p's ping protocol negotiates a stream each time, which cost more than all else an idle
    peer does; yamux answers a frame of twelve bytes.
    """
    answered = muxed._ping_event = trio.Event()
    muxed._ping_sent_time = trio.current_time()
    muxed._ping_id += 1
    header = struct.pack(YAMUX_HEADER_FORMAT, 0, TYPE_PING, FLAG_SYN, 0, muxed._ping_id)
    await muxed._write_frame(header)
    await answered.wait()
