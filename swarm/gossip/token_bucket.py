"""A token bucket: a rate limit that allows short bursts.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations


class TokenBucket:
    """Tokens that refill with time, up to a burst."""

    def __init__(self, per_second: float, burst: float) -> None:
        """Start full.

        Args:
            per_second: tokens that refill in a second.
            burst: tokens in a full bucket.
        """
        self._rate = per_second / 1000
        self._burst = burst
        self._tokens = burst
        self._at: int | None = None

    def _refill(self, now_ms: int) -> None:
        if self._at is not None:
            self._tokens = min(self._burst, self._tokens + (now_ms - self._at) * self._rate)
        self._at = now_ms

    def used(self, now_ms: int) -> float:
        """Return the share of the burst that is used up: 0 when full, 1 or more when empty."""
        self._refill(now_ms)
        return 1 - self._tokens / self._burst

    def wait(self, now_ms: int, amount: float = 1.0) -> int:
        """Return the milliseconds until an amount can be taken; 0 means now.

        An amount above the burst counts as the burst, so it can be taken when the bucket is full.
        """
        self._refill(now_ms)
        missing = min(amount, self._burst) - self._tokens
        return 0 if missing <= 1e-9 else int(missing / self._rate) + 1

    def take(self, now_ms: int, amount: float = 1.0) -> None:
        """Take an amount, below zero if need be; whatever is taken next then waits longer."""
        self._refill(now_ms)
        self._tokens -= amount
