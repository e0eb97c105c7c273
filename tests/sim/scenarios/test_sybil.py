"""What numbers alone can do against a goal in an open swarm, and what stops it."""

from __future__ import annotations

import pytest

import swarm.core.store.store
from swarm.core.store.limits import Limits
from swarm.core.store.store import Store
from swarm.sim.invariants import Auditor, outlines
from swarm.sim.run import _compare, play
from swarm.sim.scenarios import sybil
from tests.sim.test_invariants import finished


def rules_broken(scenario: str) -> set[str]:
    """Play a seed; return which promises it broke."""
    return {violation.rule for violation in play(scenario, 2).violations}


def test_a_crowd_of_fresh_keys_crowds_nobody_out() -> None:
    """Whom the asker has known has room of its own: the goal is done and nothing is lost."""
    assert rules_broken("crowd") == set()


def test_without_known_authors_a_crowd_would_crowd_them_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scenario bites: where a goal names nobody, the same crowd loses its results."""
    monkeypatch.setattr(Store, "known_longest", lambda self, now_ms: [])
    monkeypatch.setattr(sybil, "CROWD_LIMITS", Limits(records_per_goal=100))
    assert "nothing lost" in rules_broken("crowd")


def test_ghosts_do_not_raise_the_quorum() -> None:
    """Presences of scorers that never rated put no quorum out of reach: votes decide."""
    assert rules_broken("ghosts") == set()


def test_a_quorum_of_all_who_are_present_would_be_out_of_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scenario bites: a majority of all presences leaves the second goal to its fallback."""
    monkeypatch.setattr(
        swarm.core.store.store, "quorum_for", lambda scorers, proven: scorers // 2 + 1
    )
    assert rules_broken("ghosts") == {"votes"}


def test_a_world_that_lies_made_otherwise_is_noticed() -> None:
    """Twins that differ in a title break a promise; a world is the twin of itself."""
    one, other = finished(), finished()
    assert outlines(one) == outlines(other)
    _compare(one, other)
    assert not one.violations
    plan = other.honest()[0].store.plan(other.stage.goals[0])
    assert plan is not None
    plan.root.children = plan.root.children[:-1]
    _compare(one, other)
    assert {violation.rule for violation in one.violations} == {"nothing but timing"}


def test_a_stranger_that_is_worked_for_is_noticed() -> None:
    """A record about a goal that nobody of the swarm asked for breaks a promise."""
    auditor: Auditor = finished("foreign-goals")
    auditor.verdict()
    assert not auditor.violations
    auditor.stage.goals.clear()
    auditor.verdict()
    assert "own goals" in {violation.rule for violation in auditor.violations}
