"""Who does which task: the same answer at every executor that has heard the same, without a word.

Tasks are dealt like cards around a table, so that everybody has about as many and nobody waits for
a busy owner while others sit idle. What follows from a result goes to whoever wrote that: it
knows first. An owner that is free takes its tasks at once; those of a busy one are taken over by
whoever is free, from the end of its queue, where the two meet last.
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
        task: the one.
        rank: how many come before it: 0 is whoever the task is meant for now.
        owned: whether it would have the task were everybody free.
        behind: whether its busy owner has others to do first.
    """

    task: Ready
    rank: int
    owned: bool
    behind: bool


class Table:
    """How one plan's tasks are dealt to its executors."""

    def __init__(self, plan: Plan, executors: Sequence[bytes]) -> None:
        """Deal.

        Args:
            plan: whose tasks.
            executors: who is counted on, at least one.
        """
        self._seats = shuffled(executors, plan.id)
        self._here = frozenset(executors)
        tasks = [(since, node.id) for node in plan.nodes() if (since := _task_since(node))]
        tasks.sort(key=lambda item: item[0])
        self._card = {node: number for number, (_, node) in enumerate(tasks)}

    def owner(self, node: Node, attempt: int) -> bytes:
        """Return whose a task would be if all were free."""
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
        me: the executor, which is free.
        tasks: all that can be claimed now, the most urgent first.
        owners: of each task.
        free: executors that are at nothing now.
        known: executors that are counted on; others come after them.
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
        # Another may have become free this moment, and see it so too: let them choose apart.
        over = _apart(me, tasks, behind) + _apart(me, tasks, left)
    for index in over:
        if not idle:
            break
        meant[index] = _order(tasks[index], idle, known)[0]
        idle.remove(meant[index])
    for index, owner in enumerate(owners):
        if owner in free:
            meant.setdefault(index, owner)  # Everybody has something to do first.
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
    """Rank executors for one task: those that failed at it come last, unknown ones before them."""
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
    """Return who held an attempt at a task that ended."""
    return {
        attempt.holder.author
        for attempt in node.outcome.attempts
        if attempt.ended and attempt.holder is not None
    }


def _task_since(node: Node) -> Stamp | None:
    """Return since when a node is a task; None if it is none, or not yet."""
    if not node.is_task:
        return None
    return node.opened if node.decision is None else node.decision.stamp


def _heir(node: Node) -> bytes | None:
    """Return who wrote the result that made a node ready, if this is what follows from it first."""
    waits = node.children or node.earlier
    last = max((w for w in waits if w.settled), key=lambda w: w.settled or Stamp(0), default=None)
    if last is None or last.result is None or last.settled != node.ready:
        return None
    if not node.children and node.parent is not None:
        # Of several that it makes ready its author can do one.
        for sibling in node.parent.children:
            if last.index in sibling.part.after and sibling.ready == last.settled:
                if sibling is not node:
                    return None
                break
    return last.result.author
