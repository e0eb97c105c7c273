"""What arrives on a wire: frames, reconciliation messages, addresses."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from typing import Any, cast

from fuzz.choices import Choices
from swarm.gossip.comparison import LocalView
from swarm.gossip.frames import (
    BUCKETS,
    Bundle,
    Digest,
    FrameError,
    GoalDigest,
    bucket_of,
    decode,
    digest_of,
    encode_bundle,
    encode_digest,
)
from swarm.gossip.reconcile import MAX_MESSAGE, Reconciler
from swarm.gossip.record_set import MAX_RECORD, MIN_RECORD, RecordSet
from swarm.net.addresses import parse_address, reachable_here
from swarm.net.discovery.peer_exchange import MAX_NAMED, _addresses
from swarm.net.streams import Messages

MAX_EXCHANGES = 200
"""Messages of each side within which two honest sides finish."""


def frames(data: bytes) -> None:
    """Any bytes are a frame, a type to ignore, or a `FrameError`; a frame survives a round trip."""
    try:
        frame = decode(data)
    except FrameError:
        return
    if isinstance(frame, Bundle):
        assert all(MIN_RECORD <= len(raw) <= MAX_RECORD for raw in frame.records)
        assert sum(map(len, frame.records)) <= len(data)
        if sum(map(len, frame.records)) < 1000:
            assert decode(encode_bundle(frame.records)) == frame
    elif isinstance(frame, Digest):
        assert decode(encode_digest(frame.goals)) == frame


def compare(data: bytes) -> None:
    """Any digest can be compared with ours; an honest one claims nothing false."""
    choices = Choices(data)
    goal = bytes(32)
    everything = [choices.take(2).ljust(28, b"c") + choices.take(4) for _ in range(choices.byte())]
    here = {one: at for at, one in enumerate(dict.fromkeys(everything)) if choices.byte() % 8}
    theirs = {one for one in everything if choices.byte() % 8}
    records = _Records(goal, set(here))
    view = LocalView(cast("RecordSet", records))
    now = 100_000
    for at, one in enumerate(here):
        view.arrived(one, now - (0 if choices.chance(4) else 60_000) - at % 3)
    honest = digest_of(goal, theirs)
    found = view.compare(honest, now)
    held = set(here)
    if held == theirs:
        assert found.same
    for nibble, ids in found.they_lack.items():
        assert all(one in held and bucket_of(one) == nibble for one in ids)
        if found.certain and not found.flux and len(ids) == 1 and _distinct(everything):
            assert ids[0] not in theirs or theirs - held
    prints = [choices.take(4) for _ in range(BUCKETS)]
    strange = GoalDigest(goal, choices.byte(), choices.take(32), tuple(prints))
    view.compare(strange, now)
    view.compare(GoalDigest(b"x" * 32, 3, bytes(32), tuple(prints)), now)


def _distinct(ids: list[bytes]) -> bool:
    return len({one[-4:] for one in ids}) == len(set(ids))


class _Records:
    """A set of records of one goal, as far as a comparison looks at it."""

    def __init__(self, goal: bytes, ids: set[bytes]) -> None:
        self._goal = goal
        self._ids = ids

    def goals(self) -> list[bytes]:
        return [self._goal]

    def ids(self, goal: bytes) -> set[bytes]:
        return self._ids if goal == self._goal else set()

    def summary(self, goal: bytes) -> tuple[int, bytes]:
        digest = digest_of(goal, self.ids(goal))
        return digest.count, digest.xor


def stranger(data: bytes) -> None:
    """A sync partner that sends anything gets messages within bounds, or is disconnected.

    It is sent only held records, each of them once, however often it asks.
    """
    choices = Choices(data)
    held = {choices.take(2).ljust(32, b"h"): bytes(120) for _ in range(choices.byte() % 40)}
    side = Reconciler(held, held.get, choices.take(16))
    if choices.chance():
        side.begin()
    known = sorted(held) or [bytes(32)]
    given = 0
    while choices.left:
        said = side.take()
        assert len(said) <= MAX_MESSAGE
        given += said.count(bytes(120))
        assert given <= len(held)
        message = (
            b"".join(_part(choices, known) for _ in range(choices.byte() % 6))
            if choices.chance()
            else choices.take(choices.number(400))
        )
        try:
            for raw in side.receive(message):
                assert MIN_RECORD <= len(raw) <= MAX_RECORD
        except FrameError:
            return


def _part(choices: Choices, known: list[bytes]) -> bytes:
    """A part of a message that has the right form and false contents."""
    ids = [choices.pick(known) if choices.chance() else choices.take(32) for _ in range(3)]
    ids = ids[: choices.byte() % 4]
    digits = choices.byte() % 10
    near = choices.pick(known)
    prefix = bytes([digits]) + near[: (digits + 1) // 2]
    match choices.byte() % 5:
        case 0:
            return b"\x01" + prefix + bytes([choices.byte() % 128]) + choices.take(8)
        case 1:
            return b"\x02" + prefix + bytes([len(ids)]) + b"".join(ids)
        case 2:
            return b"\x03" + bytes([len(ids)]) + b"".join(ids)
        case 3:
            return b"\x04" + prefix
    return b"\x05" + b"\x80\x01" + choices.take(128)


def honest(data: bytes) -> None:
    """Two honest sides end with the union of what they hold, in few messages.

    Some records disappear meanwhile (a side no longer has what it began with): the rest still
    arrives.
    """
    choices = Choices(data)
    sets: list[dict[bytes, bytes]] = [{}, {}]
    gone: set[bytes] = set()
    for _ in range(choices.byte()):
        where = choices.byte()
        # Ids that differ only at the end make deep trees, others make broad ones.
        begin = choices.take(3) if where & 4 else b"\0\0\0"
        end = choices.take(3) if where & 8 else begin
        rid = (begin + bytes(26) + end).ljust(32, b"i")
        raw = rid.ljust(MIN_RECORD + where % 7, b"r")
        for side, held in enumerate(sets):
            if where & (1 << side):
                held[rid] = raw
        if where & 112 == 112:
            gone.add(rid)
    union = sets[0].keys() | sets[1].keys()

    def side_of(held: dict[bytes, bytes]) -> Reconciler:
        return Reconciler(dict(held), lambda rid: None if rid in gone else held.get(rid), bytes(16))

    asking, answering = map(side_of, sets)
    got: tuple[set[bytes], set[bytes]] = (set(), set())
    asking.begin()
    for _ in range(MAX_EXCHANGES):
        said = asking.take()
        got[1].update(raw[:32] for raw in answering.receive(said))
        answer = answering.take()
        got[0].update(raw[:32] for raw in asking.receive(answer))
        if not said and not answer and asking.done:
            break
    else:
        raise AssertionError("two honest sides that never end")
    for held, new in zip(sets, got, strict=True):
        assert held.keys() | new >= union - gone
        assert not new & held.keys()


class _Stream:
    """A stream that gives its bytes in pieces of any size, and ends, or breaks."""

    def __init__(self, data: bytes, choices: Choices) -> None:
        self.data = data
        self._choices = choices
        self.breaks = choices.chance(4)

    async def read(self, most: int) -> bytes:
        if not self.data and self.breaks:
            raise ConnectionError("reset")
        size = 1 + self._choices.byte() % most
        piece, self.data = self.data[:size], self.data[size:]
        return piece

    async def write(self, data: bytes) -> None:
        self.data += data


def messages(data: bytes) -> None:
    """However a stream is cut up, its messages arrive whole, or its end is reported."""
    choices = Choices(data)
    longest = 300
    said = [choices.take(choices.number(longest)) for _ in range(choices.byte() % 5)]
    stream = _Stream(b"", choices)
    for one in said:
        _now(Messages(stream, longest).send(one))
    tail = choices.take(choices.byte() % 8)
    stream.data += tail
    wire = Messages(stream, longest)
    found: list[bytes] = []
    try:
        while (one := _now(wire.message())) is not None:
            assert len(one) <= longest
            found.append(one)
    except (FrameError, EOFError, ConnectionError):
        assert tail
    assert found[: len(said)] == said
    assert wire.moved <= sum(4 + len(one) for one in said) + len(tail)


def _now(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


def addresses(data: bytes) -> None:
    """What a neighbour sends about other peers is a list of usable addresses, or a `ValueError`."""
    try:
        named = _addresses(data, MAX_NAMED)
    except (ValueError, RecursionError):
        return
    assert len(named) <= MAX_NAMED
    json.dumps(named)
    for address in named:
        parse_address(address)
        reachable_here(address)
