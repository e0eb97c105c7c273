"""A finished goal's records in one piece of a sync message, compressed as they are kept.

Most of what a newcomer gets is history. Its holder has each finished goal compressed already, so it
sends these bytes as they are: a third of what the records take one by one, and no work. The other
side unpacks them and checks each record as any other.
"""

from __future__ import annotations

import zlib

from swarm.core.store.sealed_goal import Pack
from swarm.gossip.frames import FrameError, Reader, put_uvarint
from swarm.gossip.record_set import MAX_RECORD, MIN_RECORD

MOST_PACKED = 96 * 1024
"""Bytes of the longest pack, compressed: it has to fit a message. Larger goals go one by one."""

MOST_UNPACKED = 1024 * 1024
"""Bytes of its records at most: a few bytes must not become many."""

MOST_RECORDS = 4_096
"""Records of a pack at most."""


def fits(pack: Pack) -> bool:
    """Return whether a goal may be sent as a pack."""
    return (
        len(pack.data) <= MOST_PACKED
        and len(pack.sizes) <= MOST_RECORDS
        and sum(pack.sizes) <= MOST_UNPACKED
    )


def encode(pack: Pack) -> bytes:
    """Return a pack as a sync message has it, without its type."""
    out = bytearray()
    put_uvarint(out, len(pack.sizes))
    for size in pack.sizes:
        put_uvarint(out, size)
    put_uvarint(out, len(pack.data))
    return bytes(out) + pack.data


def read(reader: Reader) -> list[bytes]:
    """Return the bytes of each record of a pack. Nothing is known of them but their sizes.

    Raises:
        FrameError: it is not a pack, or takes more room than one may.
    """
    sizes = [reader.uvarint(MAX_RECORD) for _ in range(reader.uvarint(MOST_RECORDS))]
    total = sum(sizes)
    if total > MOST_UNPACKED or any(size < MIN_RECORD for size in sizes):
        raise FrameError("a pack whose records have impossible sizes")
    data = reader.take(reader.uvarint(MOST_PACKED))
    unpacker = zlib.decompressobj()
    try:
        whole = unpacker.decompress(data, total + 1)
    except zlib.error:
        raise FrameError("a pack that cannot be unpacked") from None
    if len(whole) != total or not unpacker.eof or unpacker.unused_data:
        raise FrameError("a pack that is not as long as it says")
    found = []
    at = 0
    for size in sizes:
        found.append(whole[at : at + size])
        at += size
    return found
