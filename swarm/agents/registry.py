"""Which agent plays which role. A real peer and a simulated one make their agents here."""

from __future__ import annotations

from typing import assert_never

from swarm.agents.base import Agent, Observer, Submitter
from swarm.agents.decomposer import Decomposer
from swarm.agents.executor import Executor
from swarm.agents.scorer import Scorer
from swarm.core.roles import Role


def agent_for(role: Role, *, slots: int = 1, capabilities: tuple[str, ...] = ()) -> Agent:
    """Return a new agent for a role.

    Args:
        role: what the agent does.
        slots: model calls, or tasks of an executor, at a time.
        capabilities: what an executor can do beyond what every executor can.
    """
    match role:
        case "decomposer":
            return Decomposer(slots)
        case "scorer":
            return Scorer(slots)
        case "executor":
            return Executor(slots, capabilities)
        case "submitter":
            return Submitter()
        case "observer":
            return Observer()
    assert_never(role)
