"""Does this machine's clock agree with the clocks of the other peers?

A revocation takes effect at its stamp. Stamped by a clock that runs ahead, it would not take effect
yet; stamped by a clock that runs behind, it would undo what was done before. The stamps of the
peers' presences show the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from statistics import median
from typing import Literal

import trio

from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import Presence, RecordError, decode

LISTEN_SECONDS = 6.0
"""How long to wait for presences. Peers send theirs to a new peer at once, or later on a busy
machine, and also repeat older presences of others, which reveal nothing about a clock. So neither
silence nor an old presence alone ends the wait."""

SILENCE_SECONDS = 3.0
"""How long to wait for a presence from another machine once peers on this machine have sent theirs:
if all peers are on this machine, there is nothing to compare with."""

REPEATED_MS = 80_000
"""How old a presence may be that is still repeated, in ms, such as that of a peer that just left: a
presence that seems no older reveals nothing about a clock. The error is harmless: a revocation
stamped that little ahead is kept, and counts a minute later."""

POLL_SECONDS = 0.05
"""Pause between two checks of what was received."""


Whose = Literal["others", "here", "subject"]
"""The peer that stamped a presence: one on another machine; one on this machine, which shares its
clock and reveals something only if it disagrees; or the peer that is to be revoked, which may lie
and is considered last."""


class Clocks:
    """Compares this machine's clock with the stamps of other peers."""

    def __init__(self, now: Callable[[], int], whose: Callable[[bytes], Whose | None]) -> None:
        """Start without any presence.

        Args:
            now: this machine's clock, in ms since the epoch.
            whose: the group that an author belongs to; None: its stamps are ignored.
        """
        self._now = now
        self._whose = whose
        self._offsets: dict[Whose, dict[bytes, int]] = {"others": {}, "here": {}, "subject": {}}
        """For each author, by how many ms its freshest presence was stamped later than received."""

    def heard(self, raw: bytes) -> None:
        """Note a record that has just arrived, whether or not it was kept."""
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
        """Return how many ms this machine's clock is behind the peers'; negative if it is ahead.

        0 if they agree within `MAX_DRIFT_MS` (ahead: `REPEATED_MS`), or if there is no presence.
        """
        for known in self._offsets.values():
            behind = _behind(known.values())
            if behind or (known and known is self._offsets["others"]):
                return behind
        return 0

    async def listen(self) -> None:
        """Wait until the clock of a peer on another machine is known, up to the limits above."""
        begun = trio.current_time()
        while not any(offset >= -MAX_DRIFT_MS for offset in self._offsets["others"].values()):
            waited = trio.current_time() - begun
            unsure = self.behind_ms() < 0 or not any(self._offsets.values())
            if waited >= (LISTEN_SECONDS if unsure else SILENCE_SECONDS):
                return
            await trio.sleep(POLL_SECONDS)


def _behind(offsets: Collection[int]) -> int:
    """Return how many ms a clock is behind, judging by its peers' presences.

    A presence may be an old one that was repeated or arrived late, so one that is recent outweighs
    any number of older ones. A stamp in the future is not an accident: there the majority decides.
    """
    early = [offset for offset in offsets if offset > MAX_DRIFT_MS]
    agree = [offset for offset in offsets if abs(offset) <= MAX_DRIFT_MS]
    if len(early) > len(agree):
        return round(median(early))
    latest = max(offsets, default=0)
    return latest if latest < -REPEATED_MS else 0


def duration_text(ms: int) -> str:
    """Return a length of time as text, such as `40 s` or `3 min`."""
    seconds = abs(ms) / 1000
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
