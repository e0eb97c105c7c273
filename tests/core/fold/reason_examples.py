"""One example of every reason that the fold gives, with its English."""

from __future__ import annotations

from swarm.core.fold import reasons
from swarm.core.fold.reasons import Reason

EXAMPLES: dict[Reason, str] = {
    reasons.WaitsForProposals(): "waits for proposals",
    reasons.WaitsForQuorum(2): "waits for a quorum of 2",
    reasons.WaitsForParts(): "waits for the parts it comes after",
    reasons.WaitsForExecutor(): "waits for an executor",
    reasons.InProgress(): "in progress",
    reasons.WaitsForReview(2): "its result waits for a quorum of 2 reviews",
    reasons.WaitsForRevision(""): "sent back; waits for an executor",
    reasons.BeingRevised(""): "being revised",
    reasons.BeingAssembled(): "its parts are being put together",
    reasons.Done(): "done",
    reasons.BestVersion(2, 0.5): ("the best of the versions written (2); reviewers rate it 0.50"),
    reasons.DeadlinePassed(): "the deadline passed",
    reasons.Cancelled(""): "cancelled by its author",
    reasons.AllPartsFailed(): "all its parts failed",
    reasons.PartsMissing(("7", "8")): "without what is missing from “7”, “8”",
    reasons.NotAssembled(reasons.HolderSilent()): (
        "putting the parts together failed: its holder went silent"
    ),
    reasons.HolderSilent(): "its holder went silent",
    reasons.Reported(""): "no reason given",
    reasons.SentBack(""): "sent back by its reviewers",
    reasons.NotRevised(): "nobody revised it in time",
    reasons.FirstToQuorum(2): "first to reach the quorum of 2",
    reasons.MostApprovals(3, 2): "most approvals (3 of 2 needed) when the vote window closed",
    reasons.BestRated(2, 0.755): (
        "no proposal reached the quorum of 2 in time; best rated (0.76) instead"
    ),
    reasons.DoneAsTask(2): "no proposal reached the quorum of 2 in time; done as one task instead",
    reasons.NoQuorum(2): "no proposal reached the quorum of 2 in time",
    reasons.ProposedTooEarly(): "stamped before its node existed",
    reasons.TooManyParts(9, 5): "9 parts; the policy leaves room for 5",
    reasons.ProposalsUsedUp(3): "its author's 3 proposals are used up",
    reasons.RefinesNothing(): "refines no proposal that counts here",
    reasons.RefinedTooOften(1): "refined 1 times already",
    reasons.ProposalInvalid(): "its proposal does not count",
    reasons.NotTheAttester(): "only the goal's author may attest people's votes",
    reasons.PeopleDoNotVote(): "people do not vote on this goal",
    reasons.NotInElectorate(): "not in the electorate",
    reasons.OwnProposal(): "nobody rates their own proposal",
    reasons.MovedTooSoon(): "its author's approval may not move yet",
}
"""Titles are digits, so that any letters in a text come from the text itself."""
