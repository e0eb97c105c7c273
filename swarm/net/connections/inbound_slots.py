"""Which inbound connections a peer keeps when more arrive than it has slots for.

A peer holds a bounded number of connections. If the first to arrive could stay for ever, a few
dozen idle strangers would close it to everyone, and in a large honest swarm where all were given
one address, all but the first peers would stay alone. So:

- inbound slots do not use up the room for connections that this peer dials itself;
- a peer that finds the slots full is admitted as a *guest*, in a few extra slots. It stays until
  others need the slot: long enough to learn over `/swarm/peers` which other peers it can dial, and
  to receive everything by sync;
- now and then a guest is not disconnected but *settles*, and a settled connection, drawn at random,
  goes instead. So nobody keeps others out for ever, and connecting more often gains nothing.

No peer is preferred for what it does, because a hostile peer can do whatever an honest one does. A
peer that is disconnected dials others, or dials again.

Sans-I/O: time is passed in, in seconds on any clock that only goes forward.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

MAX_SETTLED = 56
"""Inbound connections that stay. Four to sixteen are usual."""

MAX_GUESTS = 8
"""Inbound connections beyond those, which stay until others need the slot."""

MAX_INBOUND = MAX_SETTLED + MAX_GUESTS
"""Inbound connections at once."""

GUEST_SECONDS = 4.0
"""Seconds for which a guest is not disconnected. Peer exchange takes 0.3 s, or a few seconds on a
busy machine or a slow link; with eight guest slots, two newcomers a second get this time."""

SWAP_PAUSE_SECONDS = 5.0
"""Seconds between two guests that settle in the slots of others. However many peers connect, a
settled connection lasts 200 s on average, and a peer that competes with dozens settles within
minutes."""


@dataclass(slots=True, eq=False)
class Inbound:
    """One inbound connection.

    Attributes:
        since: when it was admitted, in seconds.
        close: closes it.
    """

    since: float
    close: Callable[[], object]


class InboundSlots:
    """Keeps the number of inbound connections within bounds.

    Args:
        rng: draws the settled connection that makes room.
        settled: slots for connections that stay.
        guests: slots for more connections.
    """

    def __init__(
        self, rng: random.Random, *, settled: int = MAX_SETTLED, guests: int = MAX_GUESTS
    ) -> None:
        self._rng = rng
        self._settled_slots = settled
        self._guest_slots = guests
        self._settled: list[Inbound] = []
        self._guests: list[Inbound] = []
        self._swapped_at = -math.inf

    def __len__(self) -> int:
        return len(self._settled) + len(self._guests)

    def has_room(self, now_seconds: float) -> bool:
        """Return whether a new connection would be admitted; asked before the costly handshake."""
        return len(self) < self._settled_slots + self._guest_slots or self._can_replace(now_seconds)

    def admit(self, now_seconds: float, close: Callable[[], object]) -> Inbound | None:
        """Admit a connection, if need be in the slot of another; return None if there is no room.

        Args:
            now_seconds: the time.
            close: called at most once, when the connection has to make room.
        """
        inbound = Inbound(now_seconds, close)
        if len(self._settled) < self._settled_slots:
            self._settled.append(inbound)
            return inbound
        if len(self._guests) >= self._guest_slots:
            if not self._can_replace(now_seconds):
                return None
            self._make_room(now_seconds)
        self._guests.append(inbound)
        return inbound

    def release(self, inbound: Inbound) -> None:
        """Free the slot of a connection that is closed, for whatever reason."""
        if inbound in self._guests:
            self._guests.remove(inbound)
        elif inbound in self._settled:
            self._settled.remove(inbound)
            if self._guests:
                self._settled.append(self._guests.pop(0))

    def _can_replace(self, now_seconds: float) -> bool:
        return bool(self._guests) and now_seconds - self._guests[0].since >= GUEST_SECONDS

    def _make_room(self, now_seconds: float) -> None:
        gone = self._guests.pop(0)
        if now_seconds - self._swapped_at >= SWAP_PAUSE_SECONDS:
            self._swapped_at = now_seconds
            slot = self._rng.randrange(len(self._settled))
            gone, self._settled[slot] = self._settled[slot], gone
        gone.close()
