"""What agents do when a model's server crashes on certain requests and answers all others."""

from __future__ import annotations

from collections import Counter

import pytest

from swarm.agents.base import RETRY_AFTER_MS, Agent
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import MOST_LOSSES, Executor
from swarm.agents.scorer import Scorer
from swarm.core.policy import HOUR, MINUTE, SECOND
from swarm.core.records import Notice, Progress, Result
from swarm.llm.errors import ServerUnreachable
from swarm.llm.requests import Answer, DoRequest, RateRequest, Request, SplitRequest
from swarm.sim.world.world import Model, SimPeer, World, tidy_model
from tests.agents.village import POLICY, by_kind

LONG = POLICY.model_copy(update={"quorum": 1, "lease_ms": 60 * SECOND, "deadline_ms": HOUR})


class Mortal:
    """A model whose server crashes on some requests after a delay, and restarts after another."""

    def __init__(self, kind: type, title: str, after_seconds: int, back_seconds: int = 0) -> None:
        self.losses: Counter[bytes] = Counter()
        """By the author whose model it was."""
        self._kind, self._title = kind, title
        self._after_ms, self._back_seconds = after_seconds * SECOND, back_seconds

    def of(self, peer: SimPeer) -> Model:
        """The model of one peer."""

        def model(request: Request) -> tuple[Answer | Exception, int]:
            if not isinstance(request, self._kind) or self._title not in request.title:
                return tidy_model(request, 3 * SECOND)
            self.losses[peer.author] += 1
            peer.env.clock.after(self._after_ms, die, peer)
            return ServerUnreachable("the connection broke"), self._after_ms

        def die(peer: SimPeer) -> None:
            peer.outage = "the connection broke" if self._back_seconds else ""
            peer.env.clock.after(int(self._back_seconds * SECOND), come, peer)

        def come(peer: SimPeer) -> None:
            peer.outage = ""

        return model


def village(
    mortal: Mortal, bad: int, good: int, seed: int = 1
) -> tuple[World, SimPeer, list[SimPeer]]:
    """A world with so many executors of each kind; its asker, and its executors."""
    world = World(seed)
    asker = world.submitter()
    agents: list[Agent] = [Decomposer(), Scorer(), *[Executor() for _ in range(bad)]]
    executors = [world.add(agent) for agent in agents][2:]
    for peer in executors:
        peer.model = mortal.of(peer)
    executors += [world.add(Executor(), lambda r: tidy_model(r, 3 * SECOND)) for _ in range(good)]
    world.run(seconds=3)
    return world, asker, executors


@pytest.mark.parametrize("back_seconds", [0, 10])
@pytest.mark.parametrize("after_seconds", [2, 15, 45])
@pytest.mark.parametrize("title", ["part 1", ""])
def test_a_task_of_which_a_server_dies_goes_to_others_soon(
    title: str, after_seconds: int, back_seconds: int
) -> None:
    """After one lost call, or two if a check found the server away, other executors do it soon."""
    mortal = Mortal(DoRequest, title, after_seconds, back_seconds)
    before, losses = 0, 2 if back_seconds else 1
    for seed in range(4):
        world, asker, _ = village(mortal, 2, 2, seed)
        began_ms = world.now_ms
        goal = world.submit(asker, "two weeks in Japan", LONG)
        world.run(until=lambda: world.plan(asker, goal).final)  # noqa: B023 - called at once
        plan = world.plan(asker, goal)
        assert plan.state == "done"
        again = sum(max(0, len(node.outcome.attempts) - 1) for node in plan.nodes())
        assert mortal.losses.total() - before <= losses * again
        before = mortal.losses.total()
        # Two executors may try it one after another, before somebody else does.
        took_seconds = (world.now_ms - began_ms) / SECOND
        assert took_seconds <= 30 + 2 * losses * (after_seconds + back_seconds + 10)
    assert before


@pytest.mark.parametrize("after_seconds", [2, 15, 45])
def test_a_lone_executor_loses_its_server_to_a_task_a_few_times_only(after_seconds: int) -> None:
    """Alone, it retries a few times without renewing the lease, and does the rest."""
    mortal = Mortal(DoRequest, "part 1", after_seconds)
    world, asker, (executor,) = village(mortal, 1, 0)
    goal = world.submit(asker, "two weeks in Japan", LONG)
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    assert plan.state == "partial"
    assert plan.root.settled is not None
    assert plan.root.settled.ms - plan.goal.stamp.ms < 10 * MINUTE
    assert mortal.losses.total() <= MOST_LOSSES * LONG.max_attempts
    claimed = {
        attempt.holder.id: attempt.holder.stamp.ms
        for node in plan.nodes()
        for attempt in node.outcome.attempts
        if attempt.holder is not None
    }
    # Only before the first loss was it worth renewing.
    for record in executor.published:
        if isinstance(record.body, Progress):
            assert record.stamp.ms <= claimed[record.body.claim] + after_seconds * SECOND
    failures = [body for body in by_kind(executor, Result) if getattr(body, "reason", "")]
    assert failures or after_seconds == 45


@pytest.mark.parametrize("back_seconds", [0, 10])
@pytest.mark.parametrize(
    ("make", "kind", "code"),
    [(Decomposer, SplitRequest, "split-failed"), (Scorer, RateRequest, "rating-failed")],
)
def test_a_vote_of_which_a_server_dies_is_given_up_once_and_for_all(
    make: type[Agent], kind: type, code: str, back_seconds: int
) -> None:
    """However often the server returns, each agent retries a few times and then says it gave up."""
    mortal = Mortal(kind, "", 2, back_seconds)
    world = World(1)
    asker = world.submitter()
    peers = [world.add(agent()) for agent in (Decomposer, Scorer, Executor)]
    (victim,) = [peer for peer in peers if isinstance(peer.agent, make)]
    victim.model = mortal.of(victim)
    world.run(seconds=3)
    goal = world.submit(asker, "two weeks in Japan", LONG)
    world.run(until=lambda: world.plan(asker, goal).final)
    assert world.plan(asker, goal).state == "done"
    assert mortal.losses.total() == len(RETRY_AFTER_MS) + 1
    notices = [body for body in by_kind(victim, Notice) if isinstance(body, Notice)]
    assert [body.code for body in notices] == [code]


def test_slow_work_after_a_restart_keeps_its_lease() -> None:
    """After its server was away, a model that writes again keeps its lease as long as it takes."""
    gone = True

    def slow(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, DoRequest) and gone:
            return ServerUnreachable("nobody answers"), 1 * SECOND
        return tidy_model(request, 200 * SECOND if isinstance(request, DoRequest) else 100)

    world = World(1)
    asker = world.submitter()
    executor = [world.add(agent, slow) for agent in (Decomposer(), Scorer(), Executor())][2]
    world.run(seconds=3)
    policy = LONG.model_copy(update={"max_depth": 0, "lease_ms": 30 * SECOND})
    goal = world.submit(asker, "two weeks in Japan", policy)
    world.run(until=lambda: bool(executor.running))
    executor.outage = "nobody answers"
    world.run(seconds=10)
    executor.outage, gone = "", False
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    assert plan.state == "done"
    assert len(plan.root.outcome.attempts) == 1
