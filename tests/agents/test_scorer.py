"""The scorer: how it votes, and what it remembers."""

from __future__ import annotations

from swarm.agents.scorer import Scorer
from swarm.core.policy import SECOND
from swarm.core.records import Ballot
from swarm.llm.errors import BadAnswer
from swarm.llm.requests import (
    Answer,
    RateAnswer,
    RateRequest,
    Request,
)
from swarm.llm.viewpoints import QUESTIONS, Viewpoint
from swarm.sim.world.world import Model, tidy_model
from tests.agents.village import POLICY, Village, by_kind, notices


def test_scorers_who_disagree_meet_after_the_revote_time() -> None:
    """Three scorers prefer three different splits: after the revote time one of them wins."""
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


def test_a_scorer_keeps_nothing_of_votes_that_are_over() -> None:
    """Ratings contain texts, so a scorer keeps only those of open goals."""
    village = Village()
    for _ in range(3):
        village.ask()
        village.world.run(seconds=5)
        for scorer in (peer.agent for peer in village.scorers):
            assert isinstance(scorer, Scorer)
            assert (scorer._ratings, scorer._refused, scorer._contested) == ({}, set(), {})
            assert scorer._viewpoints == {}


def test_scorers_whose_models_cannot_rate_decide_by_code() -> None:
    """All give up, and the vote ends by a quorum long before its patience."""

    def mute(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, RateRequest):
            return BadAnswer("it answers neither yes nor no"), 100
        return tidy_model(request)

    village = Village(scorers=0)
    scorers = [village.world.add(Scorer(), mute) for _ in range(3)]
    village.world.run(seconds=1)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert len(plan.root.children) > 1
    assert plan.root.decision is not None
    assert plan.root.decision.how == "quorum"
    took_ms = plan.root.decision.stamp.ms - plan.goal.stamp.ms
    assert took_ms < min(60 * SECOND, plan.policy.patience_ms)
    assert all("rating-failed" in notices(scorer) for scorer in scorers)
    ratings = {
        body.score for s in scorers for body in by_kind(s, Ballot) if isinstance(body, Ballot)
    }
    assert ratings


def test_scorers_that_are_present_ask_different_questions() -> None:
    """With one model they would otherwise be one opinion, counted three times."""
    asked: dict[int, set[Viewpoint]] = {}

    def asking(number: int) -> Model:
        def model(request: Request) -> tuple[Answer | Exception, int]:
            if isinstance(request, RateRequest):
                asked.setdefault(number, set()).add(request.viewpoint)
            return tidy_model(request)

        return model

    village = Village(scorers=0)
    for number in range(3):
        village.world.add(Scorer(), asking(number))
    village.world.run(seconds=3)
    village.ask()
    assert len(asked) == 3
    # Each keeps its question through the vote of one node, so that its ratings can be compared.
    assert all(len(views) == 1 for views in asked.values())
    questions = [
        question for views in asked.values() for view in views for question in view.questions
    ]
    assert sorted(questions) == sorted(QUESTIONS)
