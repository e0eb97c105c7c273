"""Moments at which everything in a process that happens every so often happens together.

Waking up costs an idle peer more than what it then does: its code and data have left the caches of
the processor. So what comes every second or every few comes on the same whole seconds of trio's
clock, which begins at another fraction in each process: peers do not wake all at once.
"""

from __future__ import annotations

import trio

NEAR_SECONDS = 0.1
"""A tick as near as this has just been had, or is about to be: the next one is meant."""


def until_tick(period: float) -> float:
    """Return how long it is until the next multiple of a period, in seconds.

    Args:
        period: in seconds; each one of another period's multiples if all are to fall together.
    """
    left = period - trio.current_time() % period
    return left if left > NEAR_SECONDS else left + period
