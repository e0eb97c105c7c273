"""Whom a peer knows since when, and whom it names as known in a goal that it asks.

In a swarm without an owner anyone may make up any number of keys. What tells a crowd from peers is
only that peers were here before. Since no two peers remember alike, it is the asker whose memory
counts: it names in the signed goal whom it has known longest (`Goal.known`), and everyone gives
those room of their own (`log`), waits for them, and hands work to them first (`agents`).
"""

from __future__ import annotations

from swarm.core.policy import MINUTE
from swarm.core.records import MAX_KNOWN, Presence, Record
from swarm.core.roles import WORKERS

REMEMBERED = 4_096
"""Authors whose first presence is remembered, four times as many as may be present: a crowd that
comes and goes fills what is free, and pushes nobody out."""

FORGOTTEN_MS = 60 * MINUTE
"""Who was not heard for this long, in ms, begins anew: longer than a restart or a cut."""


class FirstSeen:
    """Since when authors have been heard."""

    def __init__(self) -> None:
        self._since: dict[bytes, tuple[int, int]] = {}
        """Per author: first and last heard, in ms."""

    def heard(self, author: bytes, now_ms: int) -> None:
        """Take note of a presence."""
        since = self._since.get(author)
        if since is None:
            if len(self._since) >= REMEMBERED:
                self._forget(now_ms)
            if len(self._since) >= REMEMBERED:
                return
            since = (now_ms, now_ms)
        self._since[author] = (since[0], max(since[1], now_ms))

    def since_ms(self, author: bytes, unknown_ms: int) -> int:
        """Return since when an author has been heard, in ms."""
        return self._since.get(author, (unknown_ms,))[0]

    def _forget(self, now_ms: int) -> None:
        self._since = {
            author: span for author, span in self._since.items() if now_ms - span[1] < FORGOTTEN_MS
        }


def name_known(present: list[Record], known: FirstSeen, now_ms: int) -> list[bytes]:
    """Return the authors a goal should name as known: the longest present, workers' roles in turn.

    The submitter is not among them: it has room of its own.

    Args:
        present: presences of those who may speak here.
        known: since when.
        now_ms: the time, in ms.
    """
    queues: dict[str, list[tuple[int, bytes]]] = {role: [] for role in WORKERS}
    for record in present:
        assert isinstance(record.body, Presence)
        if record.body.role in queues:
            since = known.since_ms(record.author, now_ms)
            queues[record.body.role].append((since, record.author))
    ranked = [sorted(queue) for queue in queues.values()]
    turns = max(map(len, ranked))
    named = [queue[turn][1] for turn in range(turns) for queue in ranked if turn < len(queue)]
    return sorted(dict.fromkeys(named[:MAX_KNOWN]))


def quorum_for(scorers: int, proven: int) -> int:
    """Return the quorum for a goal in which any scorer may vote: a majority that can be reached.

    Presences cost nothing. So once any scorer that is present has rated something, a quorum asks
    for no more approvals than there are such scorers: made-up ones cannot put it out of reach.

    Args:
        scorers: present, as far as they may speak here.
        proven: those of them that have rated anything that is still remembered.
    """
    majority = scorers // 2 + 1
    return min(majority, proven) if proven else majority
