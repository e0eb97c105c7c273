"""Whether this machine's clock agrees with those of the peers that are here.

A revocation says from when on it holds. Stamped by a clock that runs ahead it would hold for
nobody yet, and stamped by one that runs behind it would undo what was done before. What tells is
how peers stamp their signs of life.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from statistics import median
from typing import Literal

import trio

from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import Presence, RecordError, decode

LISTEN_SECONDS = 6.0
"""How long signs of life are waited for. Peers give one at once to a newcomer, though late on a
busy machine, and repeat older ones of others, which tell nothing of a clock: so neither silence nor
an older one alone is a reason to stop."""

SILENCE_SECONDS = 3.0
"""How long a sign of life from another machine is waited for where peers on this one have given
theirs: if all are here, there is nothing to compare with."""

REPEATED_MS = 80_000
"""How old a sign of life may be that is still repeated, in ms, as of a peer that has just gone: one
that seems no older says nothing of a clock. Nor could a revocation come to harm by it: stamped that
little ahead, it is held, and counts a minute later."""

LOOK_SECONDS = 0.05
"""Between looks at what was heard."""


Whose = Literal["others", "here", "subject"]
"""Whose word it is: of a peer elsewhere; of one on this machine, which shares its clock, so that
it tells something only by disagreeing; of the peer that is to be revoked, who may have reasons to
lie and is asked last."""


class Clocks:
    """What the stamps of others say about this machine's clock."""

    def __init__(self, now: Callable[[], int], whose: Callable[[bytes], Whose | None]) -> None:
        """Start without having heard anybody.

        Args:
            now: this machine's clock, in ms since the epoch.
            whose: how an author's word on the time counts; None: not at all.
        """
        self._now = now
        self._whose = whose
        self._offsets: dict[Whose, dict[bytes, int]] = {"others": {}, "here": {}, "subject": {}}
        """By author, by how many ms the freshest sign of life was stamped after it was heard."""

    def heard(self, raw: bytes) -> None:
        """Take note of a record that has just arrived, whether or not it was kept."""
        try:
            record = decode(raw)
        except RecordError:
            return
        whose = self._whose(record.author)
        if isinstance(record.body, Presence) and whose is not None:
            known = self._offsets[whose]
            offset = record.stamp.ms - self._now()
            known[record.author] = max(offset, known.get(record.author, offset))

    def behind_ms(self) -> int:
        """Return by how much this machine's clock is behind the peers'; ahead: less than 0.

        0 if they agree within `MAX_DRIFT_MS` (ahead: `REPEATED_MS`), or if nobody was heard.
        """
        for known in self._offsets.values():
            behind = _behind(known.values())
            if behind or (known and known is self._offsets["others"]):
                return behind
        return 0

    async def listen(self) -> None:
        """Wait until somebody's clock is known, as long as that may still come."""
        begun = trio.current_time()
        while not any(offset >= -MAX_DRIFT_MS for offset in self._offsets["others"].values()):
            waited = trio.current_time() - begun
            unsure = self.behind_ms() < 0 or not any(self._offsets.values())
            if waited >= (LISTEN_SECONDS if unsure else SILENCE_SECONDS):
                return
            await trio.sleep(LOOK_SECONDS)


def _behind(offsets: Collection[int]) -> int:
    """Return by how much a clock is behind, after what its peers' signs of life say.

    One may be an old one that was repeated, or came late: one that is not older than such may be
    outdoes any number that are. A stamp of the future is no accident: there the greater number
    decides.
    """
    early = [offset for offset in offsets if offset > MAX_DRIFT_MS]
    agree = [offset for offset in offsets if abs(offset) <= MAX_DRIFT_MS]
    if len(early) > len(agree):
        return round(median(early))
    latest = max(offsets, default=0)
    return latest if latest < -REPEATED_MS else 0


def length(ms: int) -> str:
    """Return a length of time in its usual words, such as `40 s` or `3 min`."""
    seconds = abs(ms) / 1000
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
