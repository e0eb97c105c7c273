"""The review of the whole plan, when all parts are there: what fails, and which part is to mend.

Each part was checked by itself. Only together do parts contradict one another, cost too much, or
leave a demand to each other. What the checks of the whole find becomes the critique of a part that
is still under review, so that it is sent back like any other. Every scorer derives this from the
same texts. Pure functions of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from swarm.brief.checks import Check, check_plan
from swarm.brief.demands import check_demand
from swarm.core.brief import Brief, Cost
from swarm.core.fold.node import Node, text_of
from swarm.core.fold.plan import Plan
from swarm.core.records import Record, Result

MOST_FAULTS = 6
"""Faults of a whole plan that are sent back at once: each may cost a revision."""

EDGES = {"start_place": 0, "end_place": -1}
"""Demands that concern the first or the last part, whichever part keeps them."""


def awaited(plan: Plan) -> frozenset[bytes]:
    """Return the ids of the tasks that others come after: their results are needed at once."""
    return frozenset(
        task.id for node in plan.nodes() for other in node.earlier for task in other.walk()
    )


def is_there(plan: Plan, rejected: Callable[[bytes], bool]) -> bool:
    """Return whether all tasks of a plan have a text or failed, so that it can be checked whole.

    Args:
        plan: The plan.
        rejected: Tells whether a result goes back for a fault of its own, so that another text is
            about to come.
    """
    if not plan.root.children:
        return False
    for task in _tasks(plan):
        version = task.outcome.reviewed
        if task.settled is None and (version is None or rejected(version.result.id)):
            return False
    return True


def faults(plan: Plan, brief: Brief) -> Mapping[bytes, Sequence[Check]]:
    """Return what is wrong with a whole plan, by the id of the task that has to mend it.

    A fault that no task under review could mend is in nobody's list; the report names it.
    """
    tasks = list(_tasks(plan))
    open_to = [task for task in tasks if task.outcome.reviewed is not None]
    costs = [cost for task in tasks for cost in _costs(task)]
    text = text_of(plan.root, lambda failed: "")
    found = [check for check in check_plan(brief, text, costs) if check.standing == "not met"]
    mends: dict[bytes, list[Check]] = {}
    for check in found[:MOST_FAULTS]:
        for task in _concerned(brief, check, tasks, open_to):
            mends.setdefault(task.id, []).append(check)
    return mends


def _concerned(
    brief: Brief, check: Check, tasks: Sequence[Node], open_to: Sequence[Node]
) -> Sequence[Node]:
    """Return the tasks that have to mend a fault of the whole."""
    kind = None if check.demand is None else brief.demands[check.demand].kind
    if check.demand is not None and kind == "must_not":
        # Whoever does it, whether it was told or not.
        standing = (
            (task, check_demand(brief, check.demand, _text(task), whole=False)) for task in open_to
        )
        return [task for task, part in standing if part.standing == "not met"]
    if kind == "budget":
        return _dearest(open_to)
    if kind in EDGES:
        edge = tasks[EDGES[kind]]
        return [task for task in open_to if task is edge]
    if check.steps:
        return [task for task in open_to if _has_any(task, check.steps)][:1]
    if check.demand is not None:
        # One is enough: what nobody has kept has to be kept once.
        return [task for task in open_to if check.demand in (task.part.keeps or ())][:1]
    return _first_with(brief, check, tasks, open_to)


def _dearest(open_to: Sequence[Node]) -> Sequence[Node]:
    """Return the tasks that cost more than their share or, if none does, the one that costs most.

    None if no task has costs.
    """
    totals = {task.id: sum(cost.amount for cost in _costs(task)) for task in open_to}
    over = [
        task
        for task in open_to
        if task.part.share is not None and totals[task.id] > task.part.share
    ]
    if over or not any(totals.values()):
        return over
    return [max(open_to, key=lambda task: totals[task.id])]


def _first_with(
    brief: Brief, check: Check, tasks: Sequence[Node], open_to: Sequence[Node]
) -> Sequence[Node]:
    """Return the first task with which a plan that has grown so far does not meet a point."""
    grown = ""
    for task in tasks:
        grown = f"{grown}\n\n## {task.title}\n\n{_text(task)}"
        for other in check_plan(brief, grown):
            if (other.point, other.demand, other.standing) == (check.point, None, "not met"):
                return [task] if task in open_to else []
    return []


def _has_any(task: Node, steps: Sequence[int]) -> bool:
    first = task.part.first
    if first is None:
        return False
    return any(first <= step <= (task.part.last or first) for step in steps)


def _tasks(plan: Plan) -> Iterator[Node]:
    """Yield the nodes without parts, in the order of the plan."""
    return (node for node in plan.nodes() if not node.children)


def _written(task: Node) -> Result | None:
    """Return a task's result or, while that is reviewed, its latest version."""
    record: Record | None = task.result
    if record is None and task.outcome.versions:
        record = task.outcome.versions[-1].result
    return record.body if record is not None and isinstance(record.body, Result) else None


def _text(task: Node) -> str:
    written = _written(task)
    return written.text if written is not None else ""


def _costs(task: Node) -> Sequence[Cost]:
    written = _written(task)
    return (written.costs or ()) if written is not None else ()
