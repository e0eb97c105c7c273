"""Whether an agent's model answers: when to check it, and what the agent learns of the outcome.

Sans-I/O, like the agents. `swarm.peer.driver` makes the checks and the calls under trio, and
`swarm.sim.world.model_health` makes them under the virtual clock; both report the outcomes here.
"""

from __future__ import annotations

from collections.abc import Callable

from swarm.agents.base import Agent
from swarm.llm.errors import printable

CHECK_MS = 15_000
"""Pause between two checks of a model that answers, in ms."""

AWAY_CHECK_MS = (2_000, 15_000)
"""First and longest pause between two checks of a model that does not answer, in ms; it doubles.

A restarted server is back within seconds, and until a check finds it this peer does nothing.
"""


class ModelWatch:
    """Tracks whether one agent's model answers."""

    def __init__(self, agent: Agent, on_change: Callable[[], None]) -> None:
        """Start with a model that is taken to answer.

        Args:
            agent: notified when its model has recovered.
            on_change: called after `trouble` has changed.
        """
        self._agent = agent
        self._on_change = on_change
        self.trouble = ""
        """Why the agent cannot work now, human-readable; empty if it can."""
        self._found_away = False
        """Whether a check found the model gone, and not only a call: a server may die of one call
        and answer the next check."""
        self._away_ms = 0
        """The latest pause after a check that failed, in ms; 0 if the latest check succeeded."""

    def checked(self, trouble: str) -> int:
        """Record a check; return the pause before the next one, in ms.

        Args:
            trouble: why the model does not answer; empty if it does.
        """
        trouble = printable(trouble)
        self._found_away |= bool(trouble)
        first_ms, longest_ms = AWAY_CHECK_MS
        self._away_ms = min(max(first_ms, 2 * self._away_ms), longest_ms) if trouble else 0
        self._set(trouble)
        return self._away_ms or CHECK_MS

    def call_failed(self, trouble: str) -> bool:
        """Record a call that could not reach its model.

        Args:
            trouble: why, human-readable.

        Returns:
            Whether the model should be checked early, `AWAY_CHECK_MS[0]` from now: so far it was
            taken to answer.
        """
        answered = not self.trouble
        self._set(printable(trouble))
        return answered and bool(self.trouble)

    def _set(self, trouble: str) -> None:
        if trouble == self.trouble:
            return
        if not trouble and self._found_away:
            self._found_away = False
            self._agent.recovered()
        self.trouble = trouble
        self._on_change()
