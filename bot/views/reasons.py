"""Why a split won or lost and why a plan stands as it does, in the language spoken now.

The fold gives its reasons as data (`swarm.core.fold.reasons`); here each gets a text of the
catalogue. What an agent or a person wrote is shown as it is, escaped.
"""

from __future__ import annotations

from typing import assert_never

from bot.rendering import plain
from bot.texts import Text, say
from swarm.core.fold import reasons as why_so
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import Reason
from swarm.core.fold.replans import Round
from swarm.core.fold.voting import Decision, Tally
from swarm.core.views.waiting import (
    HolderGone,
    HolderUnable,
    Lack,
    NoneAble,
    NoneHere,
    NotOffered,
    TooFewScorers,
)

REASON_SHOWN = 300
TITLES_SHOWN = 3
TITLE_SHOWN = 60


def plan_reason(plan: Plan) -> str:
    """Return why a goal ended as it did, or what it waits for; rendered."""
    return reason_text(plan.reason)


def node_reason(plan: Plan, node: Node, most: int = REASON_SHOWN) -> str:
    """Return why a node ended as it did, or what it waits for; rendered.

    Args:
        plan: the goal's.
        node: one of its nodes.
        most: UTF-16 units of a reason that an agent or a person gave.
    """
    return reason_text(plan.reason_of(node), most)


def reason_text(reason: Reason, most: int = REASON_SHOWN) -> str:
    """Return a reason of the fold in the language spoken now; rendered.

    Args:
        reason: any; a new one without a text here is an error of the type checker.
        most: UTF-16 units of what an agent or a person wrote.
    """
    match reason:
        case why_so.WaitsForProposals():
            return say(Text.WAITS_PROPOSALS)
        case why_so.WaitsForQuorum(quorum):
            return say(Text.WAITS_QUORUM, quorum=quorum)
        case why_so.WaitsForParts():
            return say(Text.WAITS_PARTS)
        case why_so.WaitsForExecutor():
            return say(Text.WAITS_EXECUTOR)
        case why_so.InProgress():
            return say(Text.BEING_DONE)
        case why_so.WaitsForReview(quorum):
            return say(Text.WAITS_REVIEW, quorum=quorum)
        case why_so.WaitsForRevision(critique):
            return say(Text.WAITS_REVISION, said=_said(critique, most))
        case why_so.BeingRevised(critique):
            return say(Text.BEING_REVISED, said=_said(critique, most))
        case why_so.BeingAssembled():
            return say(Text.BEING_ASSEMBLED)
        case why_so.Done():
            return say(Text.DONE).partition(" ")[2]
        case why_so.BestVersion(versions, rating):
            return say(Text.BEST_VERSION, count=versions, score=f"{rating:.2f}")
        case why_so.DeadlinePassed():
            return say(Text.ENDED_DEADLINE)
        case why_so.Cancelled(why):
            return plain(why, most) if why else say(Text.CANCEL_REASON)
        case why_so.AllPartsFailed():
            return say(Text.ENDED_ALL_FAILED)
        case why_so.PartsMissing(titles):
            return say(Text.ENDED_WITHOUT, parts=_quoted(titles))
        case why_so.NotAssembled(because):
            return say(Text.NOT_ASSEMBLED, reason=reason_text(because, most))
        case why_so.HolderSilent():
            return say(Text.ENDED_SILENT)
        case why_so.Reported(text):
            return plain(text, most) if text else say(Text.NO_REASON)
        case why_so.SentBack(critique):
            return say(Text.SENT_BACK, said=_said(critique, most))
        case why_so.NotRevised():
            return say(Text.NOT_REVISED)
        case why_so.FirstToQuorum(quorum):
            return say(Text.WON_QUORUM, quorum=quorum)
        case why_so.MostApprovals():
            return say(Text.WON_WINDOW)
        case why_so.BestRated(quorum, score):
            return say(Text.WON_BEST, quorum=quorum, score=f"{score:.2f}")
        case why_so.DoneAsTask(quorum):
            return say(Text.WON_TASK, quorum=quorum)
        case why_so.NoQuorum(quorum):
            return say(Text.WON_FAILED, quorum=quorum)
        case why_so.ProposedTooEarly():
            return say(Text.INVALID_EARLY)
        case why_so.TooManyParts(count, room):
            return say(Text.INVALID_PARTS, count=count, most=room)
        case why_so.ProposalsUsedUp(count):
            return say(Text.INVALID_USED_UP, count=count)
        case why_so.RefinesNothing():
            return say(Text.INVALID_REFINES)
        case why_so.RefinedTooOften(count):
            return say(Text.INVALID_REFINED, count=count)
        case why_so.ProposalInvalid():
            return say(Text.IGNORED_PROPOSAL)
        case why_so.NotTheAttester():
            return say(Text.IGNORED_ATTEST)
        case why_so.PeopleDoNotVote():
            return say(Text.IGNORED_OFF)
        case why_so.NotInElectorate():
            return say(Text.IGNORED_ELECTORATE)
        case why_so.OwnProposal():
            return say(Text.IGNORED_OWN)
        case why_so.MovedTooSoon():
            return say(Text.IGNORED_EARLY)
    assert_never(reason)


def lack_text(lack: Lack, most: int = REASON_SHOWN) -> str:
    """Return who is missing, in the language spoken now, as a clause; rendered.

    Args:
        lack: what is missing.
        most: UTF-16 units of what a peer wrote.
    """
    match lack:
        case NoneHere(role):
            return say(Text.LACK_NONE, role=role)
        case NoneAble(_, name, trouble) | HolderUnable(name, trouble):
            who = plain(name, TITLE_SHOWN)
            return say(Text.LACK_UNABLE, who=who, trouble=plain(trouble, most))
        case NotOffered(needed):
            return say(Text.LACK_OFFER, what=plain(", ".join(needed), most))
        case TooFewScorers(able, quorum):
            return say(Text.LACK_FEW, able=able, quorum=quorum)
        case HolderGone():
            return say(Text.LACK_HOLDER)
    assert_never(lack)


def won(decision: Decision, tally: Tally | None) -> str:
    """Return how a vote was won, with scorers' and people's votes named apart; rendered.

    Args:
        decision: the vote's.
        tally: of the split that won; None: none did.
    """
    text = reason_text(decision.reason)
    if tally is not None and isinstance(
        decision.reason, why_so.FirstToQuorum | why_so.MostApprovals
    ):
        text += f" ({votes(tally)})"
    return text


def lost(plan: Plan, decision: Decision, tally: Tally) -> str:
    """Return why a split was not chosen; rendered."""
    if decision.proposal is None:
        return won(decision, None)
    if tally.ballots and tally.score < plan.policy.min_score:
        return rated_low(tally.score, plan.policy.min_score)
    return say(Text.LOST_OTHER, votes=votes(tally))


def rated_low(score: float, least: float) -> str:
    """Return that a split's mean rating is below the policy's minimum; both are in [0, 1]."""
    return say(Text.LOST_LOW, score=f"{score:.2f}", least=f"{least:.2f}")


def aside(past: Round) -> str:
    """Return why an accepted split was set aside; rendered."""
    if not past.reason:
        return say(Text.ASIDE)
    return say(Text.ASIDE_REASON, reason=plain(past.reason, REASON_SHOWN))


def votes(tally: Tally) -> str:
    """Return a split's approvals, scorers' and people's named apart."""
    return say(Text.VOTES, scorers=len(tally.approvals), people=tally.people_for)


def _said(critique: str, most: int) -> str:
    return f": {plain(critique, most)}" if critique else ""


def _quoted(titles: tuple[str, ...]) -> str:
    names = ", ".join(f"“{plain(title, TITLE_SHOWN)}”" for title in titles[:TITLES_SHOWN])
    return names + (" …" if len(titles) > TITLES_SHOWN else "")
