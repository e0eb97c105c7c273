"""How far other peers' clocks are from this peer's, judged by the stamps of their presences.

A presence that is stamped too far from the local clock does not count: it is dropped or held. Its
author would then be missing without a word, so its offset is noted here. Nothing here changes which
peers count as present, or how a plan is folded.

A stamp ahead of the local clock is proof: only its author can have signed it. A stamp behind is
not: anyone can repeat an old presence. So a clock counts as behind only when its newer presences
are late by the same amount, or later than any honest peer repeats one, and a fresh presence clears
it at once. Whether the local clock is the odd one is decided by the median over the authors known
longest: one peer cannot shift it, nor can a crowd that comes later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from statistics import median_high, median_low

from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import Record
from swarm.core.roster import Roster

JUDGES = 15
"""How many authors, those known longest, are asked about the local clock."""

QUORUM = 2
"""Fewest authors that can show that the local clock is wrong: of two clocks that differ, neither is
the right one."""

HINT_MS = 10_000
"""How late every presence must be for a hint that the local clock is ahead, in ms, before any
author was heard twice: more than a busy machine takes to show a newcomer its own presence."""

SAMPLES = 3
"""How many late presences of an author are kept."""


@dataclass(slots=True)
class _Noted:
    record: Record
    arrived_ms: int
    offsets: list[int] = field(default_factory=list)
    """By how many ms the newest presences were stamped later than they arrived."""
    beyond_repeats: bool = False
    """Whether the newest one is older than any that honest peers repeat."""

    @property
    def offset(self) -> int:
        return max(self.offsets)

    @property
    def late(self) -> bool:
        return self.offset < -MAX_DRIFT_MS

    @property
    def confirmed(self) -> bool:
        """Whether the offset is the clock's, and not the age of a presence that came late."""
        if not self.late:
            return True
        return any(abs(one - two) <= MAX_DRIFT_MS for one, two in pairwise(self.offsets))


@dataclass(frozen=True, slots=True)
class OwnClock:
    """What other peers' clocks show about the local one.

    Attributes:
        behind_ms: how many ms the local clock is behind theirs; negative: ahead.
        judges: how many authors were compared.
    """

    behind_ms: int
    judges: int


class ClockOffsets:
    """The offset of each author's clock, within bounds."""

    def __init__(self, most: int, roster: Roster) -> None:
        """Start with none.

        Args:
            most: how many authors are remembered.
            roster: whose presences count.
        """
        self._most = most
        self._roster = roster
        self._of: dict[bytes, _Noted] = {}
        """By author, the one known longest first."""

    def __len__(self) -> int:
        return len(self._of)

    def note(self, record: Record, now_ms: int, gone_ms: int) -> None:
        """Note a presence that has just arrived, whether or not it counts.

        Args:
            record: the presence.
            now_ms: the local clock, in ms.
            gone_ms: how old a presence may be that others still repeat, in ms.
        """
        offset = record.stamp.ms - now_ms
        known = self._of.get(record.author)
        if known is None:
            if len(self._of) >= self._most:
                return
            known = self._of[record.author] = _Noted(record, now_ms)
        elif record.key <= known.record.key and (
            abs(offset) > MAX_DRIFT_MS or record.id == known.record.id
        ):
            return
        known.record, known.arrived_ms = record, now_ms
        known.beyond_repeats = offset < -gone_ms
        if offset >= -MAX_DRIFT_MS or (known.offsets and known.offset > MAX_DRIFT_MS):
            known.offsets = [offset]
        else:
            known.offsets = [*known.offsets, offset][-SAMPLES:]

    def expire(self, now_ms: int, gone_ms: int) -> None:
        """Drop authors that were not heard for too long, or before the local clock was set back."""
        gone = [
            author
            for author, noted in self._of.items()
            if not -MAX_DRIFT_MS <= now_ms - noted.arrived_ms <= gone_ms
        ]
        for author in gone:
            del self._of[author]

    def offset_of(self, author: bytes) -> int:
        """Return how many ms an author's clock is ahead; negative: behind; 0: it agrees."""
        noted = self._of.get(author)
        if noted is None or abs(noted.offset) <= MAX_DRIFT_MS:
            return 0
        return noted.offset if noted.confirmed or noted.beyond_repeats else 0

    def differing(self) -> Iterator[tuple[Record, int, bool]]:
        """Yield the newest presence of each author whose clock differs, and by how many ms.

        The last value tells whether it is certain: a single old presence may have been repeated by
        a peer that wants its author's clock to look wrong.
        """
        for author, noted in self._of.items():
            offset = self.offset_of(author)
            if offset:
                yield noted.record, offset, noted.confirmed

    def own(self, me: bytes, *, hint: bool = False) -> OwnClock | None:
        """Return how far the local clock is from most others; None: it agrees, or is not known.

        Args:
            me: this peer's author, whose own presences others may repeat to it.
            hint: whether presences that each arrived late once are enough, if no clock agrees. A
                command has no time to hear each author twice.
        """
        judges = list(islice(self._judges(me), JUDGES))
        sure = [noted.offset for noted in judges if noted.confirmed]
        if not sure and hint:
            late = [noted.offset for noted in judges if noted.offset < -HINT_MS]
            newest = max(late, default=0)
            sure = [offset for offset in late if newest - offset <= MAX_DRIFT_MS]
        if len(sure) < QUORUM:
            return None
        middle = min(median_low(sure), median_high(sure), key=abs)
        return OwnClock(middle, len(sure)) if abs(middle) > MAX_DRIFT_MS else None

    def _judges(self, me: bytes) -> Iterator[_Noted]:
        for author, noted in self._of.items():
            if author != me and self._roster.allows(noted.record):
                yield noted
