"""AutoGen (autogen-core): an orchestrator agent sends messages to decomposers, scorers, executors.

The pattern of AutoGen's own documentation for many agents: routed agents on one runtime, direct
messages, and the orchestrator gathers the answers.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from autogen_core import (  # type: ignore[import-not-found]
    AgentId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    message_handler,
)
from calls import DEPTH, WIDTH, Calls, serve  # type: ignore[import-not-found]  # beside this script


@dataclass
class Split:
    """Asks a decomposer for a split."""


@dataclass
class Rate:
    """Asks a scorer to rate all splits of a node."""


@dataclass
class Write:
    """Asks an executor for a text."""


@dataclass
class Node:
    """Asks the orchestrator for a node of the plan."""

    depth: int


@dataclass
class Done:
    """The answer to each request."""


async def prepare(calls: Calls) -> Callable[[], Awaitable[object]]:
    """Return the function that makes one plan."""

    class Decomposer(RoutedAgent):  # type: ignore[misc]
        @message_handler  # type: ignore[untyped-decorator]
        async def split(self, message: Split, ctx: MessageContext) -> Done:
            await calls.split(int(self.id.key))
            return Done()

    class Scorer(RoutedAgent):  # type: ignore[misc]
        @message_handler  # type: ignore[untyped-decorator]
        async def rate(self, message: Rate, ctx: MessageContext) -> Done:
            await calls.rate(int(self.id.key))
            return Done()

    class Executor(RoutedAgent):  # type: ignore[misc]
        @message_handler  # type: ignore[untyped-decorator]
        async def write(self, message: Write, ctx: MessageContext) -> Done:
            await calls.write()
            return Done()

    class Orchestrator(RoutedAgent):  # type: ignore[misc]
        @message_handler  # type: ignore[untyped-decorator]
        async def node(self, message: Node, ctx: MessageContext) -> Done:
            await self.plan(message.depth)
            return Done()

        async def plan(self, depth: int) -> None:
            if depth < DEPTH:
                voters = [str(number) for number in range(calls.voters)]
                for role, word in (("decomposer", Split()), ("scorer", Rate())):
                    await asyncio.gather(
                        *(self.send_message(word, AgentId(role, key)) for key in voters)
                    )
                await asyncio.gather(*(self.plan(depth + 1) for _ in range(WIDTH)))
            await self.send_message(Write(), AgentId("executor", "default"))

    runtime = SingleThreadedAgentRuntime()
    for role, agent in (
        ("decomposer", Decomposer),
        ("scorer", Scorer),
        ("executor", Executor),
        ("orchestrator", Orchestrator),
    ):
        await agent.register(runtime, role, lambda agent=agent, role=role: agent(role))
    runtime.start()
    return lambda: runtime.send_message(Node(0), AgentId("orchestrator", "default"))


serve(prepare)
