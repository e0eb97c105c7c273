"""A small swarm under virtual time, for the tests of agents together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from swarm.agents.base import Agent
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.policy import MINUTE, SECOND, Policy
from swarm.core.records import Notice
from swarm.core.store.limits import LARGE, Limits
from swarm.llm.requests import (
    Answer,
    Request,
    SplitAnswer,
    TextAnswer,
)
from swarm.sim.world.world import Model, SimPeer, World, tidy_model

POLICY = Policy(quorum=2, max_depth=1, lease_ms=30 * SECOND, deadline_ms=20 * MINUTE)


class Village:
    """A world with a submitter and the usual roles."""

    def __init__(
        self,
        *,
        seed: int = 1,
        decomposers: int = 3,
        scorers: int = 3,
        executors: int = 2,
        model: Model = tidy_model,
        loss: float = 0.0,
    ) -> None:
        self.world = World(seed, loss=loss)
        self.asker = self.world.submitter()
        self.decomposers = self._add(decomposers, Decomposer, model)
        self.scorers = self._add(scorers, Scorer, model)
        self.executors = self._add(executors, Executor, model)
        # Links are dialled and presences heard, the first of which were said to nobody.
        self.world.run(seconds=3)

    def _add(self, count: int, make: type[Agent], model: Model) -> list[SimPeer]:
        return [self.world.add(make(), model) for _ in range(count)]

    def ask(self, policy: Policy = POLICY, seconds: float = 3600) -> bytes:
        """Submit a goal and run until it ended."""
        goal = self.world.submit(self.asker, "a garden behind the school", policy)
        self.world.run(until=lambda: self.world.plan(self.asker, goal).final, seconds=seconds)
        return goal

    def digests(self, goal: bytes) -> set[bytes]:
        """Return the digests of all living peers, after all that is on the way arrived."""
        self.world.run(seconds=5)
        return {self.world.plan(p, goal).digest for p in self.world.peers if p.alive}

    def kill_when(self, condition: object, victim: object) -> None:
        """Kill a peer as soon as a condition holds; checked every 20 virtual ms."""
        assert callable(condition)
        assert callable(victim)

        def look() -> None:
            if condition():
                self.world.kill(victim())
            else:
                self.world.at(0.02, look)

        look()


def by_kind(peer: SimPeer, kind: type) -> list[object]:
    return [r.body for r in peer.published if isinstance(r.body, kind)]


LONG_TEXT = "x" * LARGE
"""A text that makes a record count as large."""


class Counting:
    """A model that writes long texts or splits, and counts its calls."""

    def __init__(self, *, split: str = "", text: str = "", takes_ms: int = 500) -> None:
        self.calls: Counter[str] = Counter()
        self._split, self._text, self._takes_ms = split, text, takes_ms

    def __call__(self, request: Request) -> tuple[Answer | Exception, int]:
        answer, latency = tidy_model(request)
        self.calls[f"{type(request).__name__} {request.title}"] += 1
        if isinstance(answer, SplitAnswer):
            parts = tuple(replace(part, detail=self._split or part.detail) for part in answer.parts)
            return replace(answer, parts=parts), latency
        if isinstance(answer, TextAnswer):
            return replace(answer, text=answer.text + self._text), self._takes_ms
        return answer, latency


def limited_swarm(
    limits: Limits, decomposer: Model, scorer: Model, *executors: Model
) -> tuple[World, SimPeer, list[SimPeer]]:
    """Return a world in which all peers keep few records, its asker, and its agents."""
    world = World(1)
    asker = world.submitter()
    roles: list[tuple[Agent, Model]] = [(Decomposer(), decomposer), (Scorer(), scorer)]
    roles += [(Executor(), model) for model in executors]
    agents = [world.add(agent, model, limits=limits) for agent, model in roles]
    world.run(seconds=3)
    return world, asker, agents


def notices(peer: SimPeer) -> list[str]:
    return [body.code for body in by_kind(peer, Notice) if isinstance(body, Notice)]
