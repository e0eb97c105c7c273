"""How long a vote takes when scorers disagree: simulated, with random ratings.

    python -m benchmarks.votes                     the table (a minute or two)
    python -m benchmarks.votes 2 3                 these numbers of scorers only

Three decomposers each propose a split, and every model call takes a second of virtual time. The
figure is the time from the opening of the root's vote to the record that decided it; the quorum is
a majority of the scorers. A vote that stalls is decided once approvals may move, after 20 s.
"""

from __future__ import annotations

import argparse
import random
from statistics import median

from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.sim.world.models import Ordinary
from swarm.sim.world.world import World

SCORERS = (2, 3, 5, 7)
GOALS = 40
LATENCY_MS = (1_000, 1_000)
STOOD_STILL_S = 15.0


def vote(seed: int, scorers: int) -> float:
    """Plan one goal; return the seconds until its root was split."""
    world = World(seed)
    model = Ordinary(random.Random(seed), LATENCY_MS)
    asker = world.submitter()
    for make, count in ((Decomposer, 3), (Scorer, scorers), (Executor, 2)):
        for _ in range(count):
            world.add(make(), model)
    world.run(seconds=3)
    policy = Policy(quorum=scorers // 2 + 1, max_depth=1, deadline_ms=20 * MINUTE)
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).root.decision is not None, seconds=1200)
    root = world.plan(asker, goal).root
    assert root.vote is not None
    assert root.decision is not None
    return (root.decision.stamp.ms - root.vote.opened.ms) / SECOND


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scorers", nargs="*", type=int, default=SCORERS)
    print(f"scorers  median  longest  over {STOOD_STILL_S:.0f} s ({GOALS} goals each)")
    for scorers in parser.parse_args().scorers:
        times = sorted(vote(seed, scorers) for seed in range(GOALS))
        stood_still = sum(seconds > STOOD_STILL_S for seconds in times) / len(times)
        print(
            f"{scorers:>7}  {median(times):>4.1f} s  {times[-1]:>5.1f} s  {stood_still:>9.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
