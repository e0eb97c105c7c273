"""What agents do when their own records are not kept."""

from __future__ import annotations

from collections import Counter

import pytest

from swarm.agents.base import NO_ROOM
from swarm.core.clock import EPOCH
from swarm.core.policy import MINUTE, SECOND
from swarm.core.records import Ballot, Claim, Notice, Proposal, Result
from swarm.core.store.limits import Limits
from swarm.sim.world.world import tidy_model
from tests.agents.village import LONG_TEXT, POLICY, Counting, by_kind, limited_swarm, notices


@pytest.mark.parametrize("others", [0, 1])
def test_a_result_that_is_not_kept_is_not_made_again(others: int) -> None:
    """An executor at its record limit does each task once; another executor, if any, does the rest.

    The one at its limit publishes a notice and leaves the task at once.
    """
    full, roomy = Counting(text=LONG_TEXT), Counting(takes_ms=10 * SECOND)
    models = [full, *[roomy] * others]
    limits = Limits(large_per_author=1)
    world, asker, agents = limited_swarm(limits, tidy_model, tidy_model, *models)
    policy = POLICY.model_copy(update={"quorum": 1, "deadline_ms": 10 * MINUTE})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    work = Counter({k: n for k, n in full.calls.items() if k.startswith(("Do", "Ass"))})
    assert set(work.values()) == {1}
    assert plan.state == ("done" if others else "partial")
    assert notices(agents[2]) == [NO_ROOM]
    failures = [r for r in by_kind(agents[2], Result) if getattr(r, "outcome", "") == "failed"]
    assert len(failures) == len(work) - 1


def test_a_split_that_is_not_kept_is_not_made_again() -> None:
    """A decomposer whose proposals are not kept makes one, says so, and stops."""
    full = Counting(split="y" * 1_000)
    world, asker, agents = limited_swarm(Limits(large_per_author=0), full, tidy_model, tidy_model)
    policy = POLICY.model_copy(update={"quorum": 1})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
    assert full.calls.total() == 1
    assert len(by_kind(agents[0], Proposal)) == 1
    assert notices(agents[0]) == [NO_ROOM]


@pytest.mark.parametrize(("role", "kind"), [(1, Ballot), (2, Claim)])
def test_what_is_not_kept_is_not_said_again(role: int, kind: type) -> None:
    """A scorer or executor at its record limit publishes each record once, not forever."""
    room = 20
    limits = Limits(records_per_author=room)
    world, asker, agents = limited_swarm(limits, tidy_model, tidy_model, tidy_model)
    policy = POLICY.model_copy(update={"quorum": 1, "patience_ms": 60 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: agents[role].knows(goal), seconds=1)
    for number in range(room):
        agents[role].publish(Notice(stamp=EPOCH, goal=goal, code="talk", text=f"{number}"))
    world.run(until=lambda: world.plan(asker, goal).final)
    said = Counter(
        (getattr(body, "proposal", body.node), getattr(body, "attempt", body.kind))
        for body in by_kind(agents[role], kind)
        if isinstance(body, Ballot | Claim)
    )
    assert said
    assert max(said.values()) <= 2  # Rated and approved of; or one claim of an attempt.
    assert notices(agents[role])[room:] == [NO_ROOM]
