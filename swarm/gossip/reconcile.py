"""Set reconciliation: two peers find out what each lacks, at a cost that grows with the difference.

Ids are hashes, so they spread evenly over a tree of their hex digits. The two sides compare the
print (count and keyed XOR) of a prefix. Where prints are equal they stop, where they differ they
split the prefix into 16, and where few ids are left they list them. Both end with the union. Ten
missing records of 20,000 cost about 5 KB besides the records.

The prints are keyed with a salt for each session, because a stranger could construct sets with
equal plain XORs of public hashes.

Sans-I/O and strictly alternating: `begin`, then each side in turn `take`s a message to send and
`receive`s the answer. An empty message means "nothing more to send". A message is a sequence of::

    0x01 print    prefix, uvarint count, print (8)
    0x02 list     prefix, uvarint n, n ids (32 each): everything the sender holds there
    0x03 want     uvarint n, n ids
    0x04 all      prefix: the sender holds nothing there
    0x05 record   uvarint length, record
    0x06 total    uvarint goals, uvarint records: what the sender holds of the session's scope;
                  then 1 if it is level with some other peer since it started, else 0
    0x07 pack     a finished goal's records, compressed (`swarm.gossip.packs`); only if both can

where a prefix is one byte (the number of hex digits, at most 8) and then the digits, two in a byte,
the last half byte zero if their number is odd.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from swarm.core.store.sealed_goal import Pack
from swarm.gossip import packs
from swarm.gossip.frames import FrameError, Reader, put_uvarint
from swarm.gossip.record_set import ID_SIZE

SALT_SIZE = 16
"""Bytes of a session's salt."""

PRINT_SIZE = 8
"""Bytes of a print. A collision (1 in 2^64) hides a difference until the next session."""

LEAF = 16
"""Ids that are listed rather than split: a list of 16 takes 512 bytes, 16 prints take 200."""

MAX_DEPTH = 8
"""Hex digits of the longest prefix, for four billion buckets. Honest sets need four or five."""

MAX_LIST = 1_000
"""Ids in one list or want. A longer list is cut, and the rest waits for the next session."""

MESSAGE = 256 * 1024
"""Bytes after which a message is closed: about 20 ms on loopback."""

MAX_MESSAGE = MESSAGE + 128 * 1024
"""Bytes of the longest message accepted: a record or list may follow the last size check."""

MAX_PENDING = 100_000
"""Parts that may wait to be sent; a partner that asks for more is cut off."""

LOOKUPS_PER_ID = 4
LOOKUPS_MORE = 10_000
"""Ids that one message may make us look up: each one that we hold a few times, and some more. An
honest message names each prefix once; a partner that repeats prefixes is cut off."""

_PRINT, _LIST, _WANT, _ALL, _RECORD, _TOTAL, _PACK = 1, 2, 3, 4, 5, 6, 7


class Index:
    """A sorted set of ids with the print of any prefix in logarithmic time.

    It can be used once `fold` has returned False. That takes a microsecond an id, so a peer with
    many ids prepares them in steps, with other tasks in between.
    """

    def __init__(self, ids: Iterable[bytes], salt: bytes) -> None:
        self._ids = sorted(set(ids))
        self._salt = salt
        self._folded = [0]

    def fold(self, count: int | None = None) -> bool:
        """Prepare the next `count` ids, or all; return whether any are left."""
        done = len(self._folded) - 1
        end = None if count is None else done + count
        total = self._folded[-1]
        for record_id in self._ids[done:end]:
            keyed = hashlib.blake2b(record_id, digest_size=PRINT_SIZE, key=self._salt).digest()
            total ^= int.from_bytes(keyed)
            self._folded.append(total)
        return len(self._folded) <= len(self._ids)

    def _range(self, prefix: str) -> tuple[int, int]:
        if not prefix:
            return 0, len(self._ids)
        low = bytes.fromhex(prefix.ljust(2 * ID_SIZE, "0"))
        high = bytes.fromhex(prefix.ljust(2 * ID_SIZE, "f")) + b"\0"
        return bisect_left(self._ids, low), bisect_left(self._ids, high)

    def count(self, prefix: str) -> int:
        """Return how many ids begin with these hex digits."""
        start, end = self._range(prefix)
        return end - start

    def print(self, prefix: str) -> bytes:
        """Return the keyed XOR of the ids that begin with these hex digits."""
        start, end = self._range(prefix)
        return (self._folded[start] ^ self._folded[end]).to_bytes(PRINT_SIZE)

    def ids(self, prefix: str) -> list[bytes]:
        """Return the ids that begin with these hex digits."""
        start, end = self._range(prefix)
        return self._ids[start:end]

    def __contains__(self, record_id: bytes) -> bool:
        at = bisect_left(self._ids, record_id)
        return at < len(self._ids) and self._ids[at] == record_id


class Total(NamedTuple):
    """What one side of a session holds of its scope.

    Attributes:
        goals: how many goals.
        records: how many records of them.
        level: whether it has exchanged everything with another peer since it started.
    """

    goals: int
    records: int
    level: bool


class Reconciler:
    """One side of one session.

    Args:
        ids: the ids that this side holds, or has refused and does not want again; or a folded
            index of them with the same salt.
        raw_of: returns the bytes of a record, or None if it cannot be sent.
        salt: the session's salt, the same on both sides.
        goal_of: the goal of a record. Records are given goal by goal, and a goal's own record
            before all others of it: the other side has little room for records of unknown goals.
        goals: the goals to give before others, in this order.
        pack_of: returns all records of a goal as they are packed, if they are; None: the other side
            takes no packs.
    """

    def __init__(
        self,
        ids: Iterable[bytes] | Index,
        raw_of: Callable[[bytes], bytes | None],
        salt: bytes,
        *,
        goal_of: Callable[[bytes], bytes | None] = lambda _: None,
        goals: Sequence[bytes] = (),
        pack_of: Callable[[bytes], Pack | None] | None = None,
    ) -> None:
        self._index = ids if isinstance(ids, Index) else Index(ids, salt)
        self._index.fold()
        self._raw_of = raw_of
        self._goal_of = goal_of
        self._order: Sequence[bytes] = goals
        self._pack_of = pack_of
        self._answers: deque[bytes] = deque()
        self._gives: dict[bytes | None, dict[bytes, None]] = {}
        self._waiting = 0
        self._current: bytes | None = None
        self._given: set[bytes] = set()
        self.total: Total | None = None
        """What the other side said it holds."""

    def announce_total(self, *, level: bool) -> None:
        """State how many goals and records this side holds.

        Args:
            level: whether it has exchanged everything with another peer since it started. One that
                has not may hold next to nothing.
        """
        out = bytearray([_TOTAL])
        put_uvarint(out, len(self._order))
        put_uvarint(out, self._index.count(""))
        put_uvarint(out, int(level))
        self._answers.append(bytes(out))

    def begin(self) -> None:
        """Prepare the first message, about all that we hold. Only the asking side calls this."""
        self._send_print("")

    @property
    def done(self) -> bool:
        """Whether this side has nothing more to send."""
        return not self._answers and not self._waiting

    def take(self) -> bytes:
        """Return the next message, empty if there is nothing to send."""
        out = bytearray()
        while self._answers and len(out) < MESSAGE:
            out += self._answers.popleft()
        while self._waiting and len(out) < MESSAGE:
            if (pack := self._next_pack()) is not None:
                out += bytes([_PACK]) + pack
                continue
            record_id = self._next()
            self._given.add(record_id)
            raw = self._raw_of(record_id)
            if raw is not None:
                out.append(_RECORD)
                put_uvarint(out, len(raw))
                out += raw
        return bytes(out)

    def _next_pack(self) -> bytes | None:
        """Take out the goal to give next as a pack, if all of it is to be given and packed."""
        goal = self._next_goal()
        pack = self._pack_of(goal) if self._pack_of is not None and goal is not None else None
        if pack is None or len(self._gives[goal]) != len(pack.sizes) or not packs.fits(pack):
            return None
        ids = self._gives.pop(goal)
        self._given.update(ids)
        self._waiting -= len(ids)
        return packs.encode(pack)

    def _next_goal(self) -> bytes | None:
        """Return the goal whose records are given next; None: that of records without a goal."""
        if self._current not in self._gives:
            first = next((goal for goal in self._order if goal in self._gives), None)
            self._current = first if first is not None else next(iter(self._gives))
        return self._current

    def _next(self) -> bytes:
        """Take out the record to give next."""
        own = self._next_goal()
        ids = self._gives[own]
        record_id = own if own is not None and own in ids else next(iter(ids))
        del ids[record_id]
        if not ids:
            del self._gives[own]
        self._waiting -= 1
        return record_id

    def receive(self, message: bytes) -> list[bytes]:
        """Process a message of the other side.

        Returns:
            The records that it contained.

        Raises:
            FrameError: the message is malformed or asks for too much.
        """
        return [raw for raw in self.parts(message) if raw is not None]

    def parts(self, message: bytes) -> Iterator[bytes | None]:
        """Process a message of the other side, one part at a time.

        The longest message takes 20 ms, or 300 ms if its sender aims at that.

        Yields:
            A record, or None after any other part.

        Raises:
            FrameError: the message is malformed or asks for too much.
        """
        if len(message) > MAX_MESSAGE:
            raise FrameError(f"a sync message of {len(message)} bytes")
        reader = Reader(message)
        self._lookups = LOOKUPS_PER_ID * self._index.count("") + LOOKUPS_MORE
        while reader.left:
            match reader.byte():
                case 1:
                    self._on_print(reader)
                case 2:
                    self._on_list(reader)
                case 3:
                    for record_id in _ids(reader):
                        if record_id in self._index:
                            self._give(record_id)
                case 4:
                    for record_id in self._look(_prefix(reader)):
                        self._give(record_id)
                case 5:
                    yield reader.record()
                case 7 if self._pack_of is not None:
                    yield from packs.read(reader)
                case 6:
                    self.total = Total(
                        reader.uvarint(2**32), reader.uvarint(2**32), bool(reader.uvarint(1))
                    )
                case kind:
                    raise FrameError(f"a sync message with a part of type {kind}")
            if len(self._answers) + self._waiting > MAX_PENDING:
                raise FrameError("a sync partner that asks for too much")
            yield None

    def _on_print(self, reader: Reader) -> None:
        prefix = _prefix(reader)
        count = reader.uvarint(2**32)
        theirs = reader.take(PRINT_SIZE)
        mine = self._index.count(prefix)
        if (count, theirs) == (mine, self._index.print(prefix)):
            return
        if count == 0:
            for record_id in self._look(prefix):
                self._give(record_id)
        elif mine == 0:
            self._answers.append(bytes([_ALL]) + _put_prefix(prefix))
        elif mine <= LEAF or len(prefix) == MAX_DEPTH:
            ids = self._look(prefix)[:MAX_LIST]
            self._answers.append(bytes([_LIST]) + _put_prefix(prefix) + _put_ids(ids))
        else:
            for digit in "0123456789abcdef":
                self._send_print(prefix + digit)

    def _on_list(self, reader: Reader) -> None:
        prefix = _prefix(reader)
        theirs = set(_ids(reader))
        for record_id in self._look(prefix):
            if record_id not in theirs:
                self._give(record_id)
        lacking = [record_id for record_id in sorted(theirs) if record_id not in self._index]
        if lacking:
            self._answers.append(bytes([_WANT]) + _put_ids(lacking))

    def _look(self, prefix: str) -> list[bytes]:
        """Return the ids with a prefix, unless the message has asked for too many.

        Raises:
            FrameError: it has.
        """
        self._lookups -= 1 + self._index.count(prefix)
        if self._lookups < 0:
            raise FrameError("a sync partner that repeats its questions")
        return self._index.ids(prefix)

    def _give(self, record_id: bytes) -> None:
        if record_id in self._given:
            return
        ids = self._gives.setdefault(self._goal_of(record_id), {})
        self._waiting += record_id not in ids
        ids[record_id] = None

    def _send_print(self, prefix: str) -> None:
        out = bytearray([_PRINT])
        out += _put_prefix(prefix)
        put_uvarint(out, self._index.count(prefix))
        out += self._index.print(prefix)
        self._answers.append(bytes(out))


def _put_prefix(prefix: str) -> bytes:
    return bytes([len(prefix)]) + bytes.fromhex(prefix + "0" * (len(prefix) % 2))


def _prefix(reader: Reader) -> str:
    digits = reader.byte()
    if digits > MAX_DEPTH:
        raise FrameError(f"a prefix of {digits} digits; at most {MAX_DEPTH} are allowed")
    return reader.take((digits + 1) // 2).hex()[:digits]


def _put_ids(ids: list[bytes]) -> bytes:
    out = bytearray()
    put_uvarint(out, len(ids))
    return bytes(out) + b"".join(ids)


def _ids(reader: Reader) -> list[bytes]:
    return [reader.take(ID_SIZE) for _ in range(reader.uvarint(MAX_LIST))]
