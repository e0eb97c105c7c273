"""Since when a peer has heard each author, and which authors it names as known in a goal.

In a swarm without an owner anyone can make up any number of keys. The only difference between such
a crowd and real peers is that peers were here before. No two peers remember the same, so the
submitter's memory counts: it names the authors it has known longest in the signed goal
(`Goal.known`), and every peer reserves room for them (`goal_log`), waits for them, and hands work
to them first (`swarm.agents`).
"""

from __future__ import annotations

from swarm.core.policy import MINUTE
from swarm.core.records import MAX_KNOWN, Presence, Record
from swarm.core.roles import WORKERS

REMEMBERED = 4_096
"""How many authors' first presences are remembered, four times as many as may be present: a crowd
that comes and goes fills the free entries, and pushes nobody out."""

FORGOTTEN_MS = 60 * MINUTE
"""An author that was not heard for this long, in ms, starts again: longer than a restart or a
network cut."""


class FirstSeen:
    """Since when each author has been heard."""

    def __init__(self) -> None:
        self._since: dict[bytes, tuple[int, int]] = {}
        """For each author: when it was first and last heard, in ms."""

    def heard(self, author: bytes, now_ms: int) -> None:
        """Note that an author's presence was heard."""
        since = self._since.get(author)
        if since is None:
            if len(self._since) >= REMEMBERED:
                self._forget(now_ms)
            if len(self._since) >= REMEMBERED:
                return
            since = (now_ms, now_ms)
        self._since[author] = (since[0], max(since[1], now_ms))

    def since_ms(self, author: bytes, unknown_ms: int) -> int:
        """Return since when an author has been heard, in ms; `unknown_ms` if it has not been."""
        return self._since.get(author, (unknown_ms,))[0]

    def _forget(self, now_ms: int) -> None:
        self._since = {
            author: span for author, span in self._since.items() if now_ms - span[1] < FORGOTTEN_MS
        }


def name_known(present: list[Record], known: FirstSeen, now_ms: int) -> list[bytes]:
    """Return the authors a goal should name as known: the longest present, workers' roles in turn.

    The submitter is not among them: it has room of its own.

    Args:
        present: presences of authors that may publish here.
        known: since when they have been heard.
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

    Presences cost nothing, so a crowd could be made up to put a majority out of reach. So once any
    scorer present has rated something, the quorum is at most the number of such scorers.

    Args:
        scorers: how many scorers are present and may vote.
        proven: how many of them have rated anything that is still kept.
    """
    majority = scorers // 2 + 1
    return min(majority, proven) if proven else majority
