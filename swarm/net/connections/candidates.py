"""The addresses a peer knows and might dial, and which of them first.

Anybody may say anything about where peers are. What a person listed is kept for ever; what the
machine's address book or the local network shows is better than what neighbours tell; and none of
them can fill the table so that a better address finds no room, or so that the others are never
tried: room is bounded per peer id and per neighbour that told, and what is discovered and what is
told take turns.

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
"""Addresses remembered; a hostile network may announce any number."""

MAX_OF_ONE = 4
"""Addresses of one peer id, of those that nobody listed. A peer gives no more of itself."""

MAX_TOLD = 64
"""Addresses that one neighbour told: two answers, each with all it may name."""


class Source(enum.IntEnum):
    """Where an address is from; the higher, the less can a stranger have a say in it."""

    TOLD = enum.auto()
    ANNOUNCED = enum.auto()
    BOOK = enum.auto()
    LISTED = enum.auto()


@dataclass(slots=True, eq=False)
class Candidate:
    """An address that may be dialled.

    Attributes:
        address: as a multiaddress.
        peer_id: whom to expect there, or who answered there last.
        source: where it is from.
        source_peer: the neighbour that told it, or None.
        failures: tries since it last led to a connection that lasted.
        next_try: when it may be tried again, in seconds.
        dialling: whether it is being tried now.
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
        """Whether a person wrote it down: tried for ever."""
        return self.source is Source.LISTED


class Candidates:
    """The table of them.

    Args:
        listed: addresses a person configured.
        own_id: this peer's id; its own addresses are of no use.
        rng: for order and for whom to forget.
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
        """Learn an address; return whether it is new here and usable.

        Args:
            address: a multiaddress, of whatever form.
            source: where it is from.
            source_peer: the neighbour that told it, or None.
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
        """All addresses of a peer id."""
        return [c for c in self._table.values() if c.peer_id == peer]

    def ready(self, now: float, busy: Collection[str | None]) -> list[Candidate]:
        """What may be dialled now, what to dial first before the rest.

        Args:
            now: the time.
            busy: peer ids that need no dial.
        """
        groups: dict[Source, list[Candidate]] = {}
        for c in self._table.values():
            if (
                not c.dialling
                and c.next_try <= now
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
        """Make room for an address by forgetting a worse one, where a bound is reached."""
        everybody = list(self._table.values())
        bounds = (
            (MAX_OF_ONE, [c for c in everybody if c.peer_id == new.peer_id is not None]),
            (MAX_TOLD, [c for c in everybody if c.source_peer == new.source_peer is not None]),
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
        """The less, the sooner forgotten: one of a neighbour is not needed to find it."""
        is_met = c.peer_id in connected
        is_orphan = c.source_peer is not None and c.source_peer not in connected
        return (not is_met, c.source, not is_orphan, -c.failures, self._rng.random())


_TURNS = {Source.BOOK: Source.ANNOUNCED}
"""What the machine and its network show is tried as one."""
