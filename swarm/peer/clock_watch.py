"""Logs when clocks differ: this machine's from most others', or another peer's from this one's.

A peer whose clock is wrong does not count for others, and they do not count for it. Without these
lines nobody would know why.
"""

from __future__ import annotations

import structlog
import trio

from swarm.core.bounded import BoundedSet
from swarm.core.clock import MAX_DRIFT_MS
from swarm.core.records import Presence, short_key
from swarm.core.store.clock_offsets import ClockOffsets, OwnClock
from swarm.gossip.token_bucket import TokenBucket

log = structlog.get_logger(__name__)

CHECK_SECONDS = 1.0
"""How often the clocks are compared."""

LINES_PER_SECOND = 1 / 60
LINES_BURST = 8
"""How many lines about other peers are logged: made-up peers cost nothing."""

REMEMBERED = 1_024
"""How many peers are remembered as logged: as many as may be present."""

SET_IT = (
    "set the clock right, for example: timedatectl set-ntp true (macOS: sntp -sS time.apple.com)"
)


class ClockWatch:
    """Compares the clocks now and then, and logs each difference once."""

    def __init__(self, clocks: ClockOffsets, me: bytes) -> None:
        """Start with nothing logged.

        Args:
            clocks: what is known of the clocks.
            me: this peer's author.
        """
        self._clocks = clocks
        self._me = me
        self._own: OwnClock | None = None
        self._logged: BoundedSet[bytes] = BoundedSet(REMEMBERED)
        self._lines = TokenBucket(LINES_PER_SECOND, LINES_BURST)

    async def run(self) -> None:
        """Compare until cancelled."""
        while True:
            await trio.sleep(CHECK_SECONDS)
            self.check(int(trio.current_time() * 1000))

    def check(self, now_ms: int) -> None:
        """Compare the clocks now.

        Args:
            now_ms: the time, in ms on any clock that only goes forward.
        """
        own = self._clocks.own(self._me)
        self._log_own(own)
        if own is None:
            self._log_others(now_ms)

    def _log_own(self, own: OwnClock | None) -> None:
        before = self._own
        if own is None:
            if before is not None:
                self._own = None
                log.info("clock_agrees", meaning="this machine's clock agrees with most peers' now")
            return
        if before is not None and abs(own.behind_ms - before.behind_ms) <= MAX_DRIFT_MS:
            return
        self._own = own
        log.warning(
            "clock_differs",
            seconds=round(abs(own.behind_ms) / 1000),
            side="behind" if own.behind_ms > 0 else "ahead",
            peers=own.judges,
            meaning="this machine's clock differs from most peers' by so much: what this peer "
            "publishes counts late or never, and what it computes may be wrong",
            help=f"{SET_IT}; then restart this peer",
        )

    def _log_others(self, now_ms: int) -> None:
        for record, offset, certain in self._clocks.differing():
            if not certain or record.author == self._me or record.author in self._logged:
                continue
            if self._lines.wait(now_ms):
                return
            self._lines.take(now_ms)
            self._logged.add(record.author)
            assert isinstance(record.body, Presence)
            log.warning(
                "peer_clock_differs",
                name=record.body.name or short_key(record.author),
                author=record.author.hex(),
                seconds=round(abs(offset) / 1000),
                side="ahead" if offset > 0 else "behind",
                meaning="this peer's clock differs from this machine's by so much: what it "
                "publishes counts late or never",
                help="set the clock of its machine right, and restart it",
            )
