"""Common moments for periodic work, so that an idle process wakes up rarely.

Waking up costs an idle peer more than what it then does, because its code and data have left the
processor's caches. So periodic work happens at the same whole seconds of trio's clock. That clock
starts at a different fraction of a second in each process, so peers do not all wake up at once.
"""

from __future__ import annotations

import trio

NEAR_SECONDS = 0.1
"""If a tick is nearer than this, in seconds, the one after it is meant."""


def until_tick(period_seconds: float) -> float:
    """Return the seconds until the next multiple of a period.

    Args:
        period_seconds: the period. Use multiples of one another, so that ticks coincide.
    """
    left = period_seconds - trio.current_time() % period_seconds
    return left if left > NEAR_SECONDS else left + period_seconds
