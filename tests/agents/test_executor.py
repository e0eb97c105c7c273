"""The executor: when it claims, starts, renews and tries again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal

import pytest

from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import (
    CROSSED_MS,
    LEAST_SETTLE_MS,
    MOST_SETTLE_MS,
    SETTLE_MS,
    SURE_AFTER_MS,
    Executor,
)
from swarm.agents.scorer import Scorer
from swarm.core.clock import EPOCH
from swarm.core.policy import SECOND
from swarm.core.records import Ballot, Claim, Proposal, Result
from swarm.core.store.latency import ENOUGH, Latency
from swarm.core.store.limits import Limits
from swarm.llm.errors import BadAnswer, ServerUnreachable
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    Request,
    SplitAnswer,
    SplitRequest,
)
from swarm.sim.scenarios.byzantine import IdleAgent
from swarm.sim.world.world import SimPeer, World, tidy_model
from tests.agents.village import POLICY, Counting, Village, by_kind, limited_swarm


def test_claims_seldom_collide() -> None:
    """With everyone present and heard, executors never claim the same attempt twice."""
    village = Village(executors=4)
    plan = village.world.plan(village.asker, village.ask())
    contested = [a for node in plan.nodes() for a in node.outcome.attempts if len(a.claims) > 1]
    assert not contested


def test_hardly_a_call_is_wasted_on_lost_races() -> None:
    """Four executors that become free together start at most one call in a hundred twice."""
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
    """A claim's holder dies during its task: another peer does it in another attempt."""
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


def test_nobody_works_on_a_fallback_while_ballots_may_be_on_their_way() -> None:
    """Ballots cast just before the patience ends may arrive after it: no work is lost.

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


def test_a_single_executor_tries_again_what_failed() -> None:
    """With no other executor, the same one makes the next attempt."""
    failures = iter([BadAnswer("nothing usable")])

    def clumsy(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, DoRequest) and (error := next(failures, None)):
            return error, 100
        return tidy_model(request)

    village = Village(model=clumsy, executors=1)
    assert village.world.plan(village.asker, village.ask()).state == "done"


def test_a_claim_that_came_too_early_does_not_bar_the_right_one() -> None:
    """An executor that claimed a node under an outdated plan may claim it again under the new one.

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


@pytest.mark.parametrize(("delay_ms", "waits_ms"), [(5, LEAST_SETTLE_MS), (60, 120), (900, 500)])
def test_the_settle_time_follows_what_gossip_takes(delay_ms: int, waits_ms: int) -> None:
    """Twice the median delay of received records, within bounds; fixed until there are enough."""
    village = Village()
    peer: SimPeer = village.executors[0]
    executor = Executor()
    peer.store.latency = Latency()
    assert executor._wait_ms(peer._view()) == SETTLE_MS
    for number in range(ENOUGH):
        peer.store.latency.note(number, number + delay_ms)
    assert executor._wait_ms(peer._view()) == waits_ms
    assert LEAST_SETTLE_MS <= waits_ms <= MOST_SETTLE_MS


def test_nothing_is_claimed_while_votes_of_a_closed_window_may_be_on_their_way() -> None:
    """A window closes by time: executors wait for earlier ballots to arrive."""
    village = Village()
    policy = POLICY.model_copy(update={"vote_window_ms": [3 * SECOND]})
    plan = village.world.plan(village.asker, village.ask(policy))
    decision = plan.root.decision
    assert decision is not None
    assert decision.how == "window"
    claims = [r for r in village.asker.store.records(plan.id) if isinstance(r.body, Claim)]
    first_ms = min(claim.stamp.ms for claim in claims)
    assert first_ms >= decision.stamp.ms + SURE_AFTER_MS["window"]


def test_nothing_is_claimed_while_a_ballot_may_undo_what_a_moved_approval_decided() -> None:
    """A ballot for the split that lost an approval may be on its way: it has time to arrive."""
    village = Village(scorers=0)
    world = village.world
    scorers = [world.add(IdleAgent("scorer")) for _ in range(2)]
    world.run(seconds=3)
    policy = POLICY.model_copy(update={"revote_ms": 2 * SECOND})
    goal = world.submit(village.asker, "two weeks in Japan", policy)

    def proposed() -> list[bytes]:
        records = village.asker.store.records(goal)
        return [record.id for record in records if isinstance(record.body, Proposal)]

    def approve(scorer: SimPeer, proposal: bytes) -> None:
        rates = {"concrete": 0.9, "distinct": 0.9, "complete": 0.9}
        ballot = Ballot(
            stamp=EPOCH, goal=goal, node=goal, proposal=proposal, verdict="approve", **rates
        )
        world.publish(scorer, ballot)

    world.run(until=lambda: len(proposed()) == 2, seconds=10)
    left, taken = proposed()[:2]
    approve(scorers[0], left)
    world.run(seconds=3)
    approve(scorers[0], taken)
    approve(scorers[1], taken)
    world.run(until=lambda: world.plan(village.asker, goal).final, seconds=60)
    decision = world.plan(village.asker, goal).root.decision
    assert decision is not None
    assert decision.crossable
    claims = [r for r in village.asker.store.records(goal) if isinstance(r.body, Claim)]
    assert min(claim.stamp.ms for claim in claims) >= decision.stamp.ms + CROSSED_MS


@pytest.mark.parametrize("seconds", [5, 12, 30])
@pytest.mark.parametrize("executors", [1, 2, 4])
def test_a_model_server_that_is_away_for_a_while_costs_no_task(
    seconds: int, executors: int
) -> None:
    """All executors share a server that goes away during work: every task is still done in time.

    If it is back at the first check, it may have crashed on the task, which is left to others.
    """
    gone: dict[str, int] = {}

    def shared(request: Request) -> tuple[Answer | Exception, int]:
        if gone and gone["from"] <= world.now_ms < gone["from"] + seconds * SECOND:
            return ServerUnreachable("No model server answers."), 1_000
        slow = isinstance(request, DoRequest | AssembleRequest)
        return tidy_model(request, 4_000 if slow else 300)

    world, asker, agents = limited_swarm(Limits(), shared, shared, *[shared] * executors)
    goal = world.submit(asker, "two weeks in Japan", POLICY.model_copy(update={"quorum": 1}))
    world.run(until=lambda: any(n.outcome.holder for n in world.plan(asker, goal).nodes()))
    world.run(seconds=1)
    # The server goes, and with it what it was at.
    gone["from"] = world.now_ms
    for peer in agents:
        peer.outage = "No model server answers."

    def back() -> None:
        for peer in agents:
            peer.outage = ""

    world.at(seconds, back)
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    assert plan.state == "done"
    results = [body for peer in agents for body in by_kind(peer, Result)]
    outcomes = {body.outcome for body in results if isinstance(body, Result)}
    assert outcomes == {"done"} or (seconds == 5 and executors > 1)
    assert max(len(node.outcome.attempts) for node in plan.nodes()) <= 2


def test_a_result_that_counts_for_nothing_is_not_made_again() -> None:
    """An executor that loses its role during a task ends it once; another executor does it."""
    world = World(1, owned=True)
    asker = world.submitter()
    model = Counting(takes_ms=3_000)
    agents = [world.add(Decomposer()), world.add(Scorer()), world.add(Executor(), model)]
    world.run(seconds=3)
    policy = POLICY.model_copy(update={"quorum": 1, "lease_ms": 60 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: bool(model.calls))
    # The asker hands on the owner's word; the executor is the last to hear of it.
    world.run(seconds=1)
    asker.relay(world.grant(agents[2].author))
    world.run(seconds=55)
    assert model.calls.total() == 1
    world.add(Executor())
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
