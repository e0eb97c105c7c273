"""What changed between two views of a plan, as human-readable lines: the live display of a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from swarm.cli.views.tree import ENDED, SIGNS, Namer, proposal_line, proposal_marks, short
from swarm.console.text import one_line
from swarm.core.views.plan_view import BallotView, NodeView, PlanView, ProposalView


def changes(old: PlanView | None, new: PlanView, *, name: Namer = short) -> list[str]:
    """Return the changes in a plan, one line each, in the order of the tree.

    Args:
        old: the view that was shown before; None: none was.
        new: the plan now.
        name: returns the name of an author.
    """
    lines: list[str] = []
    if old is None:
        asker = one_line(name(new.author), 40)
        lines.append(f"goal {new.goal[:8]} by {asker}: {one_line(new.text, 200)}")
        if new.state in ENDED:
            # It ended before this observer came; `swarm why` tells its history.
            return [*lines, _end(new)]
    before = {node.id: node for node in _walk(old.tree)} if old is not None else {}
    for node in _walk(new.tree):
        lines += _node(before.get(node.id), node, name, root=node.depth == 0)
    known = {(n.author, n.stamp, n.code) for n in old.notices} if old is not None else set()
    lines += [
        f"notice from {one_line(name(n.author), 40)}: {one_line(n.text, 300)}"
        for n in new.notices
        if (n.author, n.stamp, n.code) not in known
    ]
    if new.state in ENDED and (old is None or old.state != new.state):
        lines.append(_end(new))
    return lines


def _end(view: PlanView) -> str:
    reason = f": {one_line(view.reason, 300)}" if view.reason not in ("", view.state) else ""
    return f"{SIGNS[view.state][0]} the plan is {view.state}{reason}"


def _walk(node: NodeView) -> Iterator[NodeView]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _node(old: NodeView | None, new: NodeView, name: Namer, *, root: bool) -> list[str]:
    title = "the goal" if root else f"“{one_line(new.title, 100)}”"
    lines = _votes(old, new, name)
    if new.children and not (old and old.children):
        lines.append(f"{title} is split into {len(new.children)} parts")
    claim, was = new.claim, old.claim if old else None
    if claim is not None and claim.active and (was is None or was.id != claim.id):
        again = f" (attempt {claim.attempt})" if claim.attempt > 1 else ""
        doing = "puts together" if new.children else "works on"
        who = one_line(name(claim.holder), 40)
        lines.append(f"{SIGNS['executing'][0]} {who} {doing} {title}{again}")
    if not root and new.state != (old.state if old else "open"):
        state = f"{SIGNS[new.state][0]} {title} is {new.state}"
        if new.state in ("done", "partial") and new.result is not None:
            lines.append(f"{state}, by {one_line(name(new.result.author), 40)}")
        elif new.state in ENDED:
            lines.append(f"{state}: {one_line(new.reason, 300)}")
    return lines


def _votes(old: NodeView | None, new: NodeView, name: Namer) -> list[str]:
    before = {proposal.id: proposal for proposal in old.proposals} if old else {}
    lines = []
    for proposal in new.proposals:
        was = before.get(proposal.id)
        if was is None:
            lines.append(f"proposal: {proposal_line(proposal, name)}")
            lines += [
                f"  {number}. {one_line(part.title, 100)}"
                for number, part in enumerate(proposal.subgoals, 1)
            ]
        lines += _ballots(was, proposal, name)
        if proposal.accepted and not (was and was.accepted):
            lines.append(
                f"accepted: {proposal_line(proposal, name)}, {proposal_marks(proposal)}; "
                f"{one_line(proposal.why, 200)}"
            )
    return lines


def _ballots(old: ProposalView | None, new: ProposalView, name: Namer) -> list[str]:
    before = {ballot.voter: ballot for ballot in old.ballots} if old else {}
    lines = []
    for ballot in new.ballots:
        was = before.get(ballot.voter)
        approves = "approves" if ballot.approves and not (was and was.approves) else ""
        rates = ""
        if was is None or _ratings(was) != _ratings(ballot):
            rates = f"rates {sum(_ratings(ballot)) / 3:.2f}"
        does = " and ".join(filter(None, (rates, approves)))
        if not does:
            continue
        critique = f": {one_line(ballot.critique, 160)}" if ballot.critique and rates else ""
        who = one_line(name(ballot.voter), 40)
        lines.append(f"  {who} {does} {_label(new, name)}{critique}")
    return lines


def _ratings(ballot: BallotView) -> tuple[float, float, float]:
    return ballot.concrete, ballot.distinct, ballot.complete


def _label(proposal: ProposalView, name: Namer) -> str:
    what = f"the split by {one_line(proposal.lens)}" if proposal.lens else "the proposal"
    return f"{what} of {one_line(name(proposal.author), 40)}"
