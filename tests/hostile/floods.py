"""How long honest plans take before, during and after a flood, all in one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

import trio

from swarm.agents.base import MEET_MS
from tests.hostile.attack_process import attacked, tell
from tests.hostile.test_attacks import Honest, honest_swarm, plan_one

QUIET_PLANS = 3
"""Plans before the flood; their median is the quiet time."""

BEGINS_SECONDS = 5.0
"""How long a flood lasts before the first plan that counts as flooded: its goals live by then."""


@dataclass
class FloodTimes:
    """Seconds from submission until every peer had the finished plan, back to back."""

    before: list[float] = field(default_factory=list)
    during: list[float] = field(default_factory=list)
    after: list[tuple[float, float]] = field(default_factory=list)
    """Each with the seconds between the end of the flood and its submission."""
    live: int = 0
    """The most live goals that a peer had after a plan."""

    @property
    def quiet(self) -> float:
        """Return the quiet time, in seconds."""
        return median(self.before)

    def since(self, seconds: float) -> list[float]:
        """Return the times of the plans submitted so many seconds after the flood, or later."""
        return [took for at, took in self.after if at >= seconds]


async def flood_times(name: str, *, flood_seconds: float, after_seconds: float) -> FloodTimes:
    """Let a swarm plan back to back before, during and after a flood.

    Args:
        name: of `attackers.FLOODS`.
        flood_seconds: how long the flood lasts.
        after_seconds: for how long plans are submitted after it.
    """
    times = FloodTimes()
    async with honest_swarm() as swarm:
        # New executors wait at first to meet others, which would make the quiet time too long.
        await trio.sleep(MEET_MS / 1000)
        for number in range(QUIET_PLANS):
            times.before.append(await plan_one(swarm, f"Plan picnic {number}"))
        async with attacked([name], swarm.target) as attackers:
            began = trio.current_time()

            async def betray() -> None:
                assert attackers.stdin is not None
                await attackers.stdin.send_all(tell(swarm.target))

            await trio.sleep(BEGINS_SECONDS)
            while trio.current_time() < began + flood_seconds:
                times.during.append(await plan_one(swarm, "Plan in the rain", betray))
                times.live = max(times.live, _live(swarm))
            assert attackers.returncode is None, "the attackers have exited"
        ended = trio.current_time()
        while (since := trio.current_time() - ended) < after_seconds:
            times.after.append((since, await plan_one(swarm, "Plan after the rain")))
    return times


def _live(swarm: Honest) -> int:
    return max(len(peer.store.live_goals()) for peer in swarm.peers)
