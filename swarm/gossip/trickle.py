"""When to gossip a digest: the Trickle timer of RFC 6206.

While everything heard agrees, the interval doubles up to a minute and a peer that already heard
the same from someone else stays silent; the first disagreement brings it back to a second. So a
swarm that is busy repairs itself within seconds and one that is done makes no noise.

Sans-I/O: time is passed in, in milliseconds on any clock that only goes forward.
"""

from __future__ import annotations

import random

INTERVAL_MIN_MS = 1_000
"""Milliseconds of the shortest interval (RFC 6206: Imin)."""

INTERVAL_MAX_MS = 64_000
"""Milliseconds of the longest interval (Imin doubled six times)."""

REDUNDANCY = 1
"""Agreeing digests of others in an interval after which ours is not needed (RFC 6206: k)."""


class Trickle:
    """One Trickle timer.

    Args:
        rng: draws the moment within each interval.
        now: time at which the first interval begins.
    """

    def __init__(self, rng: random.Random, now: int) -> None:
        self._rng = rng
        self._interval = INTERVAL_MIN_MS
        self._begin(now)

    def _begin(self, now: int) -> None:
        self._ends = now + self._interval
        self._fires = now + self._rng.randint(self._interval // 2, self._interval - 1)
        self._fired = False
        self._agreeing = 0

    @property
    def interval(self) -> int:
        """Milliseconds of the current interval."""
        return self._interval

    def agree(self) -> None:
        """Somebody else said what we would say."""
        self._agreeing += 1

    def reset(self, now: int) -> None:
        """Something disagrees or is new: be quick. No effect while already quick."""
        if self._interval > INTERVAL_MIN_MS:
            self._interval = INTERVAL_MIN_MS
            self._begin(now)

    def due(self) -> int:
        """When to call `poll` next."""
        return self._ends if self._fired else self._fires

    def poll(self, now: int) -> bool:
        """Whether to speak now. Call at `due` or any later time."""
        speak = False
        if not self._fired and now >= self._fires:
            self._fired = True
            speak = self._agreeing < REDUNDANCY
        if self._fired and now >= self._ends:
            self._interval = min(2 * self._interval, INTERVAL_MAX_MS)
            self._begin(now)
        return speak
