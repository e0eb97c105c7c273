"""What happened between two looks at a plan, in lines for people: the live tree of a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from swarm.cli.text import one_line
from swarm.cli.tree import ENDED, SIGNS, Namer, proposal_line, proposal_marks, short
from swarm.core.view import NodeView, PlanView, ProposalView


def changes(old: PlanView | None, new: PlanView, *, name: Namer = short) -> list[str]:
    """Return what is new in a plan, one line each, in the order of the tree.

    Args:
        old: the plan as it was told before; None: nothing was.
        new: the plan now.
        name: gives authors their names.
    """
    lines: list[str] = []
    if old is None:
        asker = one_line(name(new.author), 40)
        lines.append(f"goal {new.goal[:8]} by {asker}: {one_line(new.text, 200)}")
    before = {node.id: node for node in _walk(old.tree)} if old is not None else {}
    for node in _walk(new.tree):
        lines += _node(before.get(node.id), node, name, root=node.depth == 0)
    known = {(n.author, n.stamp, n.code) for n in old.notices} if old is not None else set()
    lines += [
        f"notice from {one_line(name(n.author), 40)}: {one_line(n.text, 300)}"
        for n in new.notices
        if (n.author, n.stamp, n.code) not in known
    ]
    if new.state != (old.state if old else "open") and new.state in ENDED:
        reason = f": {one_line(new.reason, 300)}" if new.reason not in ("", new.state) else ""
        lines.append(f"{SIGNS[new.state][0]} the plan is {new.state}{reason}")
    return lines


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
        if before.get(ballot.voter) == ballot:
            continue
        mean = (ballot.concrete + ballot.distinct + ballot.complete) / 3
        says = "approves" if ballot.approves else "does not approve"
        critique = f": {one_line(ballot.critique, 160)}" if ballot.critique else ""
        lines.append(
            f"  {one_line(name(ballot.voter), 40)} rates {proposal_line(new, name)} "
            f"{mean:.2f} and {says}{critique}"
        )
    return lines
