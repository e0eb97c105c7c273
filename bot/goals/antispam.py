"""A limit on public answers to one person, so that nobody can make the bot flood a channel."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from swarm.core.bounded import BoundedDict

ANSWERS = 5
"""Most public answers to one person within `WITHIN_SECONDS`: a person who mentions the bot more
often is not asking for plans."""

WITHIN_SECONDS = 60.0

PEOPLE_REMEMBERED = 1_000
"""How many people's last answers are remembered; the least recently active are dropped first."""


class AntiSpam:
    """Decides whether one more message of a person is answered."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Start with nobody remembered.

        Args:
            now: gives the seconds of a clock.
        """
        self._now = now
        self._answered: BoundedDict[int, deque[float]] = BoundedDict(PEOPLE_REMEMBERED)

    def allows(self, user: int) -> bool:
        """Return whether a person is answered now; if so, it is counted."""
        now = self._now()
        times = self._answered.use(user, lambda: deque(maxlen=ANSWERS))
        if len(times) == ANSWERS and now - times[0] < WITHIN_SECONDS:
            return False
        times.append(now)
        return True
