"""Not being made to shout: how often one person's messages are answered where all can read it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from swarm.core.bounded import BoundedDict

ANSWERS = 5
"""Public answers to one person within `WITHIN_SECONDS`: who mentions the bot more often than that
is not asking for plans."""

WITHIN_SECONDS = 60.0

PEOPLE_REMEMBERED = 1_000
"""People of whom the last answers are remembered; those who were silent longest are dropped."""


class AntiSpam:
    """Decides whether one more message of a person is answered."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Remember nobody yet.

        Args:
            now: a clock's seconds.
        """
        self._now = now
        self._answered: BoundedDict[int, deque[float]] = BoundedDict(PEOPLE_REMEMBERED)

    def allows(self, user: int) -> bool:
        """Return whether a person is answered now; that counts as an answer."""
        now = self._now()
        times = self._answered.use(user, lambda: deque(maxlen=ANSWERS))
        if len(times) == ANSWERS and now - times[0] < WITHIN_SECONDS:
            return False
        times.append(now)
        return True
