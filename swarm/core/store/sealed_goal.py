"""A finished goal's records, packed: their exact bytes, compressed, and nothing decoded.

Most of what a peer holds is history that nobody looks at. Packed, a record takes about a third of
its own bytes; decoded, with its place in the plan, it takes four times as many.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from swarm.core.clock import EPOCH, Stamp
from swarm.core.records import Ballot, Record, decode

LEVEL = 1
"""Of zlib: three quarters of what the best level saves, in a fifth of its time."""

PRINT_SIZE = 8
"""Bytes of each record's print, which tells a known record from a forged copy without unpacking."""

HEAD = struct.Struct(">IIQQ")
"""Of the bytes of a packed goal: how many records and raters, and the latest stamp."""

ENDED_HEAD = struct.Struct(">Q?I")
"""When a goal ended, whether it is done, and the bytes of its own record, which follow."""


class Pack(NamedTuple):
    """A goal's records as they are packed, to be sent as they are."""

    sizes: tuple[int, ...]
    """Bytes of each record."""
    data: bytes
    """All records one after the other, compressed (zlib)."""


class SealedGoal:
    """The records of one goal, packed; unpacking takes about a millisecond."""

    __slots__ = ("_blob", "_ends", "_places", "_prints", "last", "raters")

    def __init__(self, records: Iterable[Record]) -> None:
        """Pack records, which have been verified."""
        kept = list(records)
        self.raters = frozenset(r.author for r in kept if isinstance(r.body, Ballot))
        """The authors of all ballots."""
        self.last = max((record.stamp for record in kept), default=EPOCH)
        """The latest stamp."""
        self._places = {record.id: place for place, record in enumerate(kept)}
        self._prints = b"".join(_print(record.raw) for record in kept)
        self._ends = array("Q")
        end = 0
        for record in kept:
            end += len(record.raw)
            self._ends.append(end)
        self._blob = zlib.compress(b"".join(record.raw for record in kept), LEVEL)

    def __contains__(self, rid: object) -> bool:
        return rid in self._places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def ids(self) -> Collection[bytes]:
        """The ids of all records."""
        return self._places.keys()

    def is_copy(self, rid: bytes, raw: bytes) -> bool:
        """Return whether bytes are those of the record with this id, as far as a print tells."""
        place = self._places.get(rid)
        if place is None:
            return False
        start = place * PRINT_SIZE
        return self._prints[start : start + PRINT_SIZE] == _print(raw)

    @property
    def size(self) -> int:
        """Bytes of all records, as sent."""
        return self._ends[-1] if self._ends else 0

    def to_bytes(self) -> bytes:
        """Return all that this object holds, for `from_bytes` of the same version."""
        head = HEAD.pack(len(self), len(self.raters), self.last.ms, self.last.counter)
        ids, raters = b"".join(self._places), b"".join(sorted(self.raters))
        return b"".join((head, ids, raters, self._ends.tobytes(), self._prints, self._blob))

    @classmethod
    def from_bytes(cls, data: bytes) -> SealedGoal:
        """Return the object that `to_bytes` was called on. The bytes must be known to be its."""
        count, raters, ms, counter = HEAD.unpack_from(data)
        sealed = cls.__new__(cls)
        at = HEAD.size
        sealed._places = {data[at + 32 * n : at + 32 * (n + 1)]: n for n in range(count)}
        at += 32 * count
        sealed.raters = frozenset(data[at + 32 * n : at + 32 * (n + 1)] for n in range(raters))
        at += 32 * raters
        sealed.last = Stamp(ms, counter)
        sealed._ends = array("Q", data[at : at + 8 * count])
        at += 8 * count
        sealed._prints = data[at : at + PRINT_SIZE * count]
        sealed._blob = data[at + PRINT_SIZE * count :]
        return sealed

    def raws(self) -> Mapping[bytes, bytes]:
        """Return the exact bytes of all records, by id."""
        return _unpacked(self)

    def unpacked(self) -> dict[bytes, bytes]:
        """Unpack the records; `raws` remembers those of the goal asked for last."""
        whole = zlib.decompress(self._blob)
        starts = [0, *self._ends[:-1]] if self._ends else []
        return {
            rid: whole[starts[place] : self._ends[place]] for rid, place in self._places.items()
        }

    @property
    def pack(self) -> Pack:
        """The records as they are packed."""
        starts = [0, *self._ends[:-1]] if self._ends else []
        sizes = (end - start for start, end in zip(starts, self._ends, strict=True))
        return Pack(tuple(sizes), self._blob)

    def records(self) -> Iterator[Record]:
        """Yield all records, decoded again; their signatures were checked before."""
        for raw in self.raws().values():
            yield decode(raw, verify=False)


@dataclass(frozen=True, slots=True)
class EndedGoal:
    """A goal that has ended, and its records packed."""

    goal: Record
    ended_ms: int
    """When it ended, in ms."""
    done: bool
    """Whether somebody else has done it for its author (`KnownAskers`)."""
    sealed: SealedGoal

    def to_bytes(self) -> bytes:
        """Return the goal for `from_bytes` of the same version."""
        raw = self.goal.raw
        return ENDED_HEAD.pack(self.ended_ms, self.done, len(raw)) + raw + self.sealed.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> EndedGoal:
        """Return the goal that `to_bytes` was called on. The bytes must be known to be its."""
        ended_ms, done, size = ENDED_HEAD.unpack_from(data)
        at = ENDED_HEAD.size + size
        goal = decode(data[ENDED_HEAD.size : at], verify=False)
        return cls(goal, ended_ms, done, SealedGoal.from_bytes(data[at:]))


@lru_cache(maxsize=2)
def _unpacked(sealed: SealedGoal) -> dict[bytes, bytes]:
    """Return a goal's records; a neighbour that lacks them asks for one after the other."""
    return sealed.unpacked()


def _print(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=PRINT_SIZE).digest()
