"""Lease renewal: seldom, in time, and never without end."""

from __future__ import annotations

import pytest

from swarm.agents import lease_renewal
from swarm.agents.base import NO_ROOM
from swarm.core.policy import HOUR, SECOND
from swarm.core.records import Progress
from swarm.core.store.limits import Limits
from swarm.sim.world.world import tidy_model
from tests.agents.village import POLICY, Counting, by_kind, limited_swarm, notices


def test_renewals_never_fill_the_room_of_what_they_are_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hours of work under a lease of seconds: renewals stop, and other records are still kept."""
    assert Limits().records_per_author * 3 / 4 >= lease_renewal.RENEWALS_PER_GOAL
    monkeypatch.setattr(lease_renewal, "RENEWALS_PER_GOAL", 100)
    model = Counting(takes_ms=60 * SECOND)
    world, asker, agents = limited_swarm(Limits(), tidy_model, tidy_model, model)
    policy = POLICY.model_copy(update={"quorum": 1, "lease_ms": 2 * SECOND, "deadline_ms": HOUR})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    executor = agents[2]
    renewals = len(by_kind(executor, Progress))
    assert renewals == 100
    assert plan.final
    assert plan.state == "partial", "what was done before is in the plan"
    assert all(record.id in asker.store for record in executor.published)
    assert NO_ROOM in notices(executor)


def test_a_lease_is_renewed_late_and_seldom() -> None:
    """No needless renewals: 14 in five minutes of work under a lease of 30 s."""
    model = Counting(takes_ms=300 * SECOND)
    world, asker, agents = limited_swarm(Limits(), tidy_model, tidy_model, model)
    policy = POLICY.model_copy(update={"quorum": 1, "max_depth": 0, "lease_ms": 30 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
    assert len(world.plan(asker, goal).root.outcome.attempts) == 1
    assert len(by_kind(agents[2], Progress)) == 14
