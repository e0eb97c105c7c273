"""Who is missing for what a plan waits for, as data.

The fold knows that a task waits for an executor. Who is present is no part of a plan, because every
peer hears others at another time; so this is for those who look at a plan, and no record depends on
it. Each lack is a small record; `swarm.core.views.english` and the bot's views give it words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from swarm.core.fold import reasons as why_so
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan
from swarm.core.records import can_work
from swarm.core.roles import WORKERS, Worker

T = TypeVar("T")

WRONG_CLOCK = "its clock is wrong"
"""The trouble of a peer that is heard and does not count, because clocks differ too much."""


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


@dataclass(frozen=True, slots=True)
class NoneHere:
    """No peer of a role is here."""

    role: Worker


@dataclass(frozen=True, slots=True)
class NoneAble:
    """Peers of a role are here, and none can work."""

    role: Worker
    name: str
    """Of the first of them by name."""
    trouble: str
    """Its trouble, as it words it."""
    more: int = 0
    """How many others there are."""


@dataclass(frozen=True, slots=True)
class NotOffered:
    """No executor that can work offers everything that is needed."""

    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TooFewScorers:
    """Fewer scorers can vote than have to agree."""

    able: int
    quorum: int


@dataclass(frozen=True, slots=True)
class HolderGone:
    """The executor that holds a task is not here; its lease will end."""


@dataclass(frozen=True, slots=True)
class HolderUnable:
    """The executor that holds a task cannot go on with it."""

    name: str
    trouble: str
    """As it words it."""


Lack = NoneHere | NoneAble | NotOffered | TooFewScorers | HolderGone | HolderUnable
"""What is missing."""


def lack_of(plan: Plan, node: Node, heard: Sequence[Heard]) -> Lack | None:
    """Return who is missing for what a node waits for now; None: nobody is.

    Args:
        plan: The node's plan.
        node: One of its nodes, or its root.
        heard: The peers that were heard lately.
    """
    match plan.reason_of(node):
        case why_so.WaitsForProposals():
            return _absent("decomposer", heard)
        case why_so.WaitsForQuorum(quorum) | why_so.WaitsForReview(quorum):
            return _no_quorum(quorum, heard)
        case why_so.WaitsForExecutor() | why_so.WaitsForRevision():
            return _absent("executor", heard, _needed(plan, node))
        case why_so.InProgress() | why_so.BeingAssembled() | why_so.BeingRevised():
            return _held_up(node, heard)
    return None


def lacks(plan: Plan, heard: Sequence[Heard]) -> list[Lack]:
    """Return who is missing for what a plan waits for now or will wait for, each once.

    Empty for a plan that has ended. The order is that in which a plan needs the roles.

    Args:
        plan: Any plan.
        heard: The peers that were heard lately.
    """
    if plan.final:
        return []
    found = dict.fromkeys(_lacks(plan, heard))
    return sorted(found, key=lambda lack: WORKERS.index(role_of(lack)))


def role_of(lack: Lack) -> Worker:
    """Return the role that is missing."""
    match lack:
        case NoneHere(role) | NoneAble(role):
            return role
        case TooFewScorers():
            return "scorer"
        case NotOffered() | HolderGone() | HolderUnable():
            return "executor"


def kind_of(lack: Lack) -> Hashable:
    """Return what stays equal while a lack lasts, whoever it names and however many it counts."""
    return lack if isinstance(lack, NotOffered) else (type(lack), role_of(lack))


def _lacks(plan: Plan, heard: Sequence[Heard]) -> Iterator[Lack]:
    open_nodes = [node for node in plan.nodes() if node.settled is None]
    votes = [node for node in open_nodes if node.vote is not None and node.decision is None]
    if any(not node.vote.valid() for node in votes if node.vote is not None):
        yield from _one(_absent("decomposer", heard))
    reasons = [plan.reason_of(node) for node in open_nodes]
    quorums = [reason.quorum for reason in reasons if isinstance(reason, why_so.WaitsForReview)]
    if votes:
        quorums.append(plan.policy.quorum)
    if quorums:
        yield from _one(_no_quorum(max(quorums), heard))
    for node in open_nodes:
        if node is plan.root or (node.is_task and node.outcome.holder is None):
            yield from _one(_absent("executor", heard, _needed(plan, node)))


def _one(lack: Lack | None) -> Iterator[Lack]:
    if lack is not None:
        yield lack


def _needed(plan: Plan, node: Node) -> set[str]:
    """Return the capabilities that an executor of a node must offer."""
    return {*plan.policy.capabilities, node.part.capability} - {""}


def _held_up(node: Node, heard: Sequence[Heard]) -> Lack | None:
    """Return why whoever holds a task does not go on with it; None if nothing is known."""
    holder = node.outcome.holder
    if holder is None:
        return None
    peer = next((peer for peer in heard if peer.author == holder.author.hex()), None)
    if peer is None:
        return HolderGone()
    return None if can_work(peer.trouble) else HolderUnable(peer.name, peer.trouble)


def _absent(role: Worker, heard: Sequence[Heard], needed: Collection[str] = ()) -> Lack | None:
    """Return why no peer of a role can work now; None if one can."""
    here = [peer for peer in heard if peer.role == role and not peer.foreign]
    if not here:
        return NoneHere(role)
    able = [peer for peer in here if can_work(peer.trouble)]
    if not able:
        first = min(here, key=lambda peer: peer.name)
        return NoneAble(role, first.name, first.trouble, len(here) - 1)
    if needed and not any(set(needed) <= set(peer.capabilities) for peer in able):
        return NotOffered(tuple(sorted(needed)))
    return None


def _no_quorum(quorum: int, heard: Sequence[Heard]) -> Lack | None:
    """Return why there are not enough scorers to agree; None if there are."""
    if (lack := _absent("scorer", heard)) is not None:
        return lack
    able = [peer for peer in heard if peer.role == "scorer" and can_work(peer.trouble)]
    count = sum(not peer.foreign for peer in able)
    return TooFewScorers(count, quorum) if count < quorum else None


class Lasting(Generic[T]):
    """Tells what has been wrong for a while: peers come and go within a moment.

    Args:
        kind: returns what stays equal while the same thing is wrong.
        grace_ms: how long something has to last, in ms.
    """

    def __init__(self, kind: Callable[[T], Hashable], grace_ms: int) -> None:
        self._kind = kind
        self._grace_ms = grace_ms
        self._since: dict[Hashable, int] = {}

    def of(self, wrong: Iterable[T], now_ms: int) -> list[T]:
        """Return what of this has lasted, in order.

        Args:
            wrong: what is wrong now.
            now_ms: the time, in ms.
        """
        current = list(wrong)
        self._since = {kind: self._since.get(kind, now_ms) for kind in map(self._kind, current)}
        return [one for one in current if now_ms - self._since[self._kind(one)] >= self._grace_ms]
