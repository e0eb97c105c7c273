"""`why(node)`: the story of a node, told from the records alone."""

from __future__ import annotations

from datetime import UTC, datetime

from swarm.core.clock import Stamp
from swarm.core.fold.plan import Node, Plan
from swarm.core.fold.voting import Tally
from swarm.core.records import Claim, Namer, Result, short_key
from swarm.core.views.plan_view import why_proposal


def when(stamp: Stamp) -> str:
    """Return a stamp's time of day in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(stamp.ms / 1000, UTC)
    return f"{moment:%H:%M:%S}.{stamp.ms % 1000:03d}"


def why(plan: Plan, node: Node, name: Namer = short_key) -> list[str]:
    """Return, line by line, who proposed what, who voted how, what won, who did the work.

    Lines that belong to the one above are indented by two spaces. Plain text, nothing escaped.

    Args:
        plan: the goal's.
        node: one of its nodes.
        name: gives author keys their names.
    """
    lines = [f"{node.title}: {plan.state_of(node)} ({plan.reason_of(node)})"]
    if node.parent is None:
        lines.append(f"Asked at {when(plan.goal.stamp)} by {name(plan.goal.author)}.")
    else:
        lines.append(f"Part {node.index + 1} of “{node.parent.title}”, opened {when(node.opened)}.")
    for past in node.rounds:
        for tally in past.vote.valid():
            lines.append(f"Before: {_proposal_line(tally, name)}.")
        wish = f": {past.reason}" if past.reason else ""
        lines.append(
            f"Decided at {when(past.decision.stamp)}: {past.decision.reason}. At "
            f"{when(past.replan.stamp)} whoever asked had it set aside and voted anew{wish}."
        )
    if node.vote is not None:
        for tally in node.vote.tallies.values():
            lines.extend(_proposal_lines(plan, node, tally, name))
        if node.decision is not None:
            lines.append(f"Decided at {when(node.decision.stamp)}: {node.decision.reason}.")
    lines.extend(_work_lines(node, name))
    lines.extend(
        f"Foreign, counts for nothing: a {record.body.kind} at {when(record.stamp)} by "
        f"{name(record.author)} (key {short_key(record.author)}), who was not granted that role."
        for record in plan.foreign
        if getattr(record.body, "node", None) == node.id
    )
    return lines


def _proposal_lines(plan: Plan, node: Node, tally: Tally, name: Namer) -> list[str]:
    lines = [f"{_proposal_line(tally, name)}; {why_proposal(plan, node, tally)}."]
    for voter, record in sorted(tally.ballots.items()):
        since = tally.approvals.get(voter)
        verdict = f"approves since {when(since)}" if since else "does not approve"
        critique = getattr(record.body, "critique", "")
        said = f": {critique}" if critique else ""
        score = getattr(record.body, "score", 0.0)
        lines.append(f"  {name(voter)} rates {score:.2f}, {verdict}{said}")
    if tally.people:
        lines.append(f"  people: {tally.people_for} for, {tally.people_against} against")
    lines.extend(
        f"  not counted, from {name(record.author)}: {reason}" for record, reason in tally.ignored
    )
    return lines


def _proposal_line(tally: Tally, name: Namer) -> str:
    lens = f" by {tally.body.lens}" if tally.body.lens else ""
    what = f"{len(tally.body.parts)} parts{lens}" if tally.body.parts else "do it as one task"
    return f"Proposed at {when(tally.record.stamp)} by {name(tally.record.author)}: {what}"


def _work_lines(node: Node, name: Namer) -> list[str]:
    lines = []
    for attempt in node.outcome.attempts:
        for rank, claim in enumerate(attempt.claims):
            assert isinstance(claim.body, Claim)
            place = "held it" if rank == 0 else "came later and lost"
            lines.append(
                f"Attempt {attempt.number}: {name(claim.author)} claimed at "
                f"{when(claim.stamp)} and {place}."
            )
        if attempt.ended:
            lines.append(f"  Attempt {attempt.number} {attempt.ended}: {attempt.reason}.")
    for record in node.work.results:
        assert isinstance(record.body, Result)
        if record is node.result:
            lines.append(f"Settled at {when(record.stamp)} by {name(record.author)}.")
        elif record.body.outcome == "done":
            lines.append(
                f"  A result by {name(record.author)} at {when(record.stamp)} was not used."
            )
    return lines
