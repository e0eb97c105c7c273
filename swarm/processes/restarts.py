"""How long to pause before something that ended is started again.

One rule for peers' processes, the bot's client, its swarm peer and its child processes: the pause
grows with each failure in a row, and starts small again after a long healthy run. No I/O here: the
loops that start things differ, the rule does not.
"""

from __future__ import annotations

from collections.abc import Sequence


class RestartPauses:
    """The pauses between restarts of one thing."""

    def __init__(self, pauses_seconds: Sequence[float], healthy_seconds: float) -> None:
        """Start with no failure.

        Args:
            pauses_seconds: the pause after the first failure, the second and so on; the last one
                repeats.
            healthy_seconds: after a run this long, the pauses start from the first again.
        """
        self._pauses_seconds = tuple(pauses_seconds)
        self._healthy_seconds = healthy_seconds
        self._failures = 0

    def after(self, ran_seconds: float) -> float:
        """Return the pause in seconds after a run that ended.

        Args:
            ran_seconds: how long the run lasted.
        """
        if ran_seconds >= self._healthy_seconds:
            self._failures = 0
        pause = self._pauses_seconds[min(self._failures, len(self._pauses_seconds) - 1)]
        self._failures += 1
        return pause
