"""LangGraph, orchestrator and workers: each node of the plan is a run of one compiled graph.

The pattern of LangGraph's own documentation: an orchestrator hands work to workers with `Send`,
their outputs meet in the state, and a synthesizer puts them together. Splits and ratings are
workers too; a part that is split again is the same graph, invoked by a worker.
"""

import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict

from calls import DEPTH, WIDTH, Calls, serve  # type: ignore[import-not-found]  # beside this script
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]
from langgraph.types import Send  # type: ignore[import-not-found]


class State(TypedDict):
    """State of one node of the plan."""

    depth: int
    proposals: Annotated[list[int], operator.add]
    ratings: Annotated[list[int], operator.add]
    results: Annotated[list[str], operator.add]


async def prepare(calls: Calls) -> Callable[[], Awaitable[object]]:
    """Return the function that makes one plan."""
    voters = range(calls.voters)

    async def decompose(work: dict[str, int]) -> dict[str, Any]:
        await calls.split(work["number"])
        return {"proposals": [work["number"]]}

    async def score(work: dict[str, int]) -> dict[str, Any]:
        await calls.rate(work["number"])
        return {"ratings": [work["number"]]}

    async def gathered(state: State) -> dict[str, Any]:
        return {}

    async def part(work: dict[str, int]) -> dict[str, Any]:
        if work["depth"] == DEPTH:
            await calls.write()
        else:
            await graph.ainvoke(begin(work["depth"]))
        return {"results": ["done"]}

    async def assemble(state: State) -> dict[str, Any]:
        assert len(state["results"]) == WIDTH
        await calls.write()
        return {}

    def begin(depth: int) -> dict[str, Any]:
        return {"depth": depth, "proposals": [], "ratings": [], "results": []}

    builder = StateGraph(State)
    builder.add_node("decompose", decompose)
    builder.add_node("proposed", gathered)
    builder.add_node("score", score)
    builder.add_node("rated", gathered)
    builder.add_node("part", part)
    builder.add_node("assemble", assemble)
    builder.add_conditional_edges(
        START, lambda state: [Send("decompose", {"number": n}) for n in voters], ["decompose"]
    )
    builder.add_edge("decompose", "proposed")
    builder.add_conditional_edges(
        "proposed", lambda state: [Send("score", {"number": n}) for n in voters], ["score"]
    )
    builder.add_edge("score", "rated")
    builder.add_conditional_edges(
        "rated",
        lambda state: [Send("part", {"depth": state["depth"] + 1}) for _ in range(WIDTH)],
        ["part"],
    )
    builder.add_edge("part", "assemble")
    builder.add_edge("assemble", END)
    graph = builder.compile()
    return lambda: graph.ainvoke(begin(0))


serve(prepare)
