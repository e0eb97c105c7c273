"""A node's history as data: its events, their order, and where a proposal stands."""

from __future__ import annotations

import pytest

from swarm.core.fold.reasons import NotInElectorate, OwnProposal, RefinesNothing
from swarm.core.views import explain
from swarm.core.views.explain import DETAILS, history, standing
from tests.core.story import Story
from tests.core.worlds import DECOMPOSERS, SCORERS, folded, public, random_world


def stands(story: Story, number: int = 0) -> explain.Standing:
    """Return where the root's proposal of this number stands."""
    vote = story.plan.root.vote
    assert vote is not None
    return standing(story.plan, story.plan.root, list(vote.tallies.values())[number])


def test_a_proposal_gains_approvals_until_it_wins() -> None:
    """Nobody, people alone, too few, accepted; the other one lost by the same decision."""
    story = Story(quorum=2)
    first = story.propose(1)
    story.propose(2, by=1)
    assert stands(story) == explain.NoScorerYet(0, 2)
    story.person(3, first, 1)
    assert stands(story) == explain.NoScorerYet(1, 2)
    story.person(4, first, 1, "abstain")
    story.ballot(5, first, SCORERS[0])
    assert stands(story) == explain.FewApprovals(1, 2)
    story.ballot(6, first, SCORERS[1])
    decision = story.plan.root.decision
    assert decision is not None
    assert stands(story, 0) == explain.Won(decision)
    assert stands(story, 1) == explain.Lost(decision)


def test_a_quorum_is_not_all() -> None:
    """A mean rating below the minimum, and a window that is open, hold a proposal back."""
    story = Story(quorum=1, min_score=0.9)
    story.ballot(2, story.propose(1), score=0.5)
    assert stands(story) == explain.RatedTooLow(0.5, 0.9)
    story = Story(quorum=1, vote_window_ms=[100])
    story.ballot(2, story.propose(1))
    assert stands(story) == explain.WindowOpen()


def test_a_proposal_that_does_not_count_has_its_reason() -> None:
    """It stands nowhere else, whatever ballots it has."""
    story = Story()
    story.propose(1, refines=bytes(32))
    assert stands(story) == RefinesNothing()


def test_ballots_that_do_not_count_are_told_below_their_proposal() -> None:
    """With the reason, after those that count."""
    story = Story(electorate=[public(SCORERS[0]), public(SCORERS[1])])
    proposal = story.propose(1)
    story.ballot(10, proposal, SCORERS[0])
    story.ballot(11, proposal, SCORERS[2])
    events = list(history(story.plan, story.plan.root))
    assert [type(event) for event in events] == [
        explain.Stands, explain.Asked, explain.Proposed, explain.Rated, explain.BallotIgnored,
    ]  # fmt: skip
    ignored = events[-1]
    assert isinstance(ignored, explain.BallotIgnored)
    assert ignored.reason == NotInElectorate()
    story = Story()
    own = story.ballot(10, story.propose(1), DECOMPOSERS[0])
    ignored = list(history(story.plan, story.plan.root))[-1]
    assert ignored == explain.BallotIgnored(own, OwnProposal())


@pytest.mark.parametrize("seed", range(30))
def test_every_history_begins_with_the_node_and_puts_details_below(seed: int) -> None:
    """The headline is first; a detail never stands before what it belongs to."""
    plan = folded(random_world(seed, 60, eager=bool(seed % 2)))
    for node in plan.nodes():
        events = list(history(plan, node))
        assert isinstance(events[0], explain.Stands)
        assert isinstance(events[1], explain.Asked | explain.Opened)
        above: type[explain.Event] = explain.Stands
        for event in events:
            if isinstance(event, explain.Rated | explain.PeopleVoted | explain.BallotIgnored):
                assert above is explain.Proposed
            if isinstance(event, explain.AttemptOver):
                assert above in (explain.Claimed, explain.VoteEnded, explain.Asked, explain.Opened)
            if not isinstance(event, DETAILS):
                above = type(event)
