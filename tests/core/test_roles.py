"""The list of roles that everything else takes its roles from."""

from __future__ import annotations

from typing import get_args

from swarm.core import records
from swarm.core.roles import ROLE_FOR, ROLES, WORKERS


def test_every_role_but_the_observer_publishes_a_kind_of_record() -> None:
    """A role that no record needs could not be told apart from having none."""
    assert set(ROLES) == {*ROLE_FOR.values(), "observer"}


def test_workers_come_first_and_are_no_other_roles() -> None:
    """A plan needs its workers in this order; the submitter and the observer are not among them."""
    assert (*WORKERS, "submitter", "observer") == ROLES


def test_roles_are_asked_for_kinds_that_exist() -> None:
    """A misspelt kind would leave a record open to every role."""
    kinds = {body.model_fields["kind"].default for body in get_args(records.KnownBody)}
    assert set(ROLE_FOR) <= kinds
    assert kinds - set(ROLE_FOR) == {"notice", "presence", "grant"}
