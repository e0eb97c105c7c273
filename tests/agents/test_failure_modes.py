"""Known failure modes of swarms that plan, one test each, with agents under virtual time.

Those that concern one vote or one claim are in `tests/core/fold/test_voting.py` and `test_work.py`;
docs/guarantees.md has the table of all.
"""

from __future__ import annotations

import pytest

from swarm.agents.executor import Executor
from swarm.core.clock import EPOCH
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.core.records import Cancel, Claim, Result
from swarm.core.views.english import reason_text
from swarm.sim.world.world import SimPeer
from tests.agents.village import POLICY, Village, by_kind

SPEECHES = {
    "one word": "Holiday",
    "ten thousand characters": ("Plan a school fair with many stalls. " * 300)[:10_000],
    "Urdu": "جاپان کے دو ہفتے کے سفر کا منصوبہ بنائیں",
    "Hindi": "दो सप्ताह की जापान यात्रा की योजना बनाइए",
    "Bengali": "জাপানে দুই সপ্তাহের ভ্রমণের পরিকল্পনা করুন",
    "Malay": "Rancang perjalanan dua minggu ke Jepun",
}


@pytest.mark.parametrize("text", SPEECHES.values(), ids=SPEECHES.keys())
def test_goals_of_any_length_and_script_are_planned(text: str) -> None:
    """The goal ends done, its text is at every peer as it was written, and all agree."""
    village = Village()
    goal = village.world.submit(village.asker, text, POLICY)
    village.world.run(until=lambda: village.world.plan(village.asker, goal).final)
    assert village.world.plan(village.asker, goal).state == "done"
    assert {village.world.plan(p, goal).body.text for p in village.world.peers} == {text}
    assert len(village.digests(goal)) == 1


@pytest.mark.parametrize("role", ["decomposers", "scorers", "executors", "nobody"])
def test_with_only_one_role_present_a_goal_ends_and_says_why(role: str) -> None:
    """Whichever role is alone, the goal ends by its deadline, in a final state, with a reason."""
    village = Village(
        decomposers=3 * (role == "decomposers"),
        scorers=3 * (role == "scorers"),
        executors=3 * (role == "executors"),
    )
    policy = POLICY.model_copy(update={"deadline_ms": 10 * MINUTE})
    goal = village.ask(policy)
    plan = village.world.plan(village.asker, goal)
    assert plan.state == ("done" if role == "executors" else "failed")
    assert reason_text(plan.reason)
    ended = plan.root.settled.ms if plan.root.settled else plan.cutoff.ms
    assert ended <= plan.goal.stamp.ms + policy.deadline_ms
    assert len(village.digests(goal)) == 1


def test_an_executor_that_dies_after_its_result_leaves_it_behind() -> None:
    """The claim's winner is killed once its result is published: nobody does that task again."""
    village = Village(executors=3)
    world = village.world
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)

    def heard() -> list[bytes]:
        nodes = world.plan(village.asker, goal).nodes()
        return [node.result.author for node in nodes if node.result is not None]

    village.kill_when(heard, lambda: next(e for e in village.executors if e.author in heard()))
    world.run(until=lambda: world.plan(village.asker, goal).final)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    (dead,) = [e for e in village.executors if not e.alive]
    kept = [n for n in plan.nodes() if n.result is not None and n.result.author == dead.author]
    assert kept, "what the dead one did is lost"
    assert all(len(node.outcome.attempts) == 1 for node in kept)
    assert len(village.digests(goal)) == 1


def test_all_executors_die_and_another_comes() -> None:
    """Every executor dies halfway; one that joins later does only the remaining tasks."""
    village = Village(executors=2)
    world = village.world
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    done_before: dict[bytes, bytes] = {}

    def some_done() -> bool:
        return any(by_kind(e, Result) for e in village.executors)

    def kill_the_rest() -> None:
        for executor in village.executors:
            if executor.alive:
                world.kill(executor)
        plan = world.plan(village.asker, goal)
        done_before.update((n.id, n.result.id) for n in plan.nodes() if n.result is not None)
        world.at(60, lambda: village.executors.append(world.add(Executor())))

    def first() -> SimPeer:
        world.at(1, kill_the_rest)
        return village.executors[0]

    village.kill_when(some_done, first)
    world.run(until=lambda: world.plan(village.asker, goal).final)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    results = {node.id: node.result.id for node in plan.nodes() if node.result is not None}
    assert done_before.items() <= results.items()
    newcomer = village.executors[-1]
    claims = [body for body in by_kind(newcomer, Claim) if isinstance(body, Claim)]
    assert not {claim.node for claim in claims} & done_before.keys()


def test_results_that_arrive_after_a_cancel_change_nothing() -> None:
    """Cancelled during its tasks: agents stop, and late results are kept but not folded."""
    village = Village(loss=0.2)
    world = village.world
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    world.run(until=lambda: any(by_kind(e, Claim) for e in village.executors))
    world.publish(village.asker, Cancel(stamp=EPOCH, goal=goal))
    world.run(seconds=120)
    plan = world.plan(village.asker, goal)
    assert plan.state == "cancelled"
    before = village.digests(goal)
    assert len(before) == 1
    claims = [len(by_kind(e, Claim)) for e in village.executors]
    world.run(seconds=120)
    assert village.digests(goal) == before
    assert [len(by_kind(e, Claim)) for e in village.executors] == claims, "work went on"


def test_two_goals_with_the_same_text_are_planned_apart() -> None:
    """Asked twice at once, both are done, and no node or result is shared."""
    village = Village()
    world = village.world
    goals = [world.submit(village.asker, "two weeks in Japan", POLICY) for _ in range(2)]
    world.run(until=lambda: all(world.plan(village.asker, goal).final for goal in goals))
    plans = [world.plan(village.asker, goal) for goal in goals]
    assert [plan.state for plan in plans] == ["done", "done"]
    nodes = [{node.id for node in plan.nodes()} for plan in plans]
    assert not nodes[0] & nodes[1]


def test_a_quorum_that_can_never_be_reached_ends_in_the_fallback() -> None:
    """The quorum exceeds the number of scorers: after the patience the best-rated split wins."""
    village = Village()
    policy = Policy(quorum=9, max_depth=1, patience_ms=60 * SECOND, deadline_ms=20 * MINUTE)
    plan = village.world.plan(village.asker, village.ask(policy))
    assert plan.state == "done"
    assert plan.root.decision is not None
    assert plan.root.decision.how == "best"
