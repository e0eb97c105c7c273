"""The rules of votes, claims and endings, one by one."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.explain import why
from swarm.core.plan import Node, Plan
from swarm.core.policy import Policy
from swarm.core.records import (
    Ballot,
    Cancel,
    Claim,
    Goal,
    Known,
    Progress,
    Proposal,
    Record,
    Result,
    Subgoal,
    sign,
)
from swarm.core.view import answer, plan_view
from swarm.core.work import claim_rank
from tests.core.worlds import BOT, DECOMPOSERS, EXECUTORS, SCORERS, public

T0 = 1_000_000
Verdict = Literal["approve", "reject", "abstain"]


class Story:
    """Builds one goal's history, record by record, times relative to the goal."""

    def __init__(self, **policy: Any) -> None:
        defaults: dict[str, Any] = {"quorum": 2, "max_depth": 1, "lease_ms": 100, "revote_ms": 50}
        defaults |= {"patience_ms": 1_000, "deadline_ms": 100_000}
        self.policy = Policy(**(defaults | policy))
        goal = Goal(stamp=Stamp(T0), swarm="test", text="a goal", policy=self.policy)
        self.goal = sign(goal, BOT)
        self.plan = Plan(self.goal)

    def tell(self, body: Known, key: Ed25519PrivateKey) -> Record:
        record = sign(body, key)
        self.plan.apply(record)
        return record

    def propose(self, at: int, parts: int = 2, by: int = 0, **more: Any) -> Record:
        subgoals = more.pop("subgoals", [Subgoal(title=f"part {i}") for i in range(parts)])
        body = Proposal(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, parts=subgoals, **more
        )
        return self.tell(body, DECOMPOSERS[by])

    def ballot(
        self,
        at: int,
        proposal: Record,
        by: Ed25519PrivateKey = SCORERS[0],
        verdict: Verdict = "approve",
        score: float = 0.8,
    ) -> Record:
        body = Ballot(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, proposal=proposal.id,
            verdict=verdict, concrete=score, distinct=score, complete=score,
        )  # fmt: skip
        return self.tell(body, by)

    def person(
        self,
        at: int,
        proposal: Record,
        who: int,
        verdict: Verdict = "approve",
        by: Ed25519PrivateKey = BOT,
    ) -> Record:
        body = Ballot(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=self.goal.id, proposal=proposal.id,
            verdict=verdict, person=bytes([who]) * 32,
        )  # fmt: skip
        return self.tell(body, by)

    def accept(self, at: int, **more: Any) -> Record:
        proposal = self.propose(at, **more)
        self.ballot(at + 1, proposal, SCORERS[0])
        self.ballot(at + 2, proposal, SCORERS[1])
        return proposal

    def claim(self, at: int, node: bytes, by: int = 0, attempt: int = 1) -> Record:
        body = Claim(stamp=Stamp(T0 + at), goal=self.goal.id, node=node, attempt=attempt)
        return self.tell(body, EXECUTORS[by])

    def renew(self, at: int, claim: Record, by: int = 0) -> Record:
        body = Progress(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=node_of(claim), claim=claim.id
        )
        return self.tell(body, EXECUTORS[by])

    def result(
        self,
        at: int,
        claim: Record,
        by: int = 0,
        outcome: Literal["done", "failed"] = "done",
        text: str = "text",
    ) -> Record:
        body = Result(
            stamp=Stamp(T0 + at), goal=self.goal.id, node=node_of(claim), claim=claim.id,
            outcome=outcome, text=text if outcome == "done" else "", reason="because",
        )  # fmt: skip
        return self.tell(body, EXECUTORS[by])

    def until(self, at: int) -> Plan:
        self.plan.advance(T0 + at)
        return self.plan

    def winner(self) -> bytes | None:
        decision = self.plan.root.decision
        return decision.proposal.id if decision and decision.proposal else None

    def first_task(self) -> Node:
        return self.plan.root.children[0]


def node_of(claim: Record) -> bytes:
    assert isinstance(claim.body, Claim)
    return claim.body.node


# Votes.


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
    """Two approvals by one scorer, for one or two proposals, are one."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(11, first)
    story.ballot(12, second)
    assert story.winner() is None
    assert story.plan.root.vote is not None
    assert story.plan.root.vote.tallies[second.id].total(story.policy) == 0


def test_an_approval_moves_only_after_the_revote_time() -> None:
    """Moved after the revote time it counts for the new proposal and no longer for the old."""
    story = Story()
    first, second = story.propose(1), story.propose(2, by=1)
    story.ballot(10, first)
    story.ballot(60, second)
    story.ballot(61, first, SCORERS[1])
    assert story.winner() is None
    story.ballot(62, second, SCORERS[2])
    assert story.winner() == second.id


def test_withdrawing_and_approving_another_is_a_move_too() -> None:
    """A scorer cannot vote twice by taking its approval back first."""
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
    """With an electorate, a stranger's approval changes nothing, and `why` says so."""
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
    """Any number of people alone accept nothing; with one scorer they do."""
    story = Story(quorum=3)
    proposal = story.propose(1)
    for who in range(20):
        story.person(10, proposal, who)
    assert story.winner() is None
    story.ballot(11, proposal)
    assert story.winner() == proposal.id


def test_people_count_net_and_once_each() -> None:
    """Against outweighs for, the latest ballot of a person counts, withdrawn is nothing."""
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
    """With a window nothing wins early; at its end the highest total does."""
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
    """When nobody had the quorum at the window's end, the first afterwards wins."""
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
    """Best rated above the floor, one task, or failure with the reason: never a hang."""
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
        assert "quorum" in plan.reason


def test_minimum_score_binds() -> None:
    """A quorum with ratings below the policy's minimum does not win."""
    story = Story(min_score=0.7)
    proposal = story.propose(1)
    story.ballot(2, proposal, SCORERS[0], score=0.4)
    story.ballot(3, proposal, SCORERS[1], score=0.6)
    assert story.winner() is None


def test_competing_splits_never_share_nodes_and_scorers_copy_none() -> None:
    """Three scorers and two proposals of the same parts: one set of children, all different."""
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


# Claims and results.


def test_a_claim_backdated_to_before_the_acceptance_is_invalid() -> None:
    """By seconds or by a day: a claim stamped at or before the acceptance holds nothing."""
    story = Story()
    story.accept(10)
    task = story.first_task().id
    for at in (-86_400_000, 5, 12):
        body = Claim(stamp=Stamp(max(0, T0 + at)), goal=story.goal.id, node=task, attempt=1)
        story.tell(body, EXECUTORS[1])
    assert story.first_task().outcome.holder is None
    honest = story.claim(20, task)
    assert story.first_task().outcome.holder == honest


def test_the_work_of_the_honest_counts_though_a_backdated_claim_holds() -> None:
    """A claim backdated past an honest one takes the lease but not the honest result."""
    story = Story()
    story.accept(10)
    honest = story.claim(20, story.first_task().id)
    story.claim(13, story.first_task().id, by=1)
    result = story.result(30, honest)
    assert story.first_task().result == result


def test_equal_stamps_fall_to_the_hash() -> None:
    """Two claims with one stamp: the lower hash of task, attempt and author holds."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    claims = [story.claim(20, task, by=i) for i in range(3)]
    lowest = min(claims, key=lambda c: claim_rank(task, 1, c.author))
    assert story.first_task().outcome.holder == lowest


def test_a_lease_runs_out_and_the_next_attempt_takes_over() -> None:
    """Not renewed, the claim ends; a claim for attempt 2 is valid only after that."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.claim(60, task, by=1, attempt=2)
    assert story.first_task().outcome.holder is not None
    story.until(121)
    assert story.first_task().outcome.holder is None
    second = story.claim(122, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == second


def test_renewals_keep_a_lease_and_only_the_holders_count() -> None:
    """Progress by the holder extends the lease; a stranger's does not."""
    story = Story()
    story.accept(1)
    claim = story.claim(20, story.first_task().id)
    story.renew(100, claim)
    story.until(199)
    assert story.first_task().outcome.holder == claim
    story.renew(190, claim, by=1)
    story.until(201)
    assert story.first_task().outcome.holder is None


def test_who_held_a_task_before_lets_others_go_first() -> None:
    """A holder that went silent cannot take the next attempt by being the first to claim it."""
    story = Story(lease_ms=100)
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.until(121)
    story.claim(121, task, attempt=2)
    assert story.first_task().outcome.holder is None
    honest = story.claim(150, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == honest


def test_who_held_a_task_before_may_claim_it_again_after_half_a_lease() -> None:
    """Where there is nobody else, the only executor gets its next attempt."""
    story = Story(lease_ms=100)
    story.accept(1)
    task = story.first_task().id
    story.claim(20, task)
    story.until(171)
    again = story.claim(171, task, attempt=2)
    assert story.first_task().outcome.holder == again


def test_no_renewal_holds_a_task_for_more_than_half_of_the_time_left() -> None:
    """A holder that renews for ever and does nothing cannot carry a goal to its deadline."""
    story = Story(lease_ms=100, deadline_ms=10_000)
    story.accept(1)
    task = story.first_task().id
    claim = story.claim(20, task)
    for at in range(90, 5_000, 90):
        story.renew(at, claim)
    assert story.first_task().outcome.holder == claim
    story.renew(5_005, claim)
    story.until(20 + (10_000 - 20) // 2 + 1)
    assert story.first_task().outcome.holder is None
    honest = story.claim(5_100, task, by=1, attempt=2)
    assert story.first_task().outcome.holder == honest


def test_an_executor_that_finishes_after_its_lease_still_counts() -> None:
    """The first result by anyone who held a valid claim settles the task; later ones do not."""
    story = Story()
    story.accept(1)
    task = story.first_task().id
    slow = story.claim(20, task)
    story.until(150)
    quick = story.claim(151, task, by=1, attempt=2)
    late = story.result(160, slow, text="late")
    story.result(170, quick, by=1, text="second")
    assert story.first_task().result == late
    assert len(story.first_task().work.results) == 2


def test_results_without_a_claim_or_by_others_are_ignored() -> None:
    """A result needs a valid claim of its own author."""
    story = Story()
    story.accept(1)
    claim = story.claim(20, story.first_task().id)
    story.result(30, claim, by=1)
    assert story.first_task().settled is None


def test_failed_attempts_are_counted_and_the_parent_goes_on() -> None:
    """At the limit of attempts the task is failed; the plan ends partial and names it."""
    story = Story(max_attempts=2)
    story.accept(1)
    first, second = story.plan.root.children
    for attempt, by in ((1, 0), (2, 1)):
        claim = story.claim(20 * attempt, first.id, by=by, attempt=attempt)
        story.result(20 * attempt + 5, claim, by=by, outcome="failed")
    story.result(60, story.claim(50, second.id))
    assert story.first_task().settled_as == "failed"
    root = story.claim(70, story.goal.id)
    story.result(80, root)
    assert story.plan.state == "partial"
    assert first.title in story.plan.reason


def test_all_parts_failed_fails_the_goal() -> None:
    """With nothing to put together the goal fails at once, with the reason."""
    story = Story(max_attempts=1)
    story.accept(1)
    for i, child in enumerate(story.plan.root.children):
        story.result(30 + i, story.claim(20 + i, child.id), outcome="failed")
    assert (story.plan.state, story.plan.reason) == ("failed", "all its parts failed")


def test_a_task_waits_for_what_it_comes_after() -> None:
    """A claim before the earlier sibling is settled is invalid; after a failure it goes on."""
    story = Story(max_attempts=1)
    parts = [Subgoal(title="a"), Subgoal(title="b", after=[0])]
    story.accept(1, subgoals=parts)
    first, second = story.plan.root.children
    story.claim(20, second.id)
    assert second.outcome.holder is None
    story.result(40, story.claim(30, first.id), outcome="failed")
    claim = story.claim(50, second.id)
    assert second.outcome.holder == claim


# Endings.


def test_the_deadline_ends_a_goal_with_what_there_is() -> None:
    """After the deadline: partial if any part is done, and the answer has that part."""
    story = Story(deadline_ms=500)
    story.accept(1)
    story.result(30, story.claim(20, story.first_task().id), text="the first part")
    plan = story.until(501)
    assert (plan.state, plan.reason) == ("partial", "the deadline passed")
    assert "the first part" in answer(plan)


def test_cancel_is_the_authors_and_loses_nothing() -> None:
    """Only the author's cancel counts; what was done before is kept, later results are not."""
    story = Story()
    story.accept(1)
    first, second = story.plan.root.children
    story.result(30, story.claim(20, first.id), text="kept")
    held = story.claim(40, second.id)
    story.tell(Cancel(stamp=Stamp(T0 + 50), goal=story.goal.id), EXECUTORS[0])
    assert story.plan.state == "executing"
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id, reason="enough"), BOT)
    story.result(70, held)
    assert (story.plan.state, story.plan.reason) == ("cancelled", "enough")
    assert "kept" in answer(story.plan)
    assert story.plan.state_of(second) == "cancelled"


def test_a_cancel_after_the_end_changes_nothing() -> None:
    """A goal that ended stays as it ended."""
    story = Story(max_depth=0)
    story.result(30, story.claim(20, story.goal.id))
    digest = story.plan.digest
    story.tell(Cancel(stamp=Stamp(T0 + 60), goal=story.goal.id), BOT)
    assert story.plan.state == "done"
    assert digest == story.plan.digest


def test_the_view_is_complete_json() -> None:
    """The `--json` view names state, proposals, votes, claim and result, and parses back."""
    story = Story()
    proposal = story.accept(1)
    story.result(30, story.claim(20, story.first_task().id), text="done it")
    view = plan_view(story.plan, records=7)
    assert type(view).model_validate_json(view.model_dump_json()) == view
    (shown,) = view.tree.proposals
    assert shown.id == proposal.id.hex()
    assert shown.accepted
    assert [ballot.approves for ballot in shown.ballots] == [True, True]
    task = view.tree.children[0]
    assert task.state == "done"
    assert task.claim is not None
    assert task.claim.holder == public(EXECUTORS[0]).hex()
    assert task.result is not None
    assert task.result.text == "done it"
