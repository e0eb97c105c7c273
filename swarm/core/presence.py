"""How often peers show that they are here, and when one that does not is gone.

The more peers there are, the seldomer each speaks: all together they say no more than a few
presences a second, however large the swarm. Everybody counts those it knows and waits accordingly.
"""

from __future__ import annotations

from swarm.core.policy import SECOND

EVERY_MS = 20 * SECOND
"""Between two presences of one peer of a small swarm, in ms."""

MOST_PER_SECOND = 4
"""Presences of the whole swarm a second, at most: a fifth of what gossip carries in comfort. It is
reached at 80 peers."""

BEATS = 3
"""A peer is gone when it was not heard for this many of its beats, and a bit: two may be lost."""


def presence_every_ms(present: int) -> int:
    """Return the time between two presences of one peer, in ms.

    Args:
        present: peers known to be here.
    """
    return max(EVERY_MS, present * SECOND // MOST_PER_SECOND)


def gone_after_ms(present: int, least_ms: int) -> int:
    """Return how long after its last presence a peer is gone, in ms.

    Args:
        present: peers known to be here.
        least_ms: for a small swarm.
    """
    return max(least_ms, BEATS * presence_every_ms(present) + EVERY_MS // 2)
