"""The decomposer: lenses, polish, and what it does when splits fail."""

from __future__ import annotations

from dataclasses import replace

from swarm.agents.briefs import brief_of
from swarm.core.clock import EPOCH
from swarm.core.policy import SECOND
from swarm.core.records import Notice, Proposal, Replan
from swarm.core.store.limits import Limits
from swarm.llm.errors import BadAnswer
from swarm.llm.requests import (
    Answer,
    RateAnswer,
    RateRequest,
    Request,
    SplitAnswer,
    SplitRequest,
)
from swarm.sim.world.world import tidy_model
from tests.agents.village import (
    POLICY,
    Village,
    by_kind,
    limited_swarm,
)


def test_decomposers_take_different_lenses() -> None:
    """Three decomposers that are present split by three lenses."""
    village = Village()
    goal = village.ask()
    vote = village.world.plan(village.asker, goal).root.vote
    assert vote is not None
    assert len({tally.body.lens for tally in vote.valid()}) == 3


def test_what_nobody_approves_is_polished_by_another() -> None:
    """A criticised proposal is refined by a decomposer other than its author, then approved."""

    def picky(request: Request) -> tuple[Answer, int]:
        if isinstance(request, RateRequest):
            good = bool(request.parts) and "better" in request.parts[0].title
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


def test_a_failing_model_ends_in_retries_then_a_notice() -> None:
    """A decomposer whose model never gives a usable split retries, then says that it gave up."""

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


def test_an_agent_that_gave_up_takes_part_in_the_next_vote() -> None:
    """A decomposer that gave up on the first split makes another when the asker replans."""

    def stubborn(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest) and not request.detail:
            return BadAnswer("no usable list after three tries"), 500
        return tidy_model(request)

    world, asker, agents = limited_swarm(Limits(), stubborn, tidy_model, tidy_model)
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
    """A replan reaches a decomposer during a call: the call stops, and the next has its reason."""
    asked: list[tuple[int, str]] = []

    def slow(request: Request) -> tuple[Answer | Exception, int]:
        if isinstance(request, SplitRequest):
            asked.append((world.now_ms, request.detail))
            return tidy_model(request, 40_000)
        return tidy_model(request)

    world, asker, agents = limited_swarm(Limits(), slow, tidy_model, tidy_model)
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


def test_what_a_model_quotes_from_the_goal_is_in_the_accepted_brief() -> None:
    """Every peer follows the brief of the accepted split, the quote in it; inventions are not."""

    def quoting(request: Request) -> tuple[Answer | Exception, int]:
        answer, latency = tidy_model(request)
        if isinstance(answer, SplitAnswer):
            quotes = ("behind the school", "Invite the mayor")
            answer = replace(answer, quotes=quotes)
        return answer, latency

    village = Village(model=quoting)
    plan = village.world.plan(village.asker, village.ask())
    assert plan.state == "done"
    assert [demand.text for demand in brief_of(plan).demands] == ["behind the school"]
    kept = [child.part.keeps for child in plan.root.children]
    assert [0] in kept
