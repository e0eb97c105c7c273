"""The rules of voting, one by one."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import NoQuorum
from swarm.core.views.english import why
from swarm.core.views.plan_view import answer
from tests.core.story import Story
from tests.core.worlds import DECOMPOSERS, SCORERS, public


def test_first_to_reach_the_quorum_wins_and_stays() -> None:
    """A later proposal with more approvals does not displace the accepted one."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first, SCORERS[0])
    story.ballot(11, first, SCORERS[1])
    for scorer in SCORERS:
        story.ballot(70, second, scorer, score=1.0)
    assert story.winner() == first.id


def test_accepts_in_opposite_orders_give_one_winner() -> None:
    """Two peers that hear two acceptances in opposite orders agree on the earlier one."""
    base = Story()
    first, second = base.propose(1), base.propose(2, by=1)
    ballots = [base.ballot(10 + i, first, SCORERS[i]) for i in (0, 1)]
    ballots += [base.ballot(20 + i, second, SCORERS[i]) for i in (2, 0)]
    for order in (ballots, ballots[::-1], ballots[2:] + ballots[:2]):
        plan = Plan(base.goal)
        for record in [second, *order, first]:
            plan.apply(record)
        assert plan.root.decision is not None
        assert plan.root.decision.proposal == first


def test_one_scorer_voting_twice_counts_once() -> None:
    """Two approvals by one scorer, for one or two proposals, count as one."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(11, first)
    story.ballot(12, second)
    assert story.winner() is None
    assert story.plan.root.vote is not None
    assert story.plan.root.vote.tallies[second.id].total(story.policy) == 0


def test_an_approval_moves_only_after_the_revote_time() -> None:
    """Moved after the revote time, it counts for the new proposal and no longer for the old one."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(60, second)
    story.ballot(61, first, SCORERS[1])
    assert story.winner() is None
    story.ballot(62, second, SCORERS[2])
    assert story.winner() == second.id
    decision = story.plan.root.decision
    assert decision is not None
    assert decision.crossable


def test_a_withdrawn_approval_elsewhere_does_not_make_a_decision_crossable() -> None:
    """An approval withdrawn from another proposal does not make this decision crossable."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(61, first, verdict="abstain")
    story.ballot(62, second, SCORERS[1])
    story.ballot(63, second, SCORERS[2])
    decision = story.plan.root.decision
    assert decision is not None
    assert (story.winner(), decision.crossable) == (second.id, False)


def test_an_old_approval_makes_a_decision_crossable() -> None:
    """A late ballot that moved an approval away before the deciding vote changes the winner."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(11, second, SCORERS[1])
    story.ballot(62, first, SCORERS[2])
    decision = story.plan.root.decision
    assert decision is not None
    assert (story.winner(), decision.crossable) == (first.id, True)
    story.ballot(61, second)
    assert story.winner() == second.id


def test_two_splits_may_each_have_a_quorum_that_is_not_a_majority() -> None:
    """With a quorum of 2 among four scorers, a pair heard late can change the winner."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    late = Ed25519PrivateKey.from_private_bytes(bytes([66]) * 32)
    story.ballot(10, first, SCORERS[0])
    story.ballot(11, second, SCORERS[1])
    story.ballot(12, second, SCORERS[2], verdict="abstain")
    story.ballot(20, first, late)
    decision = story.plan.root.decision
    assert decision is not None
    assert (story.winner(), decision.crossable) == (first.id, True)
    story.ballot(19, second, SCORERS[2])
    assert story.winner() == second.id


def test_where_people_approve_two_splits_may_each_have_a_quorum() -> None:
    """A late ballot for the proposal that people approve of changes the winner."""
    story = Story(people="count")
    liked, rated = story.propose(1), story.propose(2, by=1)
    story.person(5, liked, 1)
    story.ballot(11, rated, SCORERS[0])
    story.ballot(12, rated, SCORERS[1])
    decision = story.plan.root.decision
    assert decision is not None
    assert (story.winner(), decision.crossable) == (rated.id, True)
    story.ballot(10, liked, SCORERS[2])
    assert story.winner() == liked.id


def test_withdrawing_and_approving_another_is_a_move_too() -> None:
    """A scorer cannot vote twice by first withdrawing its approval."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(20, first, verdict="abstain")
    story.ballot(21, second)
    story.ballot(22, second, SCORERS[1])
    assert story.winner() is None
    story.ballot(23, first, SCORERS[2])
    assert story.winner() == first.id


def test_outside_the_electorate_nobody_counts() -> None:
    """With an electorate, a stranger's approval changes nothing, and `why` states so."""
    story = Story(electorate=[public(SCORERS[0]), public(SCORERS[1])])
    proposal = story.propose(1)
    story.ballot(10, proposal, SCORERS[0])
    story.ballot(11, proposal, SCORERS[2])
    assert story.winner() is None
    assert any("not in the electorate" in line for line in why(story.plan, story.plan.root))


def test_nobody_approves_their_own_proposal() -> None:
    """A decomposer that votes for itself adds nothing."""
    story = Story(quorum=1)
    proposal = story.propose(1)
    story.ballot(10, proposal, DECOMPOSERS[0])
    assert story.winner() is None


def test_people_add_up_to_quorum_minus_one() -> None:
    """People alone accept nothing, however many; together with one scorer they do."""
    story = Story(quorum=3)
    proposal = story.propose(1)
    for who in range(20):
        story.person(10, proposal, who)
    assert story.winner() is None
    story.ballot(11, proposal)
    assert story.winner() == proposal.id


def test_people_count_net_and_once_each() -> None:
    """Rejections cancel approvals, a person's latest ballot counts, abstaining is neither."""
    story = Story()
    proposal = story.propose(1)
    story.ballot(2, proposal)
    story.person(3, proposal, 1, "reject")
    story.person(4, proposal, 2)
    assert story.winner() is None
    story.person(5, proposal, 1, "abstain")
    assert story.winner() == proposal.id


@pytest.mark.parametrize("mode", ["advisory", "off"])
def test_people_may_be_advisory_or_off(mode: str) -> None:
    """With people advisory or off, their votes do not make the quorum."""
    story = Story(people=mode)
    proposal = story.propose(1)
    story.ballot(2, proposal)
    story.person(3, proposal, 1)
    assert story.winner() is None


def test_only_the_goals_author_attests_people() -> None:
    """A scorer cannot invent people."""
    story = Story()
    proposal = story.propose(1)
    story.ballot(2, proposal)
    story.person(3, proposal, 1, by=SCORERS[1])
    assert story.winner() is None


def test_at_the_windows_end_the_most_approved_wins() -> None:
    """With a window nothing wins early; when it closes, the highest total wins."""
    story = Story(vote_window_ms=[100])
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first, SCORERS[0])
    story.ballot(11, first, SCORERS[1])
    story.ballot(70, second, SCORERS[0])
    story.ballot(71, second, SCORERS[1])
    story.ballot(72, second, SCORERS[2])
    story.until(100)
    assert story.winner() is None
    story.until(101)
    assert story.winner() == second.id


def test_after_the_window_the_first_to_reach_it_wins() -> None:
    """If no proposal had the quorum when the window closed, the first one afterwards wins."""
    story = Story(vote_window_ms=[100])
    proposal = story.propose(1)
    story.ballot(10, proposal, SCORERS[0])
    story.until(150)
    assert story.winner() is None
    story.ballot(160, proposal, SCORERS[1])
    assert story.winner() == proposal.id


@pytest.mark.parametrize(
    ("fallback", "scores", "how"),
    [
        ("best", (0.5, 0.6), "best"),
        ("best", (0.1, 0.2), "task"),
        ("task", (0.5, 0.6), "task"),
        ("fail", (0.5, 0.6), "failed"),
    ],
)
def test_without_a_quorum_the_fallback_decides(
    fallback: str, scores: tuple[float, float], how: str
) -> None:
    """The best rated one above the floor, one task, or failure with a reason, but never a hang."""
    story = Story(fallback=fallback, floor=0.3)
    low, high = story.propose(1), story.propose(2, by=1)
    story.ballot(10, low, verdict="abstain", score=scores[0])
    story.ballot(11, high, verdict="abstain", score=scores[1])
    plan = story.until(1_001)
    assert plan.root.decision is not None
    assert plan.root.decision.how == how
    assert story.winner() == (high.id if how == "best" else None)
    if how == "failed":
        assert plan.state == "failed"
        assert plan.reason == NoQuorum(2)


def test_minimum_score_binds() -> None:
    """A quorum with ratings below the policy's minimum does not win."""
    story = Story(min_score=0.7)
    proposal = story.propose(1)
    story.ballot(2, proposal, SCORERS[0], score=0.4)
    story.ballot(3, proposal, SCORERS[1], score=0.6)
    assert story.winner() is None


def test_competing_splits_never_share_nodes_and_scorers_copy_none() -> None:
    """Two proposals with the same parts have different children; only one set is in the tree."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    for i, scorer in enumerate(SCORERS):
        story.ballot(10 + i, first, scorer)
    ids = [child.id for child in story.plan.root.children]
    assert len(set(ids)) == 2
    other = Plan(story.goal)
    for record in (
        second,
        *[Story.ballot(story, 30 + i, second, s) for i, s in enumerate(SCORERS)],
    ):
        other.apply(record)
    assert not {child.id for child in other.root.children} & set(ids)


def test_an_accepted_proposal_without_parts_makes_the_node_a_task() -> None:
    """The advice "do not split" can win like any other."""
    story = Story()
    story.accept(1, parts=0)
    claim = story.claim(10, story.goal.id)
    story.result(20, claim)
    assert story.plan.state == "done"
    assert answer(story.plan) == "text"
