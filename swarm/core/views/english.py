"""The English of the plan's views: for terminals, for logs, and for programs that read `--json`.

Reasons and the history of a node are data (`swarm.core.fold.reasons`, `swarm.core.views.explain`);
here each gets its words. The words of `reason_text` and `standing_text` are part of the `--json`
interface (`docs/vectors` has some). A program may compare them, so CHANGELOG.md lists each change.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import assert_never

from swarm.core.brief import Brief
from swarm.core.clock import Stamp
from swarm.core.fold import reasons as why_so
from swarm.core.fold.node import Node, text_of
from swarm.core.fold.plan import Plan
from swarm.core.fold.reasons import Reason
from swarm.core.fold.voting import Tally
from swarm.core.records import Namer, Proposal, short_key
from swarm.core.views import explain
from swarm.core.views.explain import DETAILS, Event, Standing, history
from swarm.core.views.waiting import (
    Heard,
    HolderGone,
    HolderUnable,
    Lack,
    NoneAble,
    NoneHere,
    NotOffered,
    TooFewScorers,
)


def reason_text(reason: Reason) -> str:
    """Return a reason in English, as a clause without a full stop. Nothing is escaped."""
    match reason:
        case why_so.WaitsForProposals():
            return "waits for proposals"
        case why_so.WaitsForQuorum(quorum):
            return f"waits for a quorum of {quorum}"
        case why_so.WaitsForParts():
            return "waits for the parts it comes after"
        case why_so.WaitsForExecutor():
            return "waits for an executor"
        case why_so.InProgress():
            return "in progress"
        case why_so.WaitsForReview(quorum):
            return f"its result waits for a quorum of {quorum} reviews"
        case why_so.WaitsForRevision(critique):
            return f"sent back{_said(critique)}; waits for an executor"
        case why_so.BeingRevised(critique):
            return f"being revised{_said(critique)}"
        case why_so.BeingAssembled():
            return "its parts are being put together"
        case why_so.Done():
            return "done"
        case why_so.BestVersion(versions, rating):
            return f"the best of the versions written ({versions}); reviewers rate it {rating:.2f}"
        case why_so.DeadlinePassed():
            return "the deadline passed"
        case why_so.Cancelled(why):
            return why or "cancelled by its author"
        case why_so.AllPartsFailed():
            return "all its parts failed"
        case why_so.PartsMissing(titles):
            return f"without what is missing from {', '.join(f'“{title}”' for title in titles)}"
        case why_so.NotAssembled(because):
            return f"putting the parts together failed: {reason_text(because)}"
        case why_so.HolderSilent():
            return "its holder went silent"
        case why_so.Reported(text):
            return text or "no reason given"
        case why_so.SentBack(critique):
            return f"sent back by its reviewers{_said(critique)}"
        case why_so.NotRevised():
            return "nobody revised it in time"
        case why_so.FirstToQuorum(quorum):
            return f"first to reach the quorum of {quorum}"
        case why_so.MostApprovals(approvals, quorum):
            return f"most approvals ({approvals} of {quorum} needed) when the vote window closed"
        case why_so.BestRated(quorum, score):
            return f"{_too_late(quorum)}; best rated ({score:.2f}) instead"
        case why_so.DoneAsTask(quorum):
            return f"{_too_late(quorum)}; done as one task instead"
        case why_so.NoQuorum(quorum):
            return _too_late(quorum)
        case why_so.ProposedTooEarly():
            return "stamped before its node existed"
        case why_so.TooManyParts(parts, most):
            return f"{parts} parts; the policy leaves room for {most}"
        case why_so.ProposalsUsedUp(most):
            return f"its author's {most} proposals are used up"
        case why_so.RefinesNothing():
            return "refines no proposal that counts here"
        case why_so.RefinedTooOften(most):
            return f"refined {most} times already"
        case why_so.ProposalInvalid():
            return "its proposal does not count"
        case why_so.NotTheAttester():
            return "only the goal's author may attest people's votes"
        case why_so.PeopleDoNotVote():
            return "people do not vote on this goal"
        case why_so.NotInElectorate():
            return "not in the electorate"
        case why_so.OwnProposal():
            return "nobody rates their own proposal"
        case why_so.MovedTooSoon():
            return "its author's approval may not move yet"
    assert_never(reason)


def standing_text(standing: Standing) -> str:
    """Return in English why a proposal was accepted, lost, waits or does not count."""
    match standing:
        case explain.NoScorerYet(approvals, quorum):
            return f"has {approvals} of {quorum} approvals, none by a scorer yet"
        case explain.FewApprovals(approvals, quorum):
            return f"has {approvals} of {quorum} approvals"
        case explain.RatedTooLow(score, least):
            return f"rated {score:.2f}; the policy asks for {least:.2f}"
        case explain.WindowOpen():
            return "has the quorum; the vote window is still open"
        case explain.Won(decision):
            return reason_text(decision.reason)
        case explain.Lost(decision) if decision.proposal is None:
            return reason_text(decision.reason)
        case explain.Lost(decision):
            return f"another proposal was accepted: {reason_text(decision.reason)}"
        case _:
            return reason_text(standing)


def result_text(node: Node, level: int = 2) -> str:
    """Return a node's text in Markdown, with English for parts that failed; see `text_of`."""
    return text_of(node, _failed_part, level)


def _failed_part(node: Node) -> str:
    reason = "" if node.reason is None else reason_text(node.reason)
    return f"*This part could not be done: {reason}*"


def time_of_day(stamp: Stamp) -> str:
    """Return a stamp's time of day in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(stamp.ms / 1000, UTC)
    return f"{moment:%H:%M:%S}.{stamp.ms % 1000:03d}"


def lack_text(lack: Lack) -> str:
    """Return who is missing, in English, as a clause without a full stop. Nothing is escaped."""
    match lack:
        case NoneHere(role):
            return f"no {role} is here"
        case NoneAble(_, name, trouble, more):
            others = f" (and {more} more)" if more else ""
            return f"{name}{others} cannot work: {trouble}"
        case NotOffered(needed):
            return f"no executor here offers {', '.join(needed)}"
        case TooFewScorers(able, quorum):
            are = "is" if able == 1 else "are"
            return f"only {able} of the {quorum} scorers needed {are} here"
        case HolderGone():
            return "its executor is not here; another one takes over when its lease ends"
        case HolderUnable(name, trouble):
            return f"{name} cannot work: {trouble}"
    assert_never(lack)


def why(
    plan: Plan, node: Node, name: Namer = short_key, heard: Sequence[Heard] | None = None
) -> list[str]:
    """Return, line by line, who proposed what, who voted how, what won, who did the work.

    Lines that belong to the one above are indented by two spaces. Plain text, nothing escaped.

    Args:
        plan: the goal's.
        node: one of its nodes.
        name: gives author keys their names.
        heard: the peers that were heard lately; None: not known.
    """
    lines = [
        f"{'  ' if isinstance(event, DETAILS) else ''}{_line(event, name)}"
        for event in history(plan, node, heard)
    ]
    demands = demands_of(plan, node)
    if demands:
        verb = "The goal demands" if node is plan.root else "It has to keep"
        lines.insert(1, f"{verb}: {'; '.join(demands)}.")
    return lines


def demands_of(plan: Plan, node: Node) -> list[str]:
    """Return what the brief demands of a node, in the goal's words; empty: nothing, or none yet.

    The brief is the accepted proposal's, and until there is one, the best-rated proposal's.

    Args:
        plan: the goal's.
        node: its root, for all demands, or a part, for those that it keeps.
    """
    brief = _brief(plan.root)
    if brief is None:
        return []
    if node is plan.root:
        return [demand.text for demand in brief.demands]
    kept = node.part.keeps or []
    return [brief.demands[index].text for index in kept if index < len(brief.demands)]


def _brief(root: Node) -> Brief | None:
    if root.decision is not None:
        proposals = [root.decision.proposal]
    else:
        tallies = root.vote.valid() if root.vote is not None else []
        best = sorted(tallies, key=lambda tally: (-tally.score, tally.record.id))
        proposals = [tally.record for tally in best]
    bodies = (proposal.body for proposal in proposals if proposal is not None)
    return next((b.brief for b in bodies if isinstance(b, Proposal) and b.brief), None)


def _line(event: Event, name: Namer) -> str:
    match event:
        case explain.Stands(title, state, reason, lack):
            because = f": {lack_text(lack)}" if lack is not None else ""
            return f"{title}: {state} ({reason_text(reason)}{because})"
        case explain.Asked(goal):
            return f"Asked at {time_of_day(goal.stamp)} by {name(goal.author)}."
        case explain.Opened(number, parent, stamp):
            return f"Part {number} of “{parent.title}”, opened {time_of_day(stamp)}."
        case explain.ProposedBefore(tally):
            return f"Before: {_proposed(tally, name)}."
        case explain.RoundEnded(past):
            wish = f": {past.reason}" if past.reason else ""
            decided, replanned = time_of_day(past.decision.stamp), time_of_day(past.replan.stamp)
            return (
                f"Decided at {decided}: {reason_text(past.decision.reason)}. At {replanned} the "
                f"goal's author set it aside and opened the vote again{wish}."
            )
        case explain.Proposed(tally, standing):
            return f"{_proposed(tally, name)}; {standing_text(standing)}."
        case explain.Rated(record, ballot, since):
            verdict = f"approves since {time_of_day(since)}" if since else "does not approve"
            critique = f": {ballot.critique}" if ballot.critique else ""
            return f"{name(record.author)} rates {ballot.score:.2f}, {verdict}{critique}"
        case explain.PeopleVoted(approve, reject):
            return f"people: {approve} for, {reject} against"
        case explain.BallotIgnored(record, ignored):
            return f"not counted, from {name(record.author)}: {reason_text(ignored)}"
        case explain.VoteEnded(decision):
            return f"Decided at {time_of_day(decision.stamp)}: {reason_text(decision.reason)}."
        case explain.Claimed(attempt, claim, holds):
            place = "held it" if holds else "came later and lost"
            who, when = name(claim.author), time_of_day(claim.stamp)
            return f"Attempt {attempt}: {who} claimed at {when} and {place}."
        case explain.AttemptOver(attempt, "sent back", because):
            return f"Attempt {attempt}: {reason_text(because)}."
        case explain.AttemptOver(attempt, how, because):
            return f"Attempt {attempt} {how}: {reason_text(because)}."
        case explain.Settled(result):
            return f"Settled at {time_of_day(result.stamp)} by {name(result.author)}."
        case explain.Written(result):
            return f"A version by {name(result.author)} at {time_of_day(result.stamp)}."
        case explain.Reviewed(record, review):
            return (
                f"{name(record.author)} finds it {review.verdict}, rated {review.score:.2f}"
                f"{_said(review.critique)}"
            )
        case explain.Unused(result):
            return f"A result by {name(result.author)} at {time_of_day(result.stamp)} was not used."
        case explain.Foreign(record):
            return (
                f"Foreign, does not count: a {record.body.kind} at "
                f"{time_of_day(record.stamp)} by {name(record.author)} (key "
                f"{short_key(record.author)}), who was not granted that role."
            )
    assert_never(event)


def _proposed(tally: Tally, name: Namer) -> str:
    lens = f" by {tally.body.lens}" if tally.body.lens else ""
    what = f"{len(tally.body.parts)} parts{lens}" if tally.body.parts else "do it as one task"
    return f"Proposed at {time_of_day(tally.record.stamp)} by {name(tally.record.author)}: {what}"


def _said(critique: str) -> str:
    return f": {critique}" if critique else ""


def _too_late(quorum: int) -> str:
    return f"no proposal reached the quorum of {quorum} in time"
