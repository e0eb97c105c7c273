"""Who was heard lately: the newest presence of each author, within bounds.

Presences are never stored and belong to no goal; `presence` says how often they come.
"""

from __future__ import annotations

from swarm.core.clock import MAX_MS
from swarm.core.presence import gone_after_ms
from swarm.core.records import Presence, Record
from swarm.core.roster import Roster
from swarm.core.store.first_seen import Acquaintances, name_known
from swarm.core.store.limits import Limits


class Present:
    """The peers that are here, as one peer hears them."""

    def __init__(self, limits: Limits, roster: Roster) -> None:
        """Start alone.

        Args:
            limits: how many are remembered, and for how long.
            roster: who may speak.
        """
        self._limits = limits
        self._roster = roster
        self._of: dict[bytes, Record] = {}
        self._oldest_ms = MAX_MS
        """No presence is older than this."""
        self._known = Acquaintances()

    def __len__(self) -> int:
        return len(self._of)

    def hear(self, record: Record, now_ms: int) -> Record | None:
        """Take in a presence; return it if it is news, else the one known before, if there is one.

        It is no news when it is older than the one known, too old, or when there is no room.
        """
        known = self._of.get(record.author)
        if now_ms - record.stamp.ms > self._gone_after_ms():
            return None
        if known is not None and known.key >= record.key:
            return known
        if known is None and len(self._of) >= self._limits.presences:
            return None
        self._of[record.author] = record
        self._known.heard(record.author, now_ms)
        self._oldest_ms = min(self._oldest_ms, record.stamp.ms)
        return record

    def all(self) -> list[Record]:
        """Return the newest presence of each author, by author, foreign ones too."""
        return [self._of[author] for author in sorted(self._of)]

    def scorers(self) -> set[bytes]:
        """Return the scorers that may vote and can work now."""
        return {
            record.author
            for record in self._of.values()
            if isinstance(record.body, Presence)
            and record.body.role == "scorer"
            and not record.body.trouble
            and self._roster.allows(record)
        }

    def known_longest(self, now_ms: int) -> list[bytes]:
        """Return the authors to name as known in a goal asked now; see `Store.known_longest`."""
        return name_known(self.all(), self._known, now_ms)

    def miss(self, author: bytes) -> None:
        """Take a peer for gone, until it is heard again."""
        self._of.pop(author, None)

    def let_go(self, now_ms: int) -> None:
        """Forget who was not heard for long; looks at all of them only when one may be due."""
        gone_ms = self._gone_after_ms()
        if now_ms - self._oldest_ms <= gone_ms:
            return
        self._of = {
            author: record
            for author, record in self._of.items()
            if now_ms - record.stamp.ms <= gone_ms
        }
        self._oldest_ms = min((record.stamp.ms for record in self._of.values()), default=MAX_MS)

    def _gone_after_ms(self) -> int:
        return gone_after_ms(len(self._of), self._limits.presence_ms)
