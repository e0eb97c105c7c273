"""What many made-up keys can do to a goal in an open swarm, and what stops them."""

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
    """Play a seed; return the promises that it broke."""
    return {violation.rule for violation in play(scenario, 3).violations}


def test_fresh_keys_crowd_nobody_out() -> None:
    """Authors that the submitter knew have room of their own: the goal is done, nothing is lost."""
    assert rules_broken("sybil-crowd") == set()


def test_without_known_authors_fresh_keys_would_crowd_others_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scenario can fail: if the goal names nobody, the same crowd makes it lose results."""
    monkeypatch.setattr(Store, "known_longest", lambda self, now_ms: [])
    monkeypatch.setattr(sybil, "CROWD_LIMITS", Limits(records_per_goal=100))
    assert "nothing lost" in rules_broken("sybil-crowd")


def test_made_up_scorers_do_not_raise_the_quorum() -> None:
    """Scorers that have never rated do not put the quorum out of reach: votes decide."""
    assert rules_broken("sybil-scorers") == set()


def test_a_quorum_of_all_who_are_present_would_be_out_of_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scenario can fail: with a majority of all presences one goal needs its fallback."""
    monkeypatch.setattr(
        swarm.core.store.store, "quorum_for", lambda scorers, proven: scorers // 2 + 1
    )
    assert rules_broken("sybil-scorers") == {"votes"}


def test_a_world_that_attacks_changed_is_noticed() -> None:
    """Twin worlds that differ in one part break a promise; equal ones do not."""
    one, other = finished(), finished()
    assert outlines(one) == outlines(other)
    _compare(one, other)
    assert not one.violations
    plan = other.honest()[0].store.plan(other.stage.goals[0])
    assert plan is not None
    plan.root.children = plan.root.children[:-1]
    _compare(one, other)
    assert {violation.rule for violation in one.violations} == {"nothing but timing"}


def test_work_for_a_stranger_is_noticed() -> None:
    """A record about a goal that no member of the swarm submitted breaks a promise."""
    auditor: Auditor = finished("foreign-goals")
    auditor.verdict()
    assert not auditor.violations
    auditor.stage.goals.clear()
    auditor.verdict()
    assert "own goals" in {violation.rule for violation in auditor.violations}
