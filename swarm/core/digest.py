"""Fingerprints of a set of records, and of the state folded from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from swarm.core.clock import Stamp

STATE_DOMAIN = b"leaderless/state/1\n"
NONE = bytes(32)
"""Stands for an id that does not exist."""


class SetDigest:
    """A fingerprint of a set of 32-byte ids that does not depend on order: their count and XOR.

    It finds differences between honest peers; it does not resist someone who crafts ids to collide.
    Nothing is trusted because of it: records are always checked one by one.
    """

    __slots__ = ("_xor", "count")

    def __init__(self) -> None:
        self.count = 0
        self._xor = 0

    def add(self, record_id: bytes) -> None:
        """Add an id that is not in the set."""
        self.count += 1
        self._xor ^= int.from_bytes(record_id)

    def remove(self, record_id: bytes) -> None:
        """Remove an id that is in the set."""
        self.count -= 1
        self._xor ^= int.from_bytes(record_id)

    @property
    def xor(self) -> bytes:
        """The XOR of all ids, 32 bytes."""
        return self._xor.to_bytes(32)


def node_digest(
    *,
    node: bytes,
    state: str,
    accepted: bytes | None,
    accepted_at: Stamp | None,
    attempt: int,
    holder: bytes | None,
    result: bytes | None,
    settled: Stamp | None,
    children: Iterable[bytes],
) -> bytes:
    """Return the fingerprint of a node's folded state and of everything below it, 32 bytes."""
    stamp = settled or Stamp(0)
    won = accepted_at or Stamp(0)
    parts = [
        STATE_DOMAIN,
        node,
        state.encode().ljust(16, b"\0"),
        accepted or NONE,
        won.ms.to_bytes(8),
        won.counter.to_bytes(8),
        attempt.to_bytes(2),
        holder or NONE,
        result or NONE,
        stamp.ms.to_bytes(8),
        stamp.counter.to_bytes(8),
        *children,
    ]
    return hashlib.sha256(b"".join(parts)).digest()
