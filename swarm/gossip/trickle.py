"""When to gossip a digest: the Trickle timer of RFC 6206.

While every digest heard agrees with ours, the interval doubles, up to a minute, and a peer that has
heard an equal digest from another stays silent. The first disagreement resets the interval to a
second. So a busy swarm repairs itself within seconds, and a finished one is silent.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import random

INTERVAL_MIN_MS = 1_000
"""The shortest interval in milliseconds (RFC 6206: Imin)."""

INTERVAL_MAX_MS = 64_000
"""The longest interval in milliseconds (Imin doubled six times)."""

REDUNDANCY = 1
"""Equal digests from others in an interval after which ours is not needed (RFC 6206: k)."""


class Trickle:
    """One Trickle timer.

    Args:
        rng: draws the moment within each interval.
        now_ms: when the first interval begins.
    """

    def __init__(self, rng: random.Random, now_ms: int) -> None:
        self._rng = rng
        self._interval_ms = INTERVAL_MIN_MS
        self._begin(now_ms)

    def _begin(self, now_ms: int) -> None:
        self._ends_ms = now_ms + self._interval_ms
        half_ms = self._interval_ms // 2
        self._fires_ms = now_ms + self._rng.randint(half_ms, self._interval_ms - 1)
        self._fired = False
        self._agreeing = 0

    @property
    def interval_ms(self) -> int:
        """The current interval in milliseconds."""
        return self._interval_ms

    def agree(self) -> None:
        """Count a digest from another peer that equals ours."""
        self._agreeing += 1

    def reset(self, now_ms: int) -> None:
        """Return to the shortest interval, because something differs or is new."""
        if self._interval_ms > INTERVAL_MIN_MS:
            self._interval_ms = INTERVAL_MIN_MS
            self._begin(now_ms)

    def due(self) -> int:
        """Return when to call `poll` next."""
        return self._ends_ms if self._fired else self._fires_ms

    def poll(self, now_ms: int) -> bool:
        """Return whether to publish a digest now. Call at `due` or any later time."""
        publish = False
        if not self._fired and now_ms >= self._fires_ms:
            self._fired = True
            publish = self._agreeing < REDUNDANCY
        if self._fired and now_ms >= self._ends_ms:
            self._interval_ms = min(2 * self._interval_ms, INTERVAL_MAX_MS)
            self._begin(now_ms)
        return publish
