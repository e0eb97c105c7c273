"""The addresses that a peer might dial, and which come first.

Anyone may claim anything about where peers are. So addresses have a rank: those that a person
configured are kept for ever, and those from the machine's address book or the local network are
better than those that neighbours name. No source can fill the table so that a better address finds
no room, or so that other addresses are never tried: room is bounded per peer id and per neighbour
that named addresses, and addresses from discovery and from neighbours take turns.

Sans-I/O: time is passed in, in seconds on any clock that only goes forward.
"""

from __future__ import annotations

import enum
import math
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from swarm.net.addresses import MAX_ADDRESS, is_usable, peer_id_in

MAX_CANDIDATES = 1_000
"""Addresses in the table; a hostile network may announce any number."""

MAX_OF_ONE = 4
"""Addresses of one peer id, configured ones aside. A peer gives no more for itself."""

MAX_NAMED = 64
"""Addresses that one neighbour named: two full answers."""


class Source(enum.IntEnum):
    """Where an address comes from. The higher, the less a stranger can influence it."""

    NAMED = enum.auto()
    """A neighbour named it."""
    ANNOUNCED = enum.auto()
    """It was announced on the local network."""
    BOOK = enum.auto()
    """The machine's address book holds it."""
    LISTED = enum.auto()
    """A person configured it."""


@dataclass(slots=True, eq=False)
class Candidate:
    """An address that may be dialled.

    Attributes:
        address: as a multiaddress.
        peer_id: the peer to expect there, or the one that answered there last.
        source: where it comes from.
        source_peer: the neighbour that named it, or None.
        failures: dials since it last led to a lasting connection.
        next_try: when it may be dialled again, in seconds.
        dialling: whether it is being dialled now.
    """

    address: str
    peer_id: str | None
    source: Source
    source_peer: str | None = None
    failures: int = 0
    next_try: float = -math.inf
    dialling: bool = False

    @property
    def listed(self) -> bool:
        """Whether a person configured it, so that it is dialled for ever."""
        return self.source is Source.LISTED


class Candidates:
    """The table of addresses that may be dialled.

    Args:
        listed: addresses that a person configured.
        own_id: this peer's id, to leave out its own addresses.
        rng: decides the order and which address is forgotten.
    """

    def __init__(self, listed: Iterable[str], own_id: str, rng: random.Random) -> None:
        self._own_id = own_id
        self._rng = rng
        self._table = {a: Candidate(a, peer_id_in(a), Source.LISTED) for a in listed}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(tuple(self._table.values()))

    def __len__(self) -> int:
        return len(self._table)

    def add(
        self, address: str, source: Source, source_peer: str | None, connected: Collection[str]
    ) -> bool:
        """Add an address; return whether it is new here and usable.

        Args:
            address: a multiaddress in any form.
            source: where it comes from.
            source_peer: the neighbour that named it, or None.
            connected: peer ids of all neighbours.
        """
        peer = peer_id_in(address)
        if peer == self._own_id:
            return False
        if (known := self._table.get(address)) is not None:
            if source > known.source:
                known.source, known.source_peer = source, source_peer
            return False
        if len(address) > MAX_ADDRESS or not is_usable(address):
            return False
        new = Candidate(address, peer, source, source_peer)
        if not self._has_room(new, connected):
            return False
        self._table[address] = new
        return True

    def drop(self, candidate: Candidate) -> None:
        """Forget an address."""
        self._table.pop(candidate.address, None)

    def of_peer(self, peer: str) -> list[Candidate]:
        """Return all addresses of a peer id."""
        return [c for c in self._table.values() if c.peer_id == peer]

    def ready(self, now_seconds: float, busy: Collection[str | None]) -> list[Candidate]:
        """Return the addresses that may be dialled now, the first to dial first.

        Args:
            now_seconds: the time.
            busy: peer ids that need not be dialled.
        """
        groups: dict[Source, list[Candidate]] = {}
        for c in self._table.values():
            if (
                not c.dialling
                and c.next_try <= now_seconds
                and (c.peer_id is None or c.peer_id not in busy)
            ):
                groups.setdefault(_TURNS.get(c.source, c.source), []).append(c)
        for group in groups.values():
            self._rng.shuffle(group)
        first = groups.pop(Source.LISTED, [])
        return first + self._take_turns(list(groups.values()))

    def _take_turns(self, groups: list[list[Candidate]]) -> list[Candidate]:
        mixed = []
        while groups := [group for group in groups if group]:
            mixed.append(self._rng.choice(groups).pop())
        return mixed

    def _has_room(self, new: Candidate, connected: Collection[str]) -> bool:
        """Return whether an address fits, after forgetting a worse one where a bound is reached."""
        everybody = list(self._table.values())
        bounds = (
            (MAX_OF_ONE, [c for c in everybody if c.peer_id == new.peer_id is not None]),
            (MAX_NAMED, [c for c in everybody if c.source_peer == new.source_peer is not None]),
            (MAX_CANDIDATES, everybody),
        )
        for most, rivals in bounds:
            rivals = [c for c in rivals if c.address in self._table and not c.listed]
            if len(rivals) < most:
                continue
            worse = [c for c in rivals if c.source <= new.source and not c.dialling]
            if not worse:
                return False
            self.drop(min(worse, key=lambda c: self._worth(c, connected)))
        return True

    def _worth(self, c: Candidate, connected: Collection[str]) -> tuple[float, ...]:
        """Return a sort key: the lowest is forgotten first.

        A neighbour's address comes early, because it is not needed to find that peer.
        """
        is_connected = c.peer_id in connected
        has_lost_source = c.source_peer is not None and c.source_peer not in connected
        return (not is_connected, c.source, not has_lost_source, -c.failures, self._rng.random())


_TURNS = {Source.BOOK: Source.ANNOUNCED}
"""The address book and the local network take turns as one source."""
