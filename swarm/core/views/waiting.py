"""Why a node waits: not only for what, but who is missing for it.

The fold knows that a task waits for an executor. Who is present is no part of a plan, because every
peer hears others at another time; so this is for those who look at a plan, and no record depends on
it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from swarm.core.fold import reasons as why_so
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import can_work
from swarm.core.roles import Worker


class Heard(Protocol):
    """What is known of a peer that was heard lately."""

    @property
    def author(self) -> str:
        """Its key, in hex digits."""

    @property
    def role(self) -> str:
        """Its role."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def trouble(self) -> str:
        """Why it cannot work; empty if it can."""

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What it can do beyond what every peer of its role can."""

    @property
    def foreign(self) -> bool:
        """Whether the swarm's owner did not grant it its role."""


def waits_because(plan: Plan, node: Node, heard: Sequence[Heard]) -> str:
    """Return who is missing for what a node waits for, in English; empty: nobody is.

    Args:
        plan: The node's plan.
        node: One of its nodes, or its root.
        heard: The peers that were heard lately.
    """
    match plan.reason_of(node):
        case why_so.WaitsForProposals():
            return _absent("decomposer", heard)
        case why_so.WaitsForQuorum(quorum):
            return _absent("scorer", heard) or _too_few(quorum, heard)
        case why_so.WaitsForReview(quorum):
            return _absent("scorer", heard) or _too_few(quorum, heard)
        case why_so.WaitsForExecutor() | why_so.WaitsForRevision():
            needed = {*plan.policy.capabilities, node.part.capability} - {""}
            return _absent("executor", heard, needed)
        case why_so.InProgress() | why_so.BeingAssembled() | why_so.BeingRevised():
            return _held_up(node, heard)
    return ""


def _held_up(node: Node, heard: Sequence[Heard]) -> str:
    """Return why whoever holds a task does not go on with it; empty if nothing is known."""
    holder = node.outcome.holder
    if holder is None:
        return ""
    peer = next((peer for peer in heard if peer.author == holder.author.hex()), None)
    if peer is None:
        return "its executor is not here; another one takes over when its lease ends"
    return "" if can_work(peer.trouble) else f"{peer.name} cannot work: {peer.trouble}"


def _absent(role: Worker, heard: Sequence[Heard], needed: Collection[str] = ()) -> str:
    """Return why no peer of a role can work now; empty if one can."""
    here = [peer for peer in heard if peer.role == role and not peer.foreign]
    if not here:
        return f"no {role} is here"
    able = [peer for peer in here if can_work(peer.trouble)]
    if not able:
        first = min(here, key=lambda peer: peer.name)
        more = f" (and {len(here) - 1} more)" if len(here) > 1 else ""
        return f"{first.name}{more} cannot work: {first.trouble}"
    if needed and not any(set(needed) <= set(peer.capabilities) for peer in able):
        return f"no {role} here offers {', '.join(sorted(needed))}"
    return ""


def _too_few(quorum: int, heard: Sequence[Heard]) -> str:
    """Return that fewer scorers are here than have to agree; empty if there are enough."""
    able = [peer for peer in heard if peer.role == "scorer" and can_work(peer.trouble)]
    count = sum(not peer.foreign for peer in able)
    if count >= quorum:
        return ""
    return f"only {count} of the {quorum} scorers needed {'is' if count == 1 else 'are'} here"
