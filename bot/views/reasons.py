"""Why a split won or lost and why a plan stands as it does, in the language spoken now.

The fold tells its reasons in English; here they are told again from what it decided, with people's
and scorers' votes named apart. What has no text of ours is shown as the fold put it.
"""

from __future__ import annotations

import re

from bot.rendering import plain
from bot.texts import Text, say
from swarm.core.fold.plan import Node, Plan
from swarm.core.fold.replans import Round
from swarm.core.fold.voting import Decision, Tally

REASON_SHOWN = 300
TITLES_SHOWN = 3
TITLE_SHOWN = 60

NOT_ASSEMBLED = "putting the parts together failed: "
"""How the fold begins the reason of a node whose parts could not be put together."""

_FOLD = {
    re.compile(pattern): text
    for pattern, text in (
        (r"its holder went silent", Text.ENDED_SILENT),
        (r"no reason given", Text.NO_REASON),
        (r"all its parts failed", Text.ENDED_ALL_FAILED),
        (r"the deadline passed", Text.ENDED_DEADLINE),
        (r"no proposal reached the quorum of (?P<quorum>\d+) in time", Text.WON_FAILED),
        (r"cancelled by whoever asked", Text.CANCEL_REASON),
        (r"its parts are being put together", Text.BEING_ASSEMBLED),
        (r"in the works", Text.BEING_DONE),
        (r"stamped before its node existed", Text.INVALID_EARLY),
        (r"(?P<count>\d+) parts; the policy leaves room for (?P<most>\d+)", Text.INVALID_PARTS),
        (r"its author's (?P<count>\d+) proposals are used up", Text.INVALID_USED_UP),
        (r"refines no proposal that counts here", Text.INVALID_REFINES),
        (r"refined (?P<count>\d+) times already", Text.INVALID_REFINED),
        (r"its proposal does not count", Text.IGNORED_PROPOSAL),
        (r"only the goal's author may attest people's votes", Text.IGNORED_ATTEST),
        (r"people do not vote on this goal", Text.IGNORED_OFF),
        (r"not in the electorate", Text.IGNORED_ELECTORATE),
        (r"nobody rates their own proposal", Text.IGNORED_OWN),
        (r"its author's approval may not move yet", Text.IGNORED_EARLY),
    )
}
"""The fold's own reasons (`swarm.core`), which are English, and what we say for them."""


def plan_reason(plan: Plan) -> str:
    """Return why a goal ended as it did, or what it waits for; rendered."""
    return node_reason(plan, plan.root)


def node_reason(plan: Plan, node: Node, most: int = REASON_SHOWN) -> str:
    """Return why a node ended as it did, or what it waits for; rendered.

    Args:
        plan: the goal's.
        node: one of its nodes.
        most: UTF-16 units of a reason that an agent or a person gave.
    """
    state = plan.state_of(node)
    if not plan.final and node.settled is None:
        if state == "voting":
            return say(Text.WAITS_QUORUM, quorum=plan.policy.quorum)
        if state == "open" and node.vote is not None and node.decision is None:
            return say(Text.WAITS_PROPOSALS)
        if state == "open":
            return say(Text.WAITS_PARTS if node.ready is None else Text.WAITS_EXECUTOR)
    if node.settled is None and plan.cancel is None and plan.over:
        return say(Text.ENDED_DEADLINE)
    if state == "failed" and node.children:
        return say(Text.ENDED_ALL_FAILED)
    if state == "failed" and node.decision is not None and node.decision.how == "failed":
        return say(Text.WON_FAILED, quorum=plan.policy.quorum)
    if state == "partial" and node.settled is not None and not node.outcome.failed:
        short = [child.title for child in node.children if child.settled_as != "done"]
        names = ", ".join(f"“{plain(title, TITLE_SHOWN)}”" for title in short[:TITLES_SHOWN])
        return say(Text.ENDED_WITHOUT, parts=names + (" …" if len(short) > TITLES_SHOWN else ""))
    return fold_reason(plan.reason_of(node), most)


def fold_reason(reason: str, most: int = REASON_SHOWN) -> str:
    """Return a reason of the fold in the language spoken now; rendered.

    Args:
        reason: the fold's own, or what an agent or a person gave: that is shown as it is.
        most: UTF-16 units of what has no text of ours.
    """
    if reason.startswith(NOT_ASSEMBLED):
        inner = fold_reason(reason.removeprefix(NOT_ASSEMBLED), most)
        return say(Text.NOT_ASSEMBLED, reason=inner)
    for pattern, text in _FOLD.items():
        if found := pattern.fullmatch(reason):
            return say(text, **found.groupdict())
    return plain(reason, most)


def won(plan: Plan, decision: Decision, tally: Tally | None) -> str:
    """Return how a vote was won; rendered.

    Args:
        plan: the goal's.
        decision: the vote's.
        tally: of the split that won; None: none did.
    """
    quorum = plan.policy.quorum
    match decision.how:
        case "quorum" if tally is not None:
            return say(Text.WON_QUORUM, quorum=quorum, votes=votes(tally))
        case "window" if tally is not None:
            return say(Text.WON_WINDOW, votes=votes(tally))
        case "best" if tally is not None:
            return say(Text.WON_BEST, quorum=quorum, score=f"{tally.score:.2f}")
        case "task":
            return say(Text.WON_TASK, quorum=quorum)
        case "failed":
            return say(Text.WON_FAILED, quorum=quorum)
    return plain(decision.reason, REASON_SHOWN)


def lost(plan: Plan, decision: Decision, tally: Tally) -> str:
    """Return why a split was not chosen; rendered."""
    if decision.proposal is None:
        return won(plan, decision, None)
    if tally.ballots and tally.score < plan.policy.min_score:
        least = f"{plan.policy.min_score:.2f}"
        return say(Text.LOST_LOW, score=f"{tally.score:.2f}", least=least)
    return say(Text.LOST_OTHER, votes=votes(tally))


def aside(past: Round) -> str:
    """Return why an accepted split was set aside; rendered."""
    if not past.reason:
        return say(Text.ASIDE)
    return say(Text.ASIDE_REASON, reason=plain(past.reason, REASON_SHOWN))


def votes(tally: Tally) -> str:
    """Return a split's approvals, scorers' and people's named apart."""
    return say(Text.VOTES, scorers=len(tally.approvals), people=tally.people_for)
