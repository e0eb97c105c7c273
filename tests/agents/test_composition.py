"""Whole swarms compose their plans: nothing that was written vanishes, however much it is."""

from __future__ import annotations

from swarm.brief.part import Part
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.core.records import MAX_RECORD, Result
from swarm.core.views.english import result_text
from swarm.llm.client import assembly
from swarm.llm.requests import (
    Answer,
    AssembleRequest,
    DoRequest,
    Request,
    SplitAnswer,
    SplitRequest,
    TextAnswer,
)
from swarm.sim.world.world import tidy_model
from tests.agents.village import Village, by_kind

POLICY = Policy(quorum=2, max_depth=2, max_nodes=57, lease_ms=30 * SECOND, deadline_ms=60 * MINUTE)
CHARS = 4_000
"""Length of a part's text: 49 of them are far more than one record holds."""


def writer(request: Request) -> tuple[Answer | Exception, int]:
    """Split into seven, and write long texts with headings of their own."""
    answer, latency = tidy_model(request)
    match request:
        case SplitRequest():
            parts = tuple(
                Part(
                    title=f"{request.title} {i}"[-40:],
                    detail="x",
                    kind="goal" if request.may_nest else "task",
                )
                for i in range(request.max_parts)
            )
            return SplitAnswer(parts=parts, rationale="by seven"), latency
        case DoRequest():
            text = f"# Work\n\n{'word ' * (CHARS // 5)}\n\nThe end of {request.title}."
            return TextAnswer(text=text, draft=False), latency
        case AssembleRequest():
            return assembly.composed(request, f"About {request.title}.", draft=False), latency
    return answer, latency


def test_all_texts_of_a_deep_plan_are_in_it() -> None:
    """Seven parts of seven: each of the 49 texts is in the plan, below its heading, and whole."""
    village = Village(model=writer, executors=3)
    goal = village.ask(POLICY)
    plan = village.world.plan(village.asker, goal)
    assert plan.state == "done"
    leaves = [node for node in plan.nodes() if not node.children]
    assert len(leaves) == 49
    text = result_text(plan.root)
    assert len(text) > 49 * CHARS
    at = 0
    for leaf in leaves:
        at = text.index(f"### {leaf.title}\n\n#### Work\n", at)
        at = text.index(f"The end of {leaf.title}.", at)
    assert "…" not in text
    for executor in village.executors:
        assert all(
            len(record.raw) <= MAX_RECORD
            for record in executor.published
            if isinstance(record.body, Result)
        )
        assert by_kind(executor, Result)
    assert len(village.digests(goal)) == 1
