"""`swarm init`: what points at it, and names and addresses it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands.conftest import Say
from tests.trust.world import World


@pytest.mark.parametrize("command", [["peer", "observer"], ["up"]])
def test_listening_beyond_this_machine_without_a_key_points_at_init(
    say: Say, tmp_path: Path, command: list[str]
) -> None:
    """It is refused before anything starts, and the message says how to get a key."""
    listen = ("--listen", "/ip4/0.0.0.0/tcp/0", "--state-dir", str(tmp_path / "state"))
    code, out, err = say(*command, *listen)
    assert (code, out) == (2, "")
    assert "can be reached from other machines" in err
    assert "swarm init" in err
    assert "swarm invite" in err


def test_a_wrong_name_or_address_is_a_usage_error(world: World, say: Say, tmp_path: Path) -> None:
    """Invalid input gives exit code 2; 3 is for a swarm that does not answer."""
    say("init", "--name", "school", "--dir", str(tmp_path / "owner"))
    config = world.config("owner")
    for words in (
        ["revoke", "tpyo", *config],
        ["invite", "--role", "scorer", "--name", "a\nb", *config],
        ["invite", "--role", "scorer", "--name", "", *config],
        ["invite", "--role", "scorer", "--peers", "/ip4/0.0.0.0/tcp/0", *config],
        ["init", "--name", " ", "--dir", str(tmp_path / "x")],
        ["init", "--listen", "/ip4/999.1.1.1/tcp/1", "--dir", str(tmp_path / "x")],
    ):
        code, out, err = say(*words)
        assert (code, out) == (2, ""), words
        assert err
    code, _, _ = say("init", "--name", "school 🎒", "--dir", str(tmp_path / "bag"))
    assert code == 0
    code, out, _ = say("config", "show", *world.config("bag"))
    assert (code, "school 🎒" in out) == (0, True)
