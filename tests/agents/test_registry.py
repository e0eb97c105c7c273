"""The registry: every role has its agent."""

from __future__ import annotations

import pytest

from swarm.agents.registry import agent_for
from swarm.core.roles import ROLES, Role


@pytest.mark.parametrize("role", ROLES)
def test_every_role_has_an_agent_that_plays_it(role: Role) -> None:
    """Each call makes a new agent, and only an executor has capabilities."""
    agent = agent_for(role, capabilities=("web",))
    assert agent.role == role
    assert agent is not agent_for(role)
    assert agent.capabilities == ({"web"} if role == "executor" else set())
