"""Why a split won or lost and why a plan stands as it does, in the language spoken now.

The fold tells its reasons in English; here they are told again from what it decided, with people's
and scorers' votes named apart. What has no text of ours is shown as the fold put it.
"""

from __future__ import annotations

from bot.rendering import plain
from bot.texts import Text, say
from swarm.core.plan import Node, Plan
from swarm.core.rounds import Round
from swarm.core.voting import Decision, Tally

REASON_SHOWN = 300
TITLES_SHOWN = 3
TITLE_SHOWN = 60

SILENT = "its holder went silent"
"""How the fold says that a lease ran out."""


def plan_reason(plan: Plan) -> str:
    """Return why a goal ended as it did, or what it waits for; rendered."""
    return node_reason(plan, plan.root)


def node_reason(plan: Plan, node: Node) -> str:
    """Return why a node ended as it did, or what it waits for; rendered."""
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
    reason = plan.reason_of(node)
    return say(Text.ENDED_SILENT) if reason == SILENT else plain(reason, REASON_SHOWN)


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
