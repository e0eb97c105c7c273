"""Stores of simulated peers: real ones, but each signature is checked once for all of them."""

from __future__ import annotations

from swarm.core.bounded import BoundedDict
from swarm.core.records import Record, RecordError, decode, record_id
from swarm.core.store.store import AddResult, Store

MAX_DECODED = 200_000
"""How many decoded records are kept for all peers of a world."""


class Decoder:
    """Decodes and verifies each record's bytes once, for all simulated peers.

    Verification is a pure function of the bytes, so sharing its outcome changes nothing but speed.
    """

    def __init__(self) -> None:
        self._known: BoundedDict[bytes, Record | None] = BoundedDict(MAX_DECODED)

    def decode(self, raw: bytes) -> Record | None:
        """Return the record, or None for bytes that are not a record."""
        try:
            return self._known[raw]
        except KeyError:
            pass
        try:
            record = decode(raw)
        except RecordError:
            record = None
        self.learn(raw, record)
        return record

    def learn(self, raw: bytes, record: Record | None) -> None:
        """Remember an outcome, for example a record that was just signed."""
        self._known[raw] = record


class SimStore(Store):
    """A real store whose signatures were checked once for all peers."""

    decoder: Decoder

    def add(self, raw: bytes, now_ms: int) -> AddResult:
        """Check a record's bytes and keep it, as the real store does."""
        record = self.decoder.decode(raw)
        if record is None:
            known = record_id(raw) in self
            return AddResult.DUPLICATE if known else AddResult.REJECTED
        return self.hear(record, now_ms)
