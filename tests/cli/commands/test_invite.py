"""`swarm invite`: the addresses in an invite, and the roles it offers."""

from __future__ import annotations

from pathlib import Path

from swarm.cli.commands.invite import MEANING
from swarm.core.roles import ROLE_FOR, ROLES
from tests.cli.commands.conftest import Say
from tests.trust.world import World


def test_init_with_an_address_puts_it_into_invites(world: World, say: Say, tmp_path: Path) -> None:
    """Invites carry the addresses the owner listens on, unless the owner names others."""
    say("init", "--dir", str(tmp_path / "owner"), "--listen", "/ip4/10.1.2.3/tcp/7400")
    _, _, err = say("invite", "--role", "observer", *world.config("owner"), secret=True)
    assert "The new peer dials /ip4/10.1.2.3/tcp/7400." in err
    code, _, err = say("init", "--dir", str(tmp_path / "c"), "--listen", "7400")
    assert code == 2
    assert "write it like" in err


def test_all_roles_can_be_granted_and_are_explained() -> None:
    """The command offers each role of the fold, and observer, and explains what each permits."""
    assert set(ROLES) == {*ROLE_FOR.values(), "observer"}
    assert set(MEANING) == set(ROLES)
