"""Splits that require capabilities: a plan never waits for a capability that no executor offers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.policy import SECOND
from swarm.core.records import Ballot
from swarm.llm.requests import (
    Answer,
    Request,
    SplitAnswer,
)
from swarm.sim.world.world import Model, World, tidy_model
from tests.agents.village import POLICY, Village, by_kind


def lone_split(capability: str, title: str) -> Model:
    """A model that splits well into parts that ask for something."""

    def model(request: Request) -> tuple[Answer | Exception, int]:
        answer, latency = tidy_model(request)
        if isinstance(answer, SplitAnswer):
            parts = tuple(
                replace(part, capability=capability, title=f"{title} {part.title}")
                for part in answer.parts
            )
            answer = replace(answer, parts=parts)
        return answer, latency

    return model


@pytest.mark.parametrize("fallback", [False, True])
def test_a_split_that_asks_for_what_nobody_offers_is_never_accepted(fallback: bool) -> None:
    """Every scorer refuses it below the floor and says why; the fallback skips it too.

    It is the first proposal, and for a while the only one.
    """
    village = Village(decomposers=0)
    world = village.world
    world.add(Decomposer(), lone_split("unobtainium", "shiny"))
    policy = POLICY.model_copy(
        update={"patience_ms": 30 * SECOND} | ({"quorum": 9} if fallback else {})
    )
    goal = world.submit(village.asker, "two weeks in Japan", policy)
    world.run(seconds=12)
    if not fallback:
        world.add(Decomposer())
    world.run(until=lambda: world.plan(village.asker, goal).final)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    assert not any(child.title.startswith("shiny") for child in plan.root.children)
    assert plan.root.vote is not None
    shiny = next(iter(plan.root.vote.tallies.values()))
    assert shiny.score == 0.0
    assert len(shiny.ballots) == 3
    critiques = {b.body.critique for b in shiny.ballots.values() if isinstance(b.body, Ballot)}
    assert critiques == {"No executor here offers “unobtainium”: nobody could do those parts."}


def test_a_split_wins_when_somebody_comes_who_offers_what_it_asks_for() -> None:
    """Refused at first, it is rated and approved once an executor with the capability joins."""
    village = Village(decomposers=0)
    world = village.world
    world.add(Decomposer(), lone_split("web", "shiny"))
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    world.run(seconds=12)
    assert world.plan(village.asker, goal).root.decision is None
    village.world.add(Executor(capabilities=("web",)))
    # The asker knew the executors that were there before; of these none offers it.
    world.run(seconds=40)
    assert world.plan(village.asker, goal).root.decision is None
    for executor in village.executors:
        world.kill(executor)
    world.run(until=lambda: world.plan(village.asker, goal).final)
    plan = world.plan(village.asker, goal)
    assert plan.state == "done"
    assert "shiny" in plan.root.children[0].title
    for peer in village.scorers:
        ballots = [b for b in by_kind(peer, Ballot) if isinstance(b, Ballot)]
        # Refused, rated and approved, and none of that twice.
        said = Counter((b.proposal, b.verdict, b.score) for b in ballots)
        assert max(said.values()) == 1


def test_whoever_an_owner_grants_may_offer_what_those_before_did_not() -> None:
    """In an owned swarm presences cannot be made up, so a new executor's offer counts at once."""
    world = World(1, owned=True)
    asker = world.submitter()
    world.add(Decomposer(), lone_split("web", "shiny"))
    for agent in (Scorer(), Scorer(), Executor()):
        world.add(agent)
    world.run(seconds=3)
    goal = world.submit(asker, "two weeks in Japan", POLICY)
    world.run(seconds=12)
    assert world.plan(asker, goal).root.decision is None
    world.add(Executor(capabilities=("web",)), granted=False)
    world.run(seconds=20)
    assert world.plan(asker, goal).root.decision is None
    world.add(Executor(capabilities=("web",)))
    world.run(until=lambda: world.plan(asker, goal).final)
    plan = world.plan(asker, goal)
    assert plan.state == "done"
    assert "shiny" in plan.root.children[0].title


@pytest.mark.parametrize("restarts", [0, 1, 2])
def test_a_scorer_that_was_restarted_still_knows_what_it_only_refused(restarts: int) -> None:
    """A ballot of zeros for a missing capability is not a rating: the split is rated later."""
    # In this run the two scorers do not split over the split and its polished version, which the
    # stand-still of a vote would decide only after 20 s.
    village = Village(seed=6, decomposers=0, executors=0, scorers=2)
    world = village.world
    world.add(Decomposer(), lone_split("web", "shiny"))
    goal = world.submit(village.asker, "two weeks in Japan", POLICY)
    world.run(seconds=12)
    for _ in range(restarts):
        for peer in village.scorers:
            world.kill(peer)
            peer.restart(disk=True)
        world.run(seconds=6)
    assert world.plan(village.asker, goal).root.decision is None
    world.add(Executor(capabilities=("web",)))
    world.run(until=lambda: world.plan(village.asker, goal).root.decision is not None, seconds=15)
    plan = world.plan(village.asker, goal)
    assert plan.root.decision is not None
    assert plan.root.decision.how == "quorum"
    for peer in village.scorers:
        ballots = [b for b in by_kind(peer, Ballot) if isinstance(b, Ballot)]
        # Refused, rated and approved, and none of that twice.
        said = Counter((b.proposal, b.verdict, b.score) for b in ballots)
        assert max(said.values()) == 1
