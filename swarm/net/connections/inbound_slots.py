"""Who of those that come in may stay, when more come than there is room for.

A peer holds a bounded number of connections. If whoever came first could stay for good, a few dozen
idle strangers would close it to everybody, and of a large honest swarm that was told one address
all but the first would be left with nobody. So:

- the room for those who come in leaves room for those whom this peer dials itself;
- who finds it full is let in as a *guest*, in a few places kept for that, and stays until others
  need the place: time enough to be told over `/swarm/peers` whom else it can dial, and to be told
  everything by sync;
- now and then a guest is not shown out but *settles*, and one who had settled, drawn by lot, goes
  instead. So nobody keeps anybody out for ever, and those who press in faster gain nothing by it.

Nobody is preferred for what it does: what an honest peer does a hostile one can do as well, and who
is shown out dials others, or again.

Sans-I/O: time is passed in, in seconds on any clock that only goes forward.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

MAX_SETTLED = 56
"""Connections from outside that stay. Four to sixteen are usual."""

MAX_GUESTS = 8
"""Connections from outside beyond those."""

MAX_INBOUND = MAX_SETTLED + MAX_GUESTS
"""Connections from outside at once."""

GUEST_SECONDS = 4.0
"""Seconds for which no guest is shown out. Being introduced to others takes 0.3 s, or a few on a
busy machine or over a slow link; with eight places, two newcomers a second get this time."""

SWAP_PAUSE_SECONDS = 5.0
"""Seconds between two guests that settle in the place of others. However many press in, somebody
who has settled stays for 200 s on average; and whoever waits among dozens is in after minutes."""


@dataclass(slots=True, eq=False)
class Inbound:
    """One connection from outside.

    Attributes:
        since: when it came, in seconds.
        close: closes it.
    """

    since: float
    close: Callable[[], object]


class InboundSlots:
    """Keeps the connections that came in within bounds.

    Args:
        rng: for the lot.
        settled: how many may settle.
        guests: how many more may be there at once.
    """

    def __init__(
        self, rng: random.Random, *, settled: int = MAX_SETTLED, guests: int = MAX_GUESTS
    ) -> None:
        self._rng = rng
        self._places = settled
        self._guest_places = guests
        self._settled: list[Inbound] = []
        self._guests: list[Inbound] = []
        self._swapped_at = -math.inf

    def __len__(self) -> int:
        return len(self._settled) + len(self._guests)

    def has_room(self, now: float) -> bool:
        """Whether somebody who comes now would be let in; asked before the costly handshake."""
        return len(self) < self._places + self._guest_places or self._can_replace(now)

    def admit(self, now: float, close: Callable[[], object]) -> Inbound | None:
        """Let somebody in, if need be in the place of another; None: there is no room.

        Args:
            now: the time.
            close: called, at most once, when it has to make room itself.
        """
        visit = Inbound(now, close)
        if len(self._settled) < self._places:
            self._settled.append(visit)
            return visit
        if len(self._guests) >= self._guest_places:
            if not self._can_replace(now):
                return None
            self._make_room(now)
        self._guests.append(visit)
        return visit

    def release(self, visit: Inbound) -> None:
        """A connection is closed, for whatever reason."""
        if visit in self._guests:
            self._guests.remove(visit)
        elif visit in self._settled:
            self._settled.remove(visit)
            if self._guests:
                self._settled.append(self._guests.pop(0))

    def _can_replace(self, now: float) -> bool:
        return bool(self._guests) and now - self._guests[0].since >= GUEST_SECONDS

    def _make_room(self, now: float) -> None:
        gone = self._guests.pop(0)
        if now - self._swapped_at >= SWAP_PAUSE_SECONDS:
            self._swapped_at = now
            place = self._rng.randrange(len(self._settled))
            gone, self._settled[place] = self._settled[place], gone
        gone.close()
