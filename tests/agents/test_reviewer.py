"""Reviews among agents: what they cost where nothing is wrong, and what they bring where it is."""

from __future__ import annotations

from swarm.agents.executor import Executor
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import BestVersion, Done
from swarm.core.policy import SECOND
from swarm.core.records import Result, Review
from swarm.llm.requests import Answer, DoRequest, Request, TextAnswer
from swarm.sim.world.world import tidy_model
from tests.agents.village import POLICY, Village, by_kind

REVIEWED = POLICY.model_copy(update={"reviews": 1})
CUT = "We walk to the"
"""A text that stops in the middle, which the checks in code find."""


class Sloppy:
    """Writes texts that stop in the middle; mends those that come back, if it can."""

    def __init__(self, *, mends: bool) -> None:
        self.mends = mends
        self.revised: list[DoRequest] = []

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        if not isinstance(request, DoRequest):
            return tidy_model(request)
        if request.critiques:
            self.revised.append(request)
            if self.mends:
                return TextAnswer(text="We walk home.", draft=False), 500
        return TextAnswer(text=CUT, draft=False), 500


def took_ms(plan: Plan) -> int:
    """Return how long a goal took, in ms."""
    assert plan.root.settled is not None
    return plan.root.settled.ms - plan.goal.stamp.ms


def test_where_nothing_is_wrong_a_review_costs_a_delay_and_no_call() -> None:
    """The same plan comes at most a fifth of a second a level later, with as many results."""
    plans, calls = [], []
    for policy in (POLICY, REVIEWED):
        village = Village()
        plans.append(village.world.plan(village.asker, village.ask(policy)))
        calls.append(sum(len(by_kind(peer, Result)) for peer in village.executors))
        # One review by each scorer of each part; the whole is not reviewed.
        reviews = [len(by_kind(peer, Review)) for peer in village.scorers]
        assert reviews == ([len(plans[-1].root.children)] * 3 if policy.reviews else [0] * 3)
    assert [plan.state for plan in plans] == ["done", "done"]
    assert calls[0] == calls[1]
    assert 0 <= took_ms(plans[1]) - took_ms(plans[0]) <= 400


def test_what_is_wrong_goes_to_another_executor_with_text_and_critique() -> None:
    """It reads the earlier version and what is wrong with it; its fine version is the result."""
    model = Sloppy(mends=True)
    village = Village(model=model, executors=6)  # One is always free.
    plan = village.world.plan(village.asker, village.ask(REVIEWED))
    assert plan.state == "done"
    assert len(model.revised) == len(plan.root.children)
    for request in model.revised:
        assert request.earlier == CUT
        assert request.critiques == ("The text stops in the middle.",)
    for node in plan.root.children:
        assert node.reason == Done()
        assert node.text == "We walk home."
        first, second = (version.result.author for version in node.outcome.versions)
        assert first != second
    assert len(village.digests(plan.id)) == 1


def test_one_executor_revises_its_own_text_soon() -> None:
    """It waits a twelfth of a lease for others."""
    model = Sloppy(mends=True)
    village = Village(model=model, executors=0)
    village.world.add(Executor(), model)
    village.world.run(seconds=3)
    plan = village.world.plan(village.asker, village.ask(REVIEWED))
    assert plan.state == "done"
    assert all(node.text == "We walk home." for node in plan.root.children)


def test_reviewers_that_are_never_content_do_not_hold_a_plan() -> None:
    """After as many rounds as allowed the best version counts, and its part says so."""
    village = Village(model=Sloppy(mends=False))
    policy = REVIEWED.model_copy(update={"reviews": 2})
    plan = village.world.plan(village.asker, village.ask(policy))
    assert plan.state == "done"
    for node in plan.root.children:
        assert isinstance(node.reason, BestVersion)
        assert node.reason.versions == 3
        assert node.result is node.outcome.versions[0].result
    assert took_ms(plan) < 120 * SECOND


def test_without_scorers_results_count_when_their_time_is_up() -> None:
    """The scorers die once the split is accepted: each level of parts is late by `review_ms`."""
    village = Village()
    policy = REVIEWED.model_copy(update={"review_ms": 5 * SECOND})
    goal = village.world.submit(village.asker, "two weeks in Japan", policy)
    plan = village.world.plan(village.asker, goal)
    village.world.run(until=lambda: plan.root.decision is not None, seconds=600)
    for scorer in village.scorers:
        village.world.kill(scorer)
    village.world.run(until=lambda: village.world.plan(village.asker, goal).final, seconds=600)
    plan = village.world.plan(village.asker, goal)
    assert plan.state == "done"
    for node in plan.root.children:
        (version,) = node.outcome.versions
        assert version.verdict == "late"
        assert node.settled is not None
        assert node.settled.ms == version.result.stamp.ms + 5 * SECOND
