"""Which executor does which task.

Executors that hold the same records compute the same assignment, without a message between them.
Tasks are dealt in turn, like cards, so that every executor owns about as many. A task that follows
from a result goes to the executor that wrote the result: it knows first. A free owner starts its
tasks at once. A free executor takes over tasks queued behind a busy one, from the end of its queue,
where the two collide last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from swarm.agents.base import shuffled
from swarm.core.clock import Stamp
from swarm.core.fold.claims import Attempt
from swarm.core.fold.node import Node
from swarm.core.fold.plan import Plan

Ready = tuple[Plan, Node, Attempt]
"""A task that can be claimed: its plan, its node, the open attempt."""


@dataclass(frozen=True, slots=True)
class Turn:
    """When an executor may claim a task.

    Attributes:
        task: the task.
        rank: how many executors come first: 0 for the one that the task is assigned to now.
        owned: whether this executor is the task's owner.
        behind: whether the task is queued behind others of its busy owner.
    """

    task: Ready
    rank: int
    owned: bool
    behind: bool


class Table:
    """The owner of each of a plan's tasks."""

    def __init__(self, plan: Plan, executors: Sequence[bytes]) -> None:
        """Deal the tasks.

        Args:
            plan: whose tasks to deal.
            executors: the authors that the plan relies on, at least one.
        """
        self._seats = shuffled(executors, plan.id)
        self._here = frozenset(executors)
        tasks = [(since, node.id) for node in plan.nodes() if (since := _task_since(node))]
        tasks.sort(key=lambda item: item[0])
        self._card = {node: number for number, (_, node) in enumerate(tasks)}

    def owner(self, node: Node, attempt: int) -> bytes:
        """Return the executor that gets a task if all executors are free."""
        if attempt == 1:
            heir = _heir(node)
            if heir in self._here:
                return heir
            card = self._card.get(node.id)
            if card is not None:
                return self._seats[card % len(self._seats)]
        return shuffled(self._seats, node.id, bytes([attempt]))[0]


def turns(
    me: bytes,
    tasks: Sequence[Ready],
    owners: Sequence[bytes],
    free: Collection[bytes],
    known: Collection[bytes],
) -> list[Turn]:
    """Return one executor's turn at each task, in the order in which it should look at them.

    Args:
        me: this executor, which is free.
        tasks: the tasks that can be claimed now, the most urgent first.
        owners: the owner of each task.
        free: executors that hold no task now.
        known: executors that the plans rely on; others come after them.
    """
    meant: dict[int, bytes] = {}
    queued: dict[bytes, int] = {}
    behind: list[int] = []
    left: list[int] = []
    for index, owner in enumerate(owners):
        if owner in free and owner not in queued:
            meant[index] = owner
        elif owner in queued:
            behind.append(index)
        else:
            left.append(index)
        queued[owner] = queued.get(owner, 0) + 1
    idle = [author for author in free if author not in meant.values()]
    over = behind[::-1] + left[::-1]
    if idle == [me]:
        # Another may have become free just now and see itself alone too: let their choices differ.
        over = _apart(me, tasks, behind) + _apart(me, tasks, left)
    for index in over:
        if not idle:
            break
        meant[index] = _order(tasks[index], idle, known)[0]
        idle.remove(meant[index])
    for index, owner in enumerate(owners):
        if owner in free:
            meant.setdefault(index, owner)  # Every free executor has a task of its own first.
    late = frozenset(behind)
    first = [index for index, owner in enumerate(owners) if owner == me]
    rest = [index for index in over if owners[index] != me]
    rest += [index for index in range(len(tasks)) if index not in {*first, *rest}]
    return [
        Turn(
            tasks[index],
            _rank(me, tasks[index], meant.get(index), free, known),
            owners[index] == me,
            index in late,
        )
        for index in (*first, *rest)
    ]


def _apart(me: bytes, tasks: Sequence[Ready], indexes: Sequence[int]) -> list[int]:
    return sorted(indexes, key=lambda i: hashlib.sha256(me + tasks[i][1].id).digest())


def _order(task: Ready, authors: Collection[bytes], known: Collection[bytes]) -> list[bytes]:
    """Rank executors for one task: those that failed at it come last, unknown ones before those."""
    _, node, attempt = task
    failed = held_before(node)
    order = shuffled(sorted(authors), node.id, bytes([attempt.number]))
    order.sort(key=lambda author: (author in failed, author not in known))
    return order


def _rank(
    me: bytes, task: Ready, meant: bytes | None, free: Collection[bytes], known: Collection[bytes]
) -> int:
    if meant == me:
        return 0
    rivals = free if me not in known else [a for a in free if a in known]
    others = [author for author in rivals if author != meant]
    rank = _order(task, others, known).index(me)
    return rank if meant is None else rank + 1


def held_before(node: Node) -> set[bytes]:
    """Return the authors that held an ended attempt at a task, or wrote a version of it."""
    authors = {version.result.author for version in node.outcome.versions}
    return authors | {
        attempt.holder.author
        for attempt in node.outcome.attempts
        if attempt.ended and attempt.holder is not None
    }


def _task_since(node: Node) -> Stamp | None:
    """Return since when a node has been a task; None if it is not one, or not yet."""
    if not node.is_task:
        return None
    return node.opened if node.decision is None else node.decision.stamp


def _heir(node: Node) -> bytes | None:
    """Return the author whose result made a node ready, if the node comes first of those."""
    waits = node.children or node.earlier
    last = max((w for w in waits if w.settled), key=lambda w: w.settled or Stamp(0), default=None)
    if last is None or last.result is None or last.settled != node.ready:
        return None
    if not node.children and node.parent is not None:
        # If a result makes several nodes ready, its author can do only one of them.
        for sibling in node.parent.children:
            if last.index in sibling.part.after and sibling.ready == last.settled:
                if sibling is not node:
                    return None
                break
    return last.result.author
