"""How executors share work: dealt evenly, started at once, taken over without collisions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from swarm.agents.assignment import Ready, Table, turns
from swarm.agents.executor import (
    MOST_TURNS,
    TURN_MS,
    Executor,
)
from swarm.core.clock import EPOCH
from swarm.core.fold.plan import Plan
from swarm.core.policy import SECOND, Policy
from swarm.core.records import Claim, Presence, Result
from swarm.llm.requests import Answer, Request, SplitAnswer
from swarm.sim.scenarios.byzantine import IdleAgent
from swarm.sim.world.world import World, tidy_model
from tests.agents.village import POLICY, Village


def five_parts(request: Request) -> tuple[Answer, int]:
    """Answer at once, with splits of five parts."""
    answer, _ = tidy_model(request)
    if isinstance(answer, SplitAnswer):
        part = answer.parts[0]
        parts = tuple(replace(part, title=f"{part.title} {n}") for n in range(5))
        answer = replace(answer, parts=parts)
    return answer, 0


def split(executors: int) -> tuple[Village, Plan]:
    """A village whose goal has just been split into five tasks that no executor does."""
    village = Village(executors=0, model=five_parts)
    village.executors = [village.world.add(IdleAgent("executor")) for _ in range(executors)]
    village.world.run(seconds=3)
    goal = village.world.submit(village.asker, "two weeks in Japan", POLICY)
    world = village.world
    world.run(until=lambda: bool(world.plan(village.asker, goal).root.children), seconds=60)
    return village, world.plan(village.asker, goal)


def ready_of(plan: Plan) -> list[Ready]:
    """Return the tasks that can be claimed."""
    return [
        (plan, node, node.outcome.attempts[-1])
        for node in plan.nodes()
        if node.ready is not None and not node.children
    ]


@pytest.mark.parametrize("executors", [1, 2, 3, 4, 5, 8])
def test_tasks_are_dealt_evenly(executors: int) -> None:
    """No executor owns two tasks more than another, and all see the same owners."""
    village, plan = split(executors)
    here = [peer.author for peer in village.executors]
    tasks = ready_of(plan)
    assert len(tasks) == 5
    owners = [Table(plan, here).owner(node, 1) for _, node, _ in tasks]
    assert owners == [Table(plan, here[::-1]).owner(node, 1) for _, node, _ in tasks]
    counts = Counter(dict.fromkeys(here, 0) | Counter(owners))
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("executors", [2, 3, 8])
def test_free_executors_are_meant_for_different_tasks(executors: int) -> None:
    """If all are free, exactly one executor may claim each task at once."""
    village, plan = split(executors)
    here = [peer.author for peer in village.executors]
    tasks = ready_of(plan)
    table = Table(plan, here)
    owners = [table.owner(node, 1) for _, node, _ in tasks]
    firsts = Counter(
        turn.task[1].id
        for me in here
        for turn in turns(me, tasks, owners, here, here)
        if turn.rank == 0
    )
    assert len(firsts) == 5
    assert set(firsts.values()) == {1}


def test_a_task_that_needs_a_result_goes_to_the_executor_that_wrote_it() -> None:
    """The executor of the last part assembles the parts: it knows first that they are done."""
    village = Village(model=five_parts, executors=3)
    plan = village.world.plan(village.asker, village.ask())
    last = max(plan.root.children, key=lambda child: child.settled or EPOCH)
    assert plan.root.result is not None
    assert last.result is not None
    assert plan.root.result.author == last.result.author


def test_coordination_without_a_model_takes_well_under_a_second() -> None:
    """With calls that take no time, a goal of five tasks costs only gossip and waits."""
    took = []
    for seed in range(5):
        village = Village(seed=seed, model=five_parts)
        began = village.world.now_ms
        plan = village.world.plan(village.asker, village.ask())
        assert plan.state == "done"
        took.append(village.world.now_ms - began)
    assert sorted(took)[2] < 500
    assert max(took) < SECOND


def test_owners_start_at_once() -> None:
    """With as many executors as tasks, every claim follows the acceptance within one delivery."""
    village = Village(model=five_parts, executors=5)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.root.decision is not None
    accepted_ms = plan.root.decision.stamp.ms
    claims = [child.outcome.attempts[0].claims for child in plan.root.children]
    assert all(len(of_task) == 1 for of_task in claims)
    assert len({of_task[0].author for of_task in claims}) >= 4
    assert max(of_task[0].stamp.ms for of_task in claims) - accepted_ms < 200


def test_made_up_executors_cost_seconds_and_not_the_task() -> None:
    """Fifteen made-up executors that the goal names as known delay each task by some seconds."""
    village = Village(model=five_parts)
    for number in range(15):
        village.world.add(IdleAgent("executor"), name=f"ghost-{number}")
    village.world.run(seconds=3)
    began = village.world.now_ms
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert village.world.now_ms - began < 6 * (MOST_TURNS + 1) * TURN_MS


def test_ghosts_that_come_after_the_goal_cost_nothing() -> None:
    """A goal names the peers its asker has known longest: nobody waits for others."""
    village = Village(model=five_parts)
    ghosts = [IdleAgent("executor") for _ in range(20)] + [
        IdleAgent("decomposer") for _ in range(20)
    ]
    world = village.world
    began = world.now_ms
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    for ghost in ghosts:
        world.add(ghost)
    world.run(until=lambda: world.plan(village.asker, goal).final, seconds=600)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    assert world.now_ms - began < 2 * SECOND


def test_a_goal_waits_for_executors_that_offer_what_it_asks_for() -> None:
    """Other executors leave it alone; it continues when one with the capability joins."""
    village = Village(model=five_parts)
    world = village.world
    policy = POLICY.model_copy(update={"capabilities": ["web"]})
    goal = world.submit(village.asker, "two weeks in Japan", policy)
    world.run(seconds=30)
    assert world.plan(village.asker, goal).state == "executing"
    assert not any(isinstance(r.body, Claim) for r in village.asker.store.records(goal))
    able = world.add(Executor(capabilities=("web", "gpu")), five_parts)
    world.run(until=lambda: world.plan(village.asker, goal).final, seconds=60)
    assert world.plan(village.asker, goal).state == "done"
    results = [r for r in village.asker.store.records(goal) if isinstance(r.body, Result)]
    assert {record.author for record in results} == {able.author}


def test_a_newcomer_helps_though_the_goal_does_not_know_it() -> None:
    """An executor that joins later takes over tasks queued behind a busy one."""

    def slow(request: Request) -> tuple[Answer, int]:
        return five_parts(request)[0], 3_000

    village = Village(executors=1, model=slow)
    world = village.world
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    world.run(seconds=2)
    late = world.add(Executor(), slow)
    world.run(until=lambda: world.plan(village.asker, goal).final, seconds=600)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    assert late.author not in plan.known
    assert any(isinstance(record.body, Result) for record in late.published)


def test_presence_of_the_agent_itself_is_not_needed_to_be_dealt_to() -> None:
    """A lone executor whose goal names nobody takes everything."""
    world = World(1)
    asker = world.submitter()
    executor = world.add(Executor())
    assert not any(isinstance(r.body, Presence) for r in asker.published)
    goal = world.submit(asker, "do it", Policy(max_depth=0))
    assert world.plan(asker, goal).known == frozenset()
    world.run(until=lambda: world.plan(asker, goal).final, seconds=60)
    assert world.plan(asker, goal).state == "done"
    assert [r for r in executor.published if isinstance(r.body, Claim)]
