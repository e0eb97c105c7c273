"""Agents together, under virtual time: plans get made, and go on when peers fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal

import pytest

from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.clock import EPOCH
from swarm.core.fold.reasons import DeadlinePassed, PartsMissing
from swarm.core.policy import SECOND
from swarm.core.records import Ballot, Claim, Notice, Proposal, Result
from swarm.llm.errors import BadAnswer, ModelMissing
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    RateAnswer,
    RateRequest,
    Request,
    SplitAnswer,
    SplitRequest,
)
from swarm.sim.scenarios.byzantine import IdleAgent
from swarm.sim.world.world import Model, tidy_model
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


def test_decomposers_take_different_lenses() -> None:
    """Three decomposers that are present split by three lenses."""
    village = Village()
    goal = village.ask()
    vote = village.world.plan(village.asker, goal).root.vote
    assert vote is not None
    assert len({tally.body.lens for tally in vote.valid()}) == 3


def test_claims_seldom_collide() -> None:
    """With everyone present and heard, executors never claim the same attempt twice."""
    village = Village(executors=4)
    plan = village.world.plan(village.asker, village.ask())
    contested = [a for node in plan.nodes() for a in node.outcome.attempts if len(a.claims) > 1]
    assert not contested


def test_hardly_a_call_is_wasted_on_lost_races() -> None:
    """Four executors that keep becoming free together start at most one call in a hundred twice."""
    calls: list[Request] = []
    tasks = 0

    def steady(request: Request) -> tuple[Answer, int]:
        if isinstance(request, DoRequest | AssembleRequest):
            calls.append(request)
        answer, _ = tidy_model(request)
        if isinstance(request, SplitRequest) and isinstance(answer, SplitAnswer):
            kind: Literal["task", "goal"] = "goal" if request.may_nest else "task"
            parts = tuple(replace(part, kind=kind) for part in answer.parts)
            answer = replace(answer, parts=parts)
        return answer, 1_000

    policy = POLICY.model_copy(update={"max_depth": 2})
    for seed in range(6):
        village = Village(seed=seed, executors=4, model=steady)
        plan = village.world.plan(village.asker, village.ask(policy))
        assert plan.state == "done"
        tasks += sum(node.result is not None for node in plan.nodes())
    assert len(calls) - tasks <= tasks / 100


def test_the_task_of_a_killed_executor_is_claimed_again() -> None:
    """The holder of a claim dies in mid-task: another attempt by another peer does it."""
    # Slow enough that no result is on its way when the claim is seen.
    village = Village(model=partial(tidy_model, latency_ms=2_000))
    world = village.world
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    held: list[bytes] = []

    def holds() -> bool:
        plan = world.plan(village.asker, goal)
        held[:] = [n.outcome.holder.author for n in plan.nodes() if n.outcome.holder is not None]
        return bool(held)

    village.kill_when(holds, lambda: next(e for e in village.executors if e.author in held))
    world.run(until=lambda: world.plan(village.asker, goal).final)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    assert any(len(node.outcome.attempts) > 1 for node in plan.nodes())
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
    """No scorer at all: after the policy's patience the goal is done as one task, saying so."""
    village = Village(scorers=0)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert plan.root.decision is not None
    assert plan.root.decision.how == "task"


def test_nobody_works_on_a_fallback_while_ballots_may_be_on_their_way() -> None:
    """The quorum's ballots, cast just before the vote's patience ends, arrive after: no work lost.

    A claim under the fallback would be work on a split that the swarm did not choose.
    """
    village = Village(scorers=0)
    world = village.world
    policy = POLICY.model_copy(update={"patience_ms": 10 * SECOND, "quorum": 1})
    goal = world.submit(village.asker, "two weeks in Japan", policy)
    scorer = world.add(IdleAgent("scorer"))
    world.run(seconds=9.5)
    root = world.plan(village.asker, goal).root
    assert root.vote is not None
    proposal = root.vote.valid()[0].record
    world.wire.partition({peer.index: int(peer is scorer) for peer in world.peers})
    ballot = Ballot(
        stamp=EPOCH, goal=goal, node=goal, proposal=proposal.id, verdict="approve",
        concrete=0.9, distinct=0.9, complete=0.9,
    )  # fmt: skip
    scorer.publish(ballot)
    world.run(seconds=1)
    assert world.plan(village.asker, goal).root.decision is not None
    world.wire.heal()
    world.run(until=lambda: world.plan(village.asker, goal).final)
    assert world.plan(village.asker, goal).state == "done"
    assert any(c.before == "task" and c.after == "quorum" for c in world.tallies.changes)
    assert not [c for c in world.tallies.changes if c.acted]


def test_without_decomposers_the_fallback_decides() -> None:
    """No decomposer at all: the goal is done as one task."""
    village = Village(decomposers=0)
    assert village.world.plan(village.asker, village.ask()).state == "done"


def test_without_executors_the_goal_ends_at_its_deadline() -> None:
    """No executor at all: the goal fails at its deadline with that reason, and never hangs."""
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


def test_what_nobody_approves_is_polished_by_another() -> None:
    """A criticised proposal is refined by a decomposer other than its author, then approved."""

    def picky(request: Request) -> tuple[Answer, int]:
        if isinstance(request, RateRequest):
            good = bool(request.parts) and request.parts[0].title.startswith("better")
            score = 0.9 if good else 0.1
            critique = "" if good else "too vague"
            rating = RateAnswer(concrete=score, distinct=score, complete=score, critique=critique)
            return rating, 100
        if isinstance(request, SplitRequest) and request.polish:
            assert request.polish.critiques == ("too vague",)
        return tidy_model(request)

    village = Village(model=picky)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert plan.root.decision is not None
    winner = plan.root.decision.proposal
    assert winner is not None
    assert isinstance(winner.body, Proposal)
    assert winner.body.refines is not None
    refined = plan.root.vote.tallies[winner.body.refines] if plan.root.vote else None
    assert refined is not None
    assert refined.record.author != winner.author


def test_scorers_who_disagree_meet_after_the_revote_time() -> None:
    """Three scorers like three different splits: after the revote time one wins."""
    favourite = iter(["place", "activity", "day"])

    def opinionated() -> Model:
        mine = next(favourite)

        def model(request: Request) -> tuple[Answer, int]:
            if isinstance(request, RateRequest):
                score = 0.9 if mine in request.parts[0].title else 0.5
                rating = RateAnswer(concrete=score, distinct=score, complete=score, critique="")
                return rating, 100
            return tidy_model(request)

        return model

    village = Village(scorers=0)
    for _ in range(3):
        village.world.add(Scorer(), opinionated())
    village.world.run(seconds=1)
    policy = POLICY.model_copy(update={"quorum": 3, "revote_ms": 10 * SECOND})
    plan = village.world.plan(village.asker, village.ask(policy))
    assert plan.state == "done"
    assert plan.root.decision is not None
    assert plan.root.decision.how == "quorum"


def test_a_failing_model_ends_in_retries_then_a_notice() -> None:
    """A decomposer whose model never gives a usable split tries again, then says it gave up."""

    def broken(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest):
            return BadAnswer("no usable list after three tries"), 100
        return tidy_model(request)

    village = Village(model=broken)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    for peer in village.decomposers:
        notices = [b for b in by_kind(peer, Notice) if isinstance(b, Notice)]
        assert [n.code for n in notices] == ["split-failed"]


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


def test_a_single_executor_tries_again_what_failed() -> None:
    """With nobody else to take over, the executor itself makes the next attempt."""
    failures = iter([BadAnswer("nothing usable")])

    def clumsy(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, DoRequest) and (error := next(failures, None)):
            return error, 100
        return tidy_model(request)

    village = Village(model=clumsy, executors=1)
    assert village.world.plan(village.asker, village.ask()).state == "done"


def test_a_claim_that_came_too_early_does_not_bar_the_right_one() -> None:
    """Who claimed a node under a plan that came out otherwise may claim it again under the new.

    An executor restarted from an old disk believes that nobody voted in time and claims the root
    as one task; then it hears of the split, whose parts it must put together in the end.
    """
    village = Village(executors=1)
    world, executor = village.world, village.executors[0]
    policy = POLICY.model_copy(update={"patience_ms": 10 * SECOND})
    goal = world.submit(village.asker, "two weeks in Japan", policy)
    world.run(seconds=0.1)
    world.kill(executor)
    world.run(until=lambda: bool(world.plan(village.asker, goal).root.children), seconds=60)
    world.run(seconds=15)
    sides = {peer.index: int(peer is executor) for peer in world.peers}
    world.wire.partition(sides)
    executor.restart(disk=True)
    world.run(seconds=2)
    assert by_kind(executor, Claim)
    world.wire.heal()
    world.run(until=lambda: world.plan(village.asker, goal).final)
    assert world.plan(village.asker, goal).state == "done"


def test_a_slow_task_keeps_its_lease() -> None:
    """A task that takes five leases is done in its first attempt: the holder renews in time."""

    def slow(request: Request) -> tuple[Answer, int]:
        answer, _ = tidy_model(request)
        return answer, 150 * SECOND if isinstance(request, DoRequest) else 100

    village = Village(model=slow)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert all(len(node.outcome.attempts) <= 1 for node in plan.nodes())


def test_ordered_tasks_get_what_they_come_after() -> None:
    """A task that comes after others starts when they are done, and is given their texts."""
    given: list[tuple[str, ...]] = []

    def ordered(request: Request) -> tuple[Answer, int]:
        answer, latency = tidy_model(request)
        if isinstance(request, SplitRequest):
            assert isinstance(answer, SplitAnswer)
            first, second, third = answer.parts
            parts = (first, second, replace(third, after=(0, 1)))
            return replace(answer, parts=parts), latency
        if isinstance(request, DoRequest):
            given.append(tuple(text for _, text in request.inputs))
        return answer, latency

    village = Village(model=ordered, executors=3)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert sorted(len(texts) for texts in given) == [0, 0, 2]


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


def test_a_scorer_keeps_nothing_of_votes_that_are_over() -> None:
    """Ratings hold texts: however many goals there were, what it holds is about the open ones."""
    village = Village()
    for _ in range(3):
        village.ask()
        village.world.run(seconds=5)
        for scorer in (peer.agent for peer in village.scorers):
            assert isinstance(scorer, Scorer)
            assert (scorer._ratings, scorer._refused, scorer._contested) == ({}, set(), {})
