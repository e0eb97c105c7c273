"""What agents do when their own records are not kept, or would fill the room they have."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from swarm.agents import lease_renewal
from swarm.agents.base import NO_ROOM, Agent
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.clock import EPOCH
from swarm.core.policy import HOUR, MINUTE, SECOND
from swarm.core.records import Ballot, Claim, Notice, Progress, Proposal, Replan, Result
from swarm.core.store.limits import LARGE, Limits
from swarm.llm.errors import BadAnswer, ServerUnreachable
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    Request,
    SplitAnswer,
    SplitRequest,
    TextAnswer,
)
from swarm.sim.world.world import Model, SimPeer, World, tidy_model
from tests.agents.village import POLICY, by_kind

LONG = "x" * LARGE


class Counting:
    """A model that writes long texts or splits, and counts its calls."""

    def __init__(self, *, split: str = "", text: str = "", takes_ms: int = 500) -> None:
        self.calls: Counter[str] = Counter()
        self._split, self._text, self._takes_ms = split, text, takes_ms

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        answer, latency = tidy_model(request)
        self.calls[f"{type(request).__name__} {request.title}"] += 1
        if isinstance(answer, SplitAnswer):
            parts = tuple(replace(part, detail=self._split or part.detail) for part in answer.parts)
            return replace(answer, parts=parts), latency
        if isinstance(answer, TextAnswer):
            return replace(answer, text=answer.text + self._text), self._takes_ms
        return answer, latency


def village(
    limits: Limits, decomposer: Model, scorer: Model, *executors: Model
) -> tuple[World, SimPeer, list[SimPeer]]:
    """A world in which all keep as little; its asker, and its agents with their models."""
    world = World(1)
    asker = world.submitter()
    roles: list[tuple[Agent, Model]] = [(Decomposer(), decomposer), (Scorer(), scorer)]
    roles += [(Executor(), model) for model in executors]
    agents = [world.add(agent, model, limits=limits) for agent, model in roles]
    world.run(seconds=3)
    return world, asker, agents


def notices(peer: SimPeer) -> list[str]:
    return [body.code for body in by_kind(peer, Notice) if isinstance(body, Notice)]


@pytest.mark.parametrize("others", [0, 1])
def test_a_result_that_is_not_kept_is_not_made_again(others: int) -> None:
    """Each task is done once by whoever has no room for its result; another, if any, does the rest.

    Whoever has no room says so in a notice, and leaves the task at once.
    """
    full, roomy = Counting(text=LONG), Counting(takes_ms=10 * SECOND)
    models = [full, *[roomy] * others]
    world, asker, agents = village(Limits(large_per_author=1), tidy_model, tidy_model, *models)
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
    """A decomposer without room for its proposals makes one, says so, and asks no more."""
    full = Counting(split="y" * 1_000)
    world, asker, agents = village(Limits(large_per_author=0), full, tidy_model, tidy_model)
    policy = POLICY.model_copy(update={"quorum": 1})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
    assert full.calls.total() == 1
    assert len(by_kind(agents[0], Proposal)) == 1
    assert notices(agents[0]) == [NO_ROOM]


@pytest.mark.parametrize(("role", "kind"), [(1, Ballot), (2, Claim)])
def test_what_is_not_kept_is_not_said_again(role: int, kind: type) -> None:
    """A scorer or executor without any room says each thing once, and nothing for ever."""
    room = 20
    limits = Limits(records_per_author=room)
    world, asker, agents = village(limits, tidy_model, tidy_model, tidy_model)
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


def test_renewals_never_fill_the_room_of_what_they_are_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hours of work under a lease of seconds: renewals end in time, and the rest is still kept."""
    assert Limits().records_per_author * 3 / 4 >= lease_renewal.RENEWALS_PER_GOAL
    monkeypatch.setattr(lease_renewal, "RENEWALS_PER_GOAL", 100)
    model = Counting(takes_ms=60 * SECOND)
    world, asker, agents = village(Limits(), tidy_model, tidy_model, model)
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
    """No record is said that an earlier one makes needless: two in three leases, not nine."""
    model = Counting(takes_ms=300 * SECOND)
    world, asker, agents = village(Limits(), tidy_model, tidy_model, model)
    policy = POLICY.model_copy(update={"quorum": 1, "max_depth": 0, "lease_ms": 30 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
    assert len(world.plan(asker, goal).root.outcome.attempts) == 1
    assert len(by_kind(agents[2], Progress)) == 14


def test_an_agent_that_gave_up_takes_part_in_the_next_vote() -> None:
    """A decomposer that gave up a first split makes another when whoever asked wants one."""

    def stubborn(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest) and not request.detail:
            return BadAnswer("no usable list after three tries"), 500
        return tidy_model(request)

    world, asker, agents = village(Limits(), stubborn, tidy_model, tidy_model)
    policy = POLICY.model_copy(update={"quorum": 1, "patience_ms": 60 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    agents[2].freeze()
    world.run(until=lambda: world.plan(asker, goal).root.decision is not None)
    assert world.plan(asker, goal).root.children == ()
    asker.publish(Replan(stamp=EPOCH, goal=goal, node=goal, reason="make it about food"))
    world.run(seconds=50)
    agents[2].thaw()
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    assert plan.state == "done"
    assert plan.root.children


def test_a_split_begun_before_another_was_wanted_is_begun_anew() -> None:
    """The wish reaches a decomposer in mid-call: the call ends, and the next knows the wish."""
    asked: list[tuple[int, str]] = []

    def slow(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest):
            asked.append((world.now_ms, request.detail))
            return tidy_model(request, 40_000)
        return tidy_model(request)

    world, asker, agents = village(Limits(), slow, tidy_model, tidy_model)
    agents[2].freeze()
    policy = POLICY.model_copy(update={"quorum": 1, "patience_ms": 30 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(seconds=29)
    agents[0].freeze()
    world.run(until=lambda: world.plan(asker, goal).root.decision is not None)
    replan = Replan(stamp=EPOCH, goal=goal, node=goal, reason="make it about food")
    # Its store has the wish before it looks at what time has decided.
    agents[0].store.add(asker.publish(replan).raw, agents[0].wall())
    agents[0].thaw()
    world.run(seconds=5)
    assert [wish for _, wish in asked] == ["", "make it about food"]


@pytest.mark.parametrize("seconds", [5, 12, 30])
@pytest.mark.parametrize("executors", [1, 2, 4])
def test_a_model_server_that_is_away_for_a_while_costs_no_task(
    seconds: int, executors: int
) -> None:
    """All executors share a server that goes in mid-work: every task is done, and in time.

    One that is back at the first look may have died of the task, which is left to others then.
    """
    gone: dict[str, int] = {}

    def shared(request: Request) -> tuple[Answer | Exception, int]:
        if gone and gone["from"] <= world.now_ms < gone["from"] + seconds * SECOND:
            return ServerUnreachable("No model server answers."), 1_000
        slow = isinstance(request, DoRequest | AssembleRequest)
        return tidy_model(request, 4_000 if slow else 300)

    world, asker, agents = village(Limits(), shared, shared, *[shared] * executors)
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
    """An executor that loses its role in mid-task ends that task once; another does it again."""
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
