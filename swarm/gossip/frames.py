"""The format of messages on the swarm's topic: frames.

A frame is one type byte and a payload. Whatever arrives may have been written by a stranger, so
decoding checks every length before it allocates, and raises nothing but `FrameError`.

======  ==========  ================================================================
type    name        payload
======  ==========  ================================================================
`0x01`  bundle      (uvarint length, record)*
`0x02`  digest      (goal id 32, uvarint count, XOR of ids 32, 16 bucket prints of 4)*
`0x03`  recipients  uvarint n, n peer marks of 8, then a frame of a type above
======  ==========  ================================================================

Unknown types are ignored, so that newer peers may send them to older ones. `docs/protocol.md`
specifies the same for other languages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from swarm.gossip.record_set import ID_SIZE, MAX_RECORD, MIN_RECORD

BUNDLE = 0x01
DIGEST = 0x02
RECIPIENTS = 0x03

MAX_BUNDLE = 200 * 1024
"""Bytes of records in one bundle. libp2p silently drops messages over 1 MiB. 200 KiB take about
40 ms to deliver on loopback and leave room for the frame around them."""

MARK_SIZE = 8
"""Bytes of a peer's mark. Making a key with another peer's mark takes 2^64 tries and gains little:
anti-entropy brings a peer what was not forwarded to it."""

MAX_RECIPIENTS = 64
"""Marks in one frame, about as many as a peer has connections."""

MAX_FRAME = MAX_BUNDLE + MAX_RECORD
"""Bytes of the longest frame accepted. A bundle is closed before it exceeds `MAX_BUNDLE`, so a
slack of one record is generous."""

BUCKETS = 16
"""Buckets in a goal's digest, one for each first hex digit of a record id."""

PRINT_SIZE = 4
"""Bytes of a bucket's print. A collision (1 in 4 billion) delays a repair until the next change."""

MAX_DIGEST_GOALS = 256
"""Goals in one digest (about 130 bytes each, 33 KiB in all). If there are more, they take turns."""

_MAX_COUNT = 2**32


class FrameError(ValueError):
    """Bytes received from another peer do not form a frame or message of its protocol."""


@dataclass(frozen=True, slots=True)
class GoalDigest:
    """What one peer holds of one goal, in about 130 bytes.

    Attributes:
        goal: id of the goal, 32 bytes.
        count: records held of it; 0 means "I heard of it and have nothing".
        xor: XOR of their ids, 32 bytes.
        prints: for each first hex digit, the XOR of the last four bytes of the ids with it.
    """

    goal: bytes
    count: int
    xor: bytes
    prints: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Records sent in one frame."""

    records: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """What a peer holds of some goals. It states nothing about goals that it leaves out."""

    goals: tuple[GoalDigest, ...]


def xor(left: bytes, right: bytes) -> bytes:
    """Return the XOR of two byte strings of equal length."""
    return (int.from_bytes(left) ^ int.from_bytes(right)).to_bytes(len(left))


def bucket_of(record_id: bytes) -> int:
    """Return the bucket (0-15) of a record id."""
    return record_id[0] >> 4


def print_of(record_id: bytes) -> bytes:
    """Return what one record contributes to its bucket's print, 4 bytes."""
    return record_id[-PRINT_SIZE:]


def digest_of(goal: bytes, ids: Collection[bytes]) -> GoalDigest:
    """Return the digest of a goal, given the ids held of it."""
    total = 0
    prints = [0] * BUCKETS
    for record_id in ids:
        total ^= int.from_bytes(record_id)
        prints[bucket_of(record_id)] ^= int.from_bytes(print_of(record_id))
    return GoalDigest(
        goal, len(ids), total.to_bytes(ID_SIZE), tuple(p.to_bytes(PRINT_SIZE) for p in prints)
    )


def put_uvarint(out: bytearray, value: int) -> None:
    """Append an unsigned LEB128 number."""
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def size_in_bundle(raw: bytes) -> int:
    """Return the bytes that a record takes up in a bundle."""
    return len(raw) + 1 + (len(raw) >= 1 << 7) + (len(raw) >= 1 << 14)


def encode_bundle(records: Iterable[bytes]) -> bytes:
    """Return the frame that carries these records."""
    out = bytearray([BUNDLE])
    for raw in records:
        put_uvarint(out, len(raw))
        out += raw
    return bytes(out)


def encode_digest(goals: Sequence[GoalDigest]) -> bytes:
    """Return the frame that carries these digests, `MAX_DIGEST_GOALS` at most."""
    out = bytearray([DIGEST])
    for entry in goals[:MAX_DIGEST_GOALS]:
        out += entry.goal
        put_uvarint(out, entry.count)
        out += entry.xor
        for part in entry.prints:
            out += part
    return bytes(out)


def mark_of(peer_id: bytes) -> bytes:
    """Return the mark of a peer: the end of its id's bytes, which is the end of its key."""
    return peer_id[-MARK_SIZE:]


def encode_recipients(marks: Sequence[bytes], frame: bytes) -> bytes:
    """Return a frame with the list of its direct recipients; nobody need forward it to them."""
    out = bytearray([RECIPIENTS])
    put_uvarint(out, min(len(marks), MAX_RECIPIENTS))
    for mark in marks[:MAX_RECIPIENTS]:
        out += mark
    return bytes(out) + frame


def recipients(frame: bytes) -> frozenset[bytes]:
    """Return the marks of a frame's direct recipients; none if it lists none or is malformed."""
    if frame[:1] != bytes([RECIPIENTS]):
        return frozenset()
    try:
        return frozenset(_marks(Reader(frame, 1)))
    except FrameError:
        return frozenset()


def decode(frame: bytes) -> Bundle | Digest | None:
    """Read a frame; return None for a type that this version does not know.

    Raises:
        FrameError: the bytes are too long, cut short, or break a limit.
    """
    if not frame:
        raise FrameError("an empty frame")
    if len(frame) > MAX_FRAME:
        raise FrameError(f"a frame of {len(frame)} bytes; at most {MAX_FRAME} are allowed")
    reader = Reader(frame)
    kind = reader.byte()
    if kind == RECIPIENTS:
        _marks(reader)
        kind = reader.byte()
        if kind == RECIPIENTS:
            raise FrameError("a frame that lists its direct recipients twice")
    match kind:
        case 0x01:
            return Bundle(tuple(_records(reader)))
        case 0x02:
            return Digest(tuple(_digests(reader)))
    return None


def _marks(reader: Reader) -> list[bytes]:
    return [reader.take(MARK_SIZE) for _ in range(reader.uvarint(MAX_RECIPIENTS))]


def _records(reader: Reader) -> Iterator[bytes]:
    while reader.left:
        yield reader.record()


def _digests(reader: Reader) -> Iterator[GoalDigest]:
    seen: set[bytes] = set()
    while reader.left:
        if len(seen) == MAX_DIGEST_GOALS:
            raise FrameError(f"a digest of more than {MAX_DIGEST_GOALS} goals")
        goal = reader.take(ID_SIZE)
        if goal in seen:
            raise FrameError("a digest that names a goal twice")
        seen.add(goal)
        count = reader.uvarint(_MAX_COUNT)
        total = reader.take(ID_SIZE)
        prints = tuple(reader.take(PRINT_SIZE) for _ in range(BUCKETS))
        yield GoalDigest(goal, count, total, prints)


class Reader:
    """Reads a frame from its front; every step is bounded by the bytes that are left."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self._at = at

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes.

        Raises:
            FrameError: fewer are left.
        """
        if size > self.left:
            raise FrameError("a frame cut short")
        self._at += size
        return self._data[self._at - size : self._at]

    def byte(self) -> int:
        """Return the next byte as a number."""
        return self.take(1)[0]

    def uvarint(self, most: int) -> int:
        """Return the next unsigned LEB128 number.

        Raises:
            FrameError: it is cut short, longer than five bytes, or above `most`.
        """
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value > most:
                    raise FrameError(f"a number of {value} where at most {most} is allowed")
                return value
        raise FrameError("a number that does not end")

    def record(self) -> bytes:
        """Return the next record, which is preceded by its length.

        Raises:
            FrameError: no record can have its length.
        """
        size = self.uvarint(MAX_RECORD)
        if size < MIN_RECORD:
            raise FrameError(f"a record of {size} bytes; the shortest has {MIN_RECORD}")
        return self.take(size)
