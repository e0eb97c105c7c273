"""Why things in a plan are as they are, as data: one small record for each reason.

The fold sets them; it never words them. `swarm.core.views.english` gives each its English, which
programs read too, and the bot's views give each a text in every language it speaks. A reason is
part of no digest and of no record, so that reasons may be added here without a change of protocol;
the type checker then names every place that has to word the new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args


@dataclass(frozen=True, slots=True)
class _Reason:
    """Base of all reasons; two with the same fields are equal."""


# What a node waits for.


@dataclass(frozen=True, slots=True)
class WaitsForProposals(_Reason):
    """Nobody has proposed how to split it."""


@dataclass(frozen=True, slots=True)
class WaitsForQuorum(_Reason):
    """No proposal has the approvals it needs."""

    quorum: int


@dataclass(frozen=True, slots=True)
class WaitsForParts(_Reason):
    """Parts that it comes after are not settled."""


@dataclass(frozen=True, slots=True)
class WaitsForExecutor(_Reason):
    """It can be claimed, and nobody has."""


@dataclass(frozen=True, slots=True)
class InProgress(_Reason):
    """Someone works on it or on its parts."""


@dataclass(frozen=True, slots=True)
class WaitsForReview(_Reason):
    """It has a result, which scorers are reviewing."""

    quorum: int


@dataclass(frozen=True, slots=True)
class WaitsForRevision(_Reason):
    """Its result was sent back, and nobody has claimed the revision."""

    critique: str
    """As the reviewers put it; empty: nothing was said."""


@dataclass(frozen=True, slots=True)
class BeingRevised(_Reason):
    """Its result was sent back, and someone revises it."""

    critique: str
    """As the reviewers put it; empty: nothing was said."""


@dataclass(frozen=True, slots=True)
class BeingAssembled(_Reason):
    """Its parts are settled and are being put together."""


# How a node or a goal ended.


@dataclass(frozen=True, slots=True)
class Done(_Reason):
    """It has its result, and nothing is missing from it."""


@dataclass(frozen=True, slots=True)
class BestVersion(_Reason):
    """It has a result that its reviewers found wrong; there was no better version in time."""

    versions: int
    """How many there were."""
    rating: float
    """The mean rating of the one that was taken, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class DeadlinePassed(_Reason):
    """The goal's deadline came first."""


@dataclass(frozen=True, slots=True)
class Cancelled(_Reason):
    """The goal's author cancelled it."""

    why: str
    """As the author put it; empty: nothing was said."""


@dataclass(frozen=True, slots=True)
class AllPartsFailed(_Reason):
    """There is nothing to put together."""


@dataclass(frozen=True, slots=True)
class PartsMissing(_Reason):
    """It was put together without parts that are not done."""

    titles: tuple[str, ...]
    """Of those parts, in order."""


@dataclass(frozen=True, slots=True)
class NotAssembled(_Reason):
    """Its parts are settled, but putting them together failed."""

    because: HolderSilent | Reported


# How an attempt at a task ended.


@dataclass(frozen=True, slots=True)
class HolderSilent(_Reason):
    """The lease ran out without a renewal or a result."""


@dataclass(frozen=True, slots=True)
class Reported(_Reason):
    """The holder reported a failure."""

    text: str
    """As the holder put it; empty: nothing was said."""


@dataclass(frozen=True, slots=True)
class SentBack(_Reason):
    """Reviewers found its result wrong, and the next attempt revises it."""

    critique: str
    """As the reviewers put it; empty: nothing was said."""


@dataclass(frozen=True, slots=True)
class NotRevised(_Reason):
    """Nobody claimed the revision in time."""


# How a vote ended.


@dataclass(frozen=True, slots=True)
class FirstToQuorum(_Reason):
    """The accepted proposal was the first with enough approvals."""

    quorum: int


@dataclass(frozen=True, slots=True)
class MostApprovals(_Reason):
    """The accepted proposal had the most approvals when the vote window closed."""

    approvals: int
    quorum: int


@dataclass(frozen=True, slots=True)
class BestRated(_Reason):
    """No proposal had the quorum in time; the best rated one was taken."""

    quorum: int
    score: float
    """Its mean rating, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class DoneAsTask(_Reason):
    """No proposal had the quorum in time; the node is done as one task."""

    quorum: int


@dataclass(frozen=True, slots=True)
class NoQuorum(_Reason):
    """No proposal had the quorum in time; the node failed."""

    quorum: int


# Why a proposal does not count.


@dataclass(frozen=True, slots=True)
class ProposedTooEarly(_Reason):
    """It is stamped before its node existed."""


@dataclass(frozen=True, slots=True)
class TooManyParts(_Reason):
    """It has more parts than the policy or the budget of nodes allows."""

    parts: int
    most: int


@dataclass(frozen=True, slots=True)
class ProposalsUsedUp(_Reason):
    """Its author has made as many proposals at this node as the policy allows."""

    most: int


@dataclass(frozen=True, slots=True)
class RefinesNothing(_Reason):
    """It refines a proposal that does not count or does not exist."""


@dataclass(frozen=True, slots=True)
class RefinedTooOften(_Reason):
    """It would make the chain of refinements longer than the policy allows."""

    most: int


# Why a ballot does not count.


@dataclass(frozen=True, slots=True)
class ProposalInvalid(_Reason):
    """Its proposal does not count."""


@dataclass(frozen=True, slots=True)
class NotTheAttester(_Reason):
    """Someone other than the goal's author attests a person's vote."""


@dataclass(frozen=True, slots=True)
class PeopleDoNotVote(_Reason):
    """The policy has people's votes off."""


@dataclass(frozen=True, slots=True)
class NotInElectorate(_Reason):
    """The goal names its scorers, and the author is not one of them."""


@dataclass(frozen=True, slots=True)
class OwnProposal(_Reason):
    """The author rates a proposal of its own."""


@dataclass(frozen=True, slots=True)
class MovedTooSoon(_Reason):
    """The author moves its approval before the revote time has passed."""


Waiting = (
    WaitsForProposals
    | WaitsForQuorum
    | WaitsForParts
    | WaitsForExecutor
    | InProgress
    | WaitsForReview
    | WaitsForRevision
    | BeingRevised
    | BeingAssembled
)
"""What a node waits for."""

TaskFailed = HolderSilent | Reported
"""How the last attempt at a task ended, if the task failed."""

AttemptEnded = TaskFailed | SentBack | NotRevised
"""How an attempt at a task ended."""

Decided = FirstToQuorum | MostApprovals | BestRated | DoneAsTask | NoQuorum
"""How a vote ended."""

Ended = (
    Done
    | BestVersion
    | DeadlinePassed
    | Cancelled
    | AllPartsFailed
    | PartsMissing
    | NotAssembled
    | AttemptEnded
    | NoQuorum
)
"""How a node ended."""

Invalid = ProposedTooEarly | TooManyParts | ProposalsUsedUp | RefinesNothing | RefinedTooOften
"""Why a proposal does not count."""

NotCounted = (
    ProposalInvalid
    | NotTheAttester
    | PeopleDoNotVote
    | NotInElectorate
    | OwnProposal
    | MovedTooSoon
)
"""Why a ballot does not count."""

Reason = Waiting | Ended | Decided | Invalid | NotCounted
"""Every reason that the fold gives."""

REASONS: frozenset[type[Reason]] = frozenset(get_args(Reason))
"""The types of all reasons, for tests that nothing is left without words."""
