"""Which peers are here: the newest presence of each author, within bounds, and how often they come.

Presences are never stored and belong to no goal. The more peers there are, the less often each
publishes one: together they publish no more than a few a second, however large the swarm. Every
peer counts the peers it knows and waits accordingly.
"""

from __future__ import annotations

from swarm.core.clock import MAX_MS
from swarm.core.policy import SECOND
from swarm.core.records import Presence, Record, can_work
from swarm.core.roster import Roster
from swarm.core.store.first_seen import FirstSeen, name_known
from swarm.core.store.limits import Limits

EVERY_MS = 20 * SECOND
"""Time between two presences of one peer of a small swarm, in ms."""

MOST_PER_SECOND = 4
"""Most presences per second of the whole swarm: a fifth of what gossip carries comfortably. It is
reached at 80 peers."""

BEATS = 3
"""A peer is gone when it was not heard for this many of its intervals and half of `EVERY_MS`: two
presences may be lost."""


def presence_every_ms(present: int) -> int:
    """Return the time between two presences of one peer, in ms.

    Args:
        present: how many peers are known to be here.
    """
    return max(EVERY_MS, present * SECOND // MOST_PER_SECOND)


def gone_after_ms(present: int, least_ms: int) -> int:
    """Return how long after its last presence a peer counts as gone, in ms.

    Args:
        present: how many peers are known to be here.
        least_ms: the least, for a small swarm.
    """
    return max(least_ms, BEATS * presence_every_ms(present) + EVERY_MS // 2)


class Presences:
    """The peers that are here, as one peer hears them."""

    def __init__(self, limits: Limits, roster: Roster) -> None:
        """Start with none.

        Args:
            limits: how many are remembered, and for how long.
            roster: who may publish here.
        """
        self._limits = limits
        self._roster = roster
        self._of: dict[bytes, Record] = {}
        self._oldest_ms = MAX_MS
        """No presence is older than this."""
        self._first_seen = FirstSeen()
        self.version = 0
        """Changes with who is here and what they can do, as far as agents ask for it."""

    def __len__(self) -> int:
        return len(self._of)

    def hear(self, record: Record, now_ms: int) -> Record | None:
        """Keep a presence and return it; return the one kept before if that is newer.

        None: it is too old, or there is no room for another author.
        """
        known = self._of.get(record.author)
        if now_ms - record.stamp.ms > self._gone_after_ms():
            return None
        if known is not None and known.key >= record.key:
            return known
        if known is None and len(self._of) >= self._limits.presences:
            return None
        if known is None or self._ability(known) != self._ability(record):
            self.version += 1
        self._of[record.author] = record
        self._first_seen.heard(record.author, now_ms)
        self._oldest_ms = min(self._oldest_ms, record.stamp.ms)
        return record

    def all(self) -> list[Record]:
        """Return the newest presence of each author, foreign ones included, ordered by author."""
        return [self._of[author] for author in sorted(self._of)]

    def scorers(self) -> set[bytes]:
        """Return the authors that may vote as scorers and can work now."""
        return {
            record.author
            for record in self._of.values()
            if isinstance(record.body, Presence)
            and record.body.role == "scorer"
            and can_work(record.body.trouble)
            and self._roster.allows(record)
        }

    def known_longest(self, now_ms: int) -> list[bytes]:
        """Return the authors to name as known in a goal; see `Store.known_longest`."""
        return name_known(self.all(), self._first_seen, now_ms)

    def miss(self, author: bytes) -> None:
        """Treat a peer as gone until it is heard again."""
        if self._of.pop(author, None) is not None:
            self.version += 1

    def expire(self, now_ms: int) -> None:
        """Drop peers that have not been heard for too long; scans only when one may be due."""
        gone_ms = self._gone_after_ms()
        if now_ms - self._oldest_ms <= gone_ms:
            return
        here = len(self._of)
        self._of = {
            author: record
            for author, record in self._of.items()
            if now_ms - record.stamp.ms <= gone_ms
        }
        self.version += len(self._of) != here
        self._oldest_ms = min((record.stamp.ms for record in self._of.values()), default=MAX_MS)

    def _ability(self, record: Record) -> tuple[str, list[str], bool, bool]:
        """Return what a presence says about the work that its author can do."""
        body = record.body
        assert isinstance(body, Presence)
        able = can_work(body.trouble)
        return body.role, body.capabilities, able, self._roster.allows(record)

    def _gone_after_ms(self) -> int:
        return gone_after_ms(len(self._of), self._limits.presence_ms)
