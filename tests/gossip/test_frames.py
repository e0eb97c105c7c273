"""Frames: what is encoded is decoded again, and strangers' bytes raise only `FrameError`."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm.gossip import frames
from swarm.gossip.frames import FrameError
from swarm.gossip.record_set import MAX_RECORD, MIN_RECORD

record_ids = st.binary(min_size=32, max_size=32)
raw_records = st.binary(min_size=MIN_RECORD, max_size=400)


@given(st.lists(raw_records, max_size=20))
def test_bundle_comes_back(records: list[bytes]) -> None:
    """The records of a bundle are read back exactly and in order, and its size was predicted."""
    frame = frames.encode_bundle(records)
    assert frames.decode(frame) == frames.Bundle(tuple(records))
    assert len(frame) == 1 + sum(frames.size_in_bundle(raw) for raw in records)


@pytest.mark.parametrize("size", [MIN_RECORD, 127, 128, 16_383, 16_384, MAX_RECORD])
def test_sizes_at_the_edges_of_the_length(size: int) -> None:
    """A record of any allowed length takes the room that was predicted."""
    raw = bytes(size)
    assert frames.decode(frames.encode_bundle([raw])) == frames.Bundle((raw,))
    assert len(frames.encode_bundle([raw])) == 1 + frames.size_in_bundle(raw)


@given(st.dictionaries(record_ids, st.sets(record_ids, max_size=30), max_size=8))
def test_digest_comes_back(goals: dict[bytes, set[bytes]]) -> None:
    """Digests are read back exactly."""
    digests = tuple(frames.digest_of(goal, ids) for goal, ids in goals.items())
    assert frames.decode(frames.encode_digest(digests)) == frames.Digest(digests)


@given(st.sets(record_ids, min_size=1, max_size=50), st.data())
def test_digest_tells_sets_apart(ids: set[bytes], data: st.DataObject) -> None:
    """Taking one id away changes exactly its bucket's print, by that id's own print."""
    goal = bytes(32)
    gone = data.draw(st.sampled_from(sorted(ids)))
    before, after = frames.digest_of(goal, ids), frames.digest_of(goal, ids - {gone})
    changed = [i for i in range(16) if before.prints[i] != after.prints[i]]
    expected = [frames.bucket_of(gone)] if any(frames.print_of(gone)) else []
    assert changed == expected
    assert frames.xor(before.xor, after.xor) == gone


@given(st.lists(st.binary(min_size=8, max_size=8), max_size=64), st.lists(raw_records, max_size=3))
def test_direct_recipients_come_back(marks: list[bytes], records: list[bytes]) -> None:
    """A frame lists its direct recipients and decodes as before; other frames list none."""
    inner = frames.encode_bundle(records)
    frame = frames.encode_recipients(marks, inner)
    assert frames.recipients(frame) == frozenset(marks)
    assert frames.decode(frame) == frames.decode(inner)
    assert frames.recipients(inner) == frozenset()
    with pytest.raises(FrameError, match="twice"):
        frames.decode(frames.encode_recipients(marks, frame))


@given(st.binary(max_size=2_000))
def test_any_bytes_decode_or_are_a_frame_error(data: bytes) -> None:
    """Whatever arrives is a frame, an unknown frame, or a FrameError."""
    for head in (b"", b"\x01", b"\x02", b"\x03", b"\x03\x00\x02", b"\x7f"):
        assert len(frames.recipients(head + data)) <= frames.MAX_RECIPIENTS
        try:
            frame = frames.decode(head + data)
        except FrameError:
            continue
        assert frame is None or isinstance(frame, frames.Bundle | frames.Digest)


@given(st.lists(raw_records, min_size=1, max_size=5), st.data())
def test_a_bundle_cut_short_is_refused(records: list[bytes], data: st.DataObject) -> None:
    """No prefix of a bundle passes for another bundle with a broken record in it."""
    frame = frames.encode_bundle(records)
    cut = data.draw(st.integers(1, len(frame) - 1))
    try:
        got = frames.decode(frame[:cut])
    except FrameError:
        return
    assert isinstance(got, frames.Bundle)
    assert list(got.records) == records[: len(got.records)]


def test_unknown_types_are_ignored() -> None:
    """A frame of a newer peer is not an error."""
    assert frames.decode(b"\x04whatever") is None


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        bytes([1]) + bytes(frames.MAX_FRAME),
        bytes([1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
        bytes([1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        bytes([1, 5]) + bytes(5),
        bytes([2]) + bytes(10),
        bytes([2]) + (bytes(32) + b"\0" + bytes(96)) * 2,
    ],
)
def test_limits(frame: bytes) -> None:
    """Empty, too long, absurd lengths, tiny records, short and doubled digests are refused."""
    with pytest.raises(FrameError):
        frames.decode(frame)


def test_too_many_goals_are_refused() -> None:
    """A digest beyond the limit is refused, and our own never exceeds it."""
    rng = random.Random(1)
    many = [frames.digest_of(rng.randbytes(32), []) for _ in range(frames.MAX_DIGEST_GOALS + 1)]
    own = frames.decode(frames.encode_digest(many))
    assert isinstance(own, frames.Digest)
    assert len(own.goals) == frames.MAX_DIGEST_GOALS
    entry = bytes([0]) + bytes(96)
    with pytest.raises(FrameError):
        frames.decode(b"\x02" + b"".join(g.goal + entry for g in many))
