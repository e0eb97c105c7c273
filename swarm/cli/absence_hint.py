"""Tell whoever follows a plan what it waits for: a role that left, a model server that went down.

An outage in the middle of a plan is otherwise invisible until its deadline: the tree says "waits
for an executor", and only `swarm peers` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from swarm.core.views.waiting import Lasting

GRACE_MS = 3_000
"""How long a trouble has to last before it is told, in ms: peers come and go within a moment."""


class AbsenceHint:
    """Tells each trouble once, and again if it comes back after it was gone.

    Args:
        say: shows a line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lasting = Lasting[str](lambda line: line, GRACE_MS)
        self._told: set[str] = set()

    def told(self, lines: Iterable[str]) -> None:
        """Note lines that were shown already."""
        self._told.update(lines)

    def check(self, lines: Iterable[str], now_ms: int) -> None:
        """Show what has been wrong for a while.

        Args:
            lines: what is wrong now, a line each.
            now_ms: the time, in ms.
        """
        current = list(dict.fromkeys(lines))
        self._told.intersection_update(current)
        for line in self._lasting.of(current, now_ms):
            if line not in self._told:
                self._told.add(line)
                self._say(line)
