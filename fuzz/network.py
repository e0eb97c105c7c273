"""What arrives on a wire: frames, reconciliation messages, addresses."""

from __future__ import annotations

import json

from fuzz.choices import Choices
from swarm.net.errors import FrameError
from swarm.net.exchange import MAX_NAMED, _addresses
from swarm.net.frames import Bundle, Digest, decode, encode_bundle, encode_digest
from swarm.net.reconcile import MAX_MESSAGE, Reconciler
from swarm.net.records import MAX_RECORD, MIN_RECORD

MAX_EXCHANGES = 200
"""Messages of each side in which two honest sides are done."""


def frames(data: bytes) -> None:
    """Any bytes are a frame, a type to ignore, or a `FrameError`; what was read reads again."""
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


def stranger(data: bytes) -> None:
    """A sync partner that says anything gets messages within bounds, or is cut off."""
    choices = Choices(data)
    held = {choices.take(2).ljust(32, b"h"): bytes(120) for _ in range(choices.byte() % 40)}
    side = Reconciler(held, held.get, choices.take(16))
    side.begin()
    while choices.left:
        assert len(side.take()) <= MAX_MESSAGE
        message = choices.take(choices.number(400))
        try:
            for raw in side.receive(message):
                assert MIN_RECORD <= len(raw) <= MAX_RECORD
        except FrameError:
            return


def honest(data: bytes) -> None:
    """Two honest sides end with the union, whatever each held."""
    choices = Choices(data)
    sets: list[dict[bytes, bytes]] = [{}, {}]
    for _ in range(choices.byte()):
        where = choices.byte()
        raw = choices.take(3).ljust(MIN_RECORD + where % 7, b"r")
        rid = raw[:3].ljust(32, b"i")
        for side, held in enumerate(sets):
            if where & (1 << side):
                held[rid] = raw
    union = sets[0].keys() | sets[1].keys()
    asking, answering = (Reconciler(held, held.get, bytes(16)) for held in sets)
    got: tuple[set[bytes], set[bytes]] = (set(), set())
    asking.begin()
    for _ in range(MAX_EXCHANGES):
        said = asking.take()
        got[1].update(raw[:3].ljust(32, b"i") for raw in answering.receive(said))
        answer = answering.take()
        got[0].update(raw[:3].ljust(32, b"i") for raw in asking.receive(answer))
        if not said and not answer and asking.done:
            break
    assert sets[0].keys() | got[0] == union
    assert sets[1].keys() | got[1] == union


def addresses(data: bytes) -> None:
    """What a neighbour says about others is a list of usable addresses, or a `ValueError`."""
    try:
        named = _addresses(data, MAX_NAMED)
    except (ValueError, RecursionError):
        return
    assert len(named) <= MAX_NAMED
    json.dumps(named)
