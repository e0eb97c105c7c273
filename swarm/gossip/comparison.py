"""What another peer's digest tells about the records that it holds and that we hold.

Two peers hold nearly the same records and gossip takes tens of milliseconds, so a digest is always
slightly out of date. A difference counts only if records on their way cannot explain it. To find
out, a bucket is compared without every combination of the records that arrived here shortly before
the digest or since.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass, field

from swarm.core.bounded import BoundedDict
from swarm.gossip.frames import (
    BUCKETS,
    PRINT_SIZE,
    GoalDigest,
    bucket_of,
    digest_of,
    print_of,
)
from swarm.gossip.record_set import ID_SIZE, RecordSet

IN_FLIGHT_MS = 1_500
"""Milliseconds for which a record counts as on its way to others: ten times the slowest delivery
measured (p99 136 ms), because busy machines are slower."""

MAX_EXPLAINED = 7
"""Recent records in a bucket that are tried in every combination (128). With more, the bucket is in
flux and tells nothing yet."""

MAX_RECENT = 20_000
"""Recent records remembered."""

MAX_HELD = 512
"""Goals whose buckets are kept ready."""

NO_PRINTS = (bytes(PRINT_SIZE),) * BUCKETS
NO_BUCKETS: tuple[tuple[bytes, ...], ...] = ((),) * BUCKETS
"""The prints and the buckets of a goal that we hold nothing of."""


class Bucket(enum.Enum):
    """What comparing one bucket shows."""

    SAME = enum.auto()
    FLUX = enum.auto()
    THEY_LACK_ONE = enum.auto()
    DIFFERS = enum.auto()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing one goal of a peer's digest with our records shows.

    Attributes:
        they_lack: for each bucket in which they evidently lack records of ours, the ids.
        certain: whether every bucket of `they_lack` names exactly what they lack.
        we_lack: whether they evidently hold records that we lack.
        flux: whether some bucket could not be judged yet.
    """

    they_lack: dict[int, list[bytes]] = field(default_factory=dict)
    certain: bool = True
    we_lack: bool = False
    flux: bool = False

    @property
    def same(self) -> bool:
        """Whether nothing need be done."""
        return not (self.they_lack or self.we_lack or self.flux)


@dataclass(frozen=True, slots=True)
class _Held:
    summary: tuple[int, bytes]
    digest: GoalDigest
    buckets: tuple[tuple[bytes, ...], ...]


class LocalView:
    """Our own records, ready to compare; what has not changed is not computed again."""

    def __init__(self, records: RecordSet) -> None:
        self._records = records
        self._held: BoundedDict[bytes, _Held] = BoundedDict(MAX_HELD)
        self._recent: BoundedDict[bytes, int] = BoundedDict(MAX_RECENT)

    def arrived(self, record_id: bytes, now_ms: int) -> None:
        """Note a new record, which others may be about to receive."""
        self._recent[record_id] = now_ms

    def digest(self, goal: bytes) -> GoalDigest:
        """Return our digest of a goal; its count is 0 for one that we do not hold."""
        return self._hold(goal).digest

    def compare(self, theirs: GoalDigest, heard_ms: int) -> Comparison:
        """Compare one goal of a digest with what we hold now.

        Args:
            theirs: the goal as the digest shows it.
            heard_ms: when the digest was heard.
        """
        held = self._hold(theirs.goal)
        if held.summary == (theirs.count, theirs.xor):
            return Comparison()
        if not held.summary[0]:
            # Comparing each bucket would give the same; strangers name goals by the hundred.
            return Comparison(we_lack=theirs.count > 0 and theirs.prints != NO_PRINTS)
        they_lack: dict[int, list[bytes]] = {}
        certain, we_lack, flux = True, False, False
        for nibble in range(BUCKETS):
            state, ids = self._judge(held, nibble, theirs.prints[nibble], heard_ms)
            match state:
                case Bucket.FLUX:
                    flux = True
                case Bucket.THEY_LACK_ONE:
                    they_lack[nibble] = ids
                case Bucket.DIFFERS:
                    we_lack = we_lack or theirs.count > 0
                    if ids:
                        they_lack[nibble] = ids
                        certain = certain and theirs.count == 0
        return Comparison(they_lack, certain, we_lack, flux)

    def _judge(
        self, held: _Held, nibble: int, theirs: bytes, heard_ms: int
    ) -> tuple[Bucket, list[bytes]]:
        mine = held.digest.prints[nibble]
        if mine == theirs:
            return Bucket.SAME, []
        ids = held.buckets[nibble]
        settled_ms = heard_ms - IN_FLIGHT_MS
        recent = [i for i in ids if self._recent.get(i, settled_ms) > settled_ms]
        difference = int.from_bytes(mine) ^ int.from_bytes(theirs)
        if len(recent) > MAX_EXPLAINED:
            return Bucket.FLUX, []
        for size in range(1, len(recent) + 1):
            for chosen in itertools.combinations(recent, size):
                if _folded(chosen) == difference:
                    return Bucket.SAME, []
        for record_id in ids:
            if int.from_bytes(print_of(record_id)) == difference:
                return Bucket.THEY_LACK_ONE, [record_id]
        return Bucket.DIFFERS, [i for i in ids if i not in recent]

    def _hold(self, goal: bytes) -> _Held:
        summary = self._records.summary(goal)
        if not summary[0]:
            # Not kept ready: strangers could name goals without end, and push out those we hold.
            return _Held(summary, GoalDigest(goal, 0, bytes(ID_SIZE), NO_PRINTS), NO_BUCKETS)
        held = self._held.get(goal)
        if held is None or held.summary != summary:
            ids = tuple(self._records.ids(goal))
            buckets: list[list[bytes]] = [[] for _ in range(BUCKETS)]
            for record_id in ids:
                buckets[bucket_of(record_id)].append(record_id)
            held = _Held(summary, digest_of(goal, ids), tuple(tuple(b) for b in buckets))
            self._held[goal] = held
        return held


def _folded(ids: tuple[bytes, ...]) -> int:
    total = 0
    for record_id in ids:
        total ^= int.from_bytes(print_of(record_id))
    return total
