"""How a node came to be as it is: its history as data, from the records alone.

`history` is the only place that decides which events are shown and in which order.
`swarm.core.views.english` words them for terminals; the bot's `/why` and its files do so in the
reader's language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from swarm.core.clock import Stamp
from swarm.core.fold.node import Node, State
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import AttemptEnded, Invalid, NotCounted, Reason
from swarm.core.fold.replans import Round
from swarm.core.fold.voting import Decision, Tally
from swarm.core.records import Ballot, Record, Result, Review
from swarm.core.views.waiting import Heard, Lack, lack_of

# Where a proposal stands.


@dataclass(frozen=True, slots=True)
class NoScorerYet:
    """No scorer approves of it; people alone cannot accept it."""

    approvals: int
    quorum: int


@dataclass(frozen=True, slots=True)
class FewApprovals:
    """It has fewer approvals than the quorum."""

    approvals: int
    quorum: int


@dataclass(frozen=True, slots=True)
class RatedTooLow:
    """It has the quorum, but its mean rating is below the policy's minimum."""

    score: float
    least: float


@dataclass(frozen=True, slots=True)
class WindowOpen:
    """It has the quorum; the vote window has not closed."""


@dataclass(frozen=True, slots=True)
class Won:
    """It was accepted."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class Lost:
    """The vote ended without it: another proposal was accepted, or none."""

    decision: Decision


Standing = NoScorerYet | FewApprovals | RatedTooLow | WindowOpen | Won | Lost | Invalid
"""Why a proposal was accepted, lost, waits, or does not count."""


def standing(plan: Plan, node: Node, tally: Tally) -> Standing:
    """Return where a proposal at a node stands."""
    policy, decision = plan.policy, node.decision
    if tally.invalid is not None:
        return tally.invalid
    if decision is not None:
        accepted = decision.proposal is not None and decision.proposal.id == tally.record.id
        return Won(decision) if accepted else Lost(decision)
    total = tally.total(policy)
    if not tally.approvals:
        return NoScorerYet(total, policy.quorum)
    if total < policy.quorum:
        return FewApprovals(total, policy.quorum)
    if tally.score < policy.min_score:
        return RatedTooLow(tally.score, policy.min_score)
    return WindowOpen()


# What happened.


@dataclass(frozen=True, slots=True)
class Stands:
    """Where the node is now; this comes first."""

    title: str
    state: State
    reason: Reason
    lack: Lack | None = None
    """Who is missing for what it waits for; None: nobody, or not known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The goal was published: the node is the root."""

    goal: Record


@dataclass(frozen=True, slots=True)
class Opened:
    """The node came into being as a part of an accepted split."""

    number: int
    """Its place among the parts, from 1."""
    parent: Node
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class ProposedBefore:
    """A proposal that counted in an earlier round."""

    tally: Tally


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """An earlier round was decided, and then opened again by a replan."""

    past: Round
    winner: Tally | None
    """The accepted proposal's; None: none was."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal of the latest round."""

    tally: Tally
    standing: Standing


@dataclass(frozen=True, slots=True)
class Rated:
    """A scorer's latest ballot on the proposal above."""

    record: Record
    ballot: Ballot
    since: Stamp | None
    """Since when the scorer approves of it; None: it does not."""


@dataclass(frozen=True, slots=True)
class PeopleVoted:
    """People's votes on the proposal above."""

    approve: int
    reject: int


@dataclass(frozen=True, slots=True)
class BallotIgnored:
    """A ballot on the proposal above that does not count."""

    record: Record
    reason: NotCounted


@dataclass(frozen=True, slots=True)
class VoteEnded:
    """The latest round was decided."""

    decision: Decision
    winner: Tally | None
    """The accepted proposal's; None: none was."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A valid claim in an attempt at the task."""

    attempt: int
    claim: Record
    holds: bool
    """Whether it was first and so held the task; all others lost to it."""


@dataclass(frozen=True, slots=True)
class AttemptOver:
    """The attempt above failed, its lease expired, or its result was sent back."""

    attempt: int
    how: Literal["failed", "expired", "sent back"]
    reason: AttemptEnded


@dataclass(frozen=True, slots=True)
class Settled:
    """The result that settled the node."""

    result: Record


@dataclass(frozen=True, slots=True)
class Written:
    """A result that is or was reviewed, and has not settled the node."""

    result: Record


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A scorer's review of the result above."""

    record: Record
    review: Review


@dataclass(frozen=True, slots=True)
class Unused:
    """A result that came too late, or from an author without a valid claim."""

    result: Record


@dataclass(frozen=True, slots=True)
class Foreign:
    """A record at the node whose author was not granted the role it needs: it does not count."""

    record: Record


Event = (
    Stands
    | Asked
    | Opened
    | ProposedBefore
    | RoundEnded
    | Proposed
    | Rated
    | PeopleVoted
    | BallotIgnored
    | VoteEnded
    | Claimed
    | AttemptOver
    | Settled
    | Written
    | Reviewed
    | Unused
    | Foreign
)
"""One thing to tell about a node."""

DETAILS = (Rated, PeopleVoted, BallotIgnored, AttemptOver, Reviewed, Unused)
"""Events that belong to the one above them, and are shown indented."""


def history(plan: Plan, node: Node, heard: Sequence[Heard] | None = None) -> Iterator[Event]:
    """Yield where a node stands, who proposed what, who voted how, what won, who did the work.

    Args:
        plan: the goal's.
        node: one of its nodes.
        heard: the peers that were heard lately; None: not known.
    """
    lack = None if heard is None or plan.final else lack_of(plan, node, heard)
    yield Stands(node.title, plan.state_of(node), plan.reason_of(node), lack)
    if node.parent is None:
        yield Asked(plan.goal)
    else:
        yield Opened(node.index + 1, node.parent, node.opened)
    for past in node.rounds:
        for tally in past.vote.valid():
            yield ProposedBefore(tally)
        yield RoundEnded(past, _winner(past.decision, past.vote.tallies))
    if node.vote is not None:
        for tally in node.vote.tallies.values():
            yield from _proposal(plan, node, tally)
        if node.decision is not None:
            yield VoteEnded(node.decision, _winner(node.decision, node.vote.tallies))
    yield from _work(node)
    for record in plan.foreign:
        if getattr(record.body, "node", None) == node.id:
            yield Foreign(record)


def _winner(decision: Decision, tallies: dict[bytes, Tally]) -> Tally | None:
    return None if decision.proposal is None else tallies.get(decision.proposal.id)


def _proposal(plan: Plan, node: Node, tally: Tally) -> Iterator[Event]:
    yield Proposed(tally, standing(plan, node, tally))
    for voter, record in sorted(tally.ballots.items()):
        assert isinstance(record.body, Ballot)
        yield Rated(record, record.body, tally.approvals.get(voter))
    if tally.people:
        yield PeopleVoted(tally.people_for, tally.people_against)
    for record, reason in tally.ignored:
        yield BallotIgnored(record, reason)


def _work(node: Node) -> Iterator[Event]:
    for attempt in node.outcome.attempts:
        for rank, claim in enumerate(attempt.claims):
            yield Claimed(attempt.number, claim, holds=rank == 0)
        if attempt.ended and attempt.reason is not None:
            yield AttemptOver(attempt.number, attempt.ended, attempt.reason)
    versions = {version.result.id: version for version in node.outcome.versions}
    for record in node.work.results:
        assert isinstance(record.body, Result)
        version = versions.get(record.id)
        if record is node.result:
            yield Settled(record)
        elif version is not None:
            yield Written(record)
        elif record.body.outcome == "done":
            yield Unused(record)
        for review in version.reviews.values() if version is not None else ():
            assert isinstance(review.body, Review)
            yield Reviewed(review, review.body)
