"""Agents together under virtual time: plans get done, also when peers fail."""

from __future__ import annotations

import pytest

from swarm.agents.executor import Executor
from swarm.core.fold.reasons import DeadlinePassed, PartsMissing
from swarm.core.records import Ballot, Claim, Result
from swarm.llm.errors import ModelMissing
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    Request,
)
from swarm.sim.world.world import tidy_model
from tests.agents.village import POLICY, Village, by_kind


@pytest.mark.parametrize("seed", range(8))
def test_a_swarm_plans_and_all_agree(seed: int) -> None:
    """A goal ends done with every part done, and every peer folds the same digest."""
    village = Village(seed=seed)
    goal = village.ask()
    plan = village.world.plan(village.asker, goal)
    assert plan.state == "done"
    assert [child.settled_as for child in plan.root.children] == ["done"] * 3
    assert "did" in plan.root.text
    assert len(village.digests(goal)) == 1


@pytest.mark.parametrize("role", ["decomposers", "scorers"])
def test_a_decomposer_or_scorer_may_die(role: str) -> None:
    """One of three decomposers or scorers dies right after the goal: the plan is still done."""
    village = Village()
    goal = village.world.submit(village.asker, "two weeks in Japan", POLICY)
    village.world.kill(getattr(village, role)[0])
    village.world.run(until=lambda: village.world.plan(village.asker, goal).final)
    assert village.world.plan(village.asker, goal).state == "done"


def test_without_scorers_the_fallback_decides() -> None:
    """Without scorers the goal is done as one task after the policy's patience."""
    village = Village(scorers=0)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert plan.root.decision is not None
    assert plan.root.decision.how == "task"


def test_without_decomposers_the_fallback_decides() -> None:
    """Without decomposers the goal is done as one task."""
    village = Village(decomposers=0)
    assert village.world.plan(village.asker, village.ask()).state == "done"


def test_without_executors_the_goal_ends_at_its_deadline() -> None:
    """Without executors the goal fails at its deadline with that reason, and never hangs."""
    village = Village(executors=0)
    plan = village.world.plan(village.asker, village.ask())
    assert (plan.state, plan.reason) == ("failed", DeadlinePassed())


def test_an_executor_that_comes_late_still_does_the_work() -> None:
    """The goal waits for a missing role and goes on by itself when one appears."""
    village = Village(executors=0)

    def arrive() -> None:
        village.world.add(Executor())

    village.world.at(90, arrive)
    assert village.world.plan(village.asker, village.ask()).state == "done"


def test_a_task_that_fails_everywhere_leaves_a_partial_plan() -> None:
    """One task fails at every attempt: the parent goes on without it, saying so."""

    def clumsy(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, DoRequest) and "part 1" in request.title:
            return ModelMissing("the model is gone"), 100
        if isinstance(request, AssembleRequest):
            assert [title for title, _ in request.missing]
        return tidy_model(request)

    village = Village(model=clumsy)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "partial"
    failed = [child for child in plan.root.children if child.settled_as == "failed"]
    assert len(failed) == 1
    assert len(failed[0].outcome.attempts) == POLICY.max_attempts
    assert isinstance(plan.reason, PartsMissing)
    assert failed[0].title in plan.reason.titles


def test_nobody_says_the_same_twice() -> None:
    """No scorer approves a proposal twice, no executor claims an attempt twice."""
    village = Village()
    village.ask()
    for peer in village.scorers:
        approvals = [
            b.proposal
            for b in by_kind(peer, Ballot)
            if isinstance(b, Ballot) and b.verdict == "approve"
        ]
        assert len(approvals) == len(set(approvals))
    for peer in village.executors:
        claims = [(b.node, b.attempt) for b in by_kind(peer, Claim) if isinstance(b, Claim)]
        assert len(claims) == len(set(claims))
        results = [b.node for b in by_kind(peer, Result) if isinstance(b, Result)]
        assert len(results) == len(set(results))
