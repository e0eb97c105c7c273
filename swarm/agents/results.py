"""The record of a finished task, within the size of a record."""

from __future__ import annotations

from swarm.agents.base import STAMP, Job
from swarm.core.brief import Cost
from swarm.core.records import MAX_COSTS, RESULT_BYTES, Result, fit_result, result_bytes
from swarm.llm.requests import TextAnswer

COSTS_SHARE = 3
"""The items of cost take at most one part in so many of a result's room, so that its text fits; a
task has a handful of items."""


def result_of(job: Job, answer: TextAnswer) -> Result:
    """Return the result of a job; what does not fit a record beside the rest is cut visibly."""
    costs = list(answer.costs[:MAX_COSTS])
    while costs and _size(costs) > RESULT_BYTES // COSTS_SHARE:
        costs.pop()
    room = RESULT_BYTES - _size(costs)
    closing = answer.closing
    if closing is not None:
        closing = fit_result(closing, room - min(result_bytes(answer.text), room // 2))
        room -= result_bytes(closing)
    return Result(
        stamp=STAMP,
        goal=job.goal,
        node=job.node,
        claim=job.subject,
        outcome="done",
        text=fit_result(answer.text, room),
        draft=answer.draft,
        closing=closing,
        costs=costs or None,
    )


def _size(costs: list[Cost]) -> int:
    return result_bytes([cost.model_dump() for cost in costs])
