"""`swarm join`: from an invite to a running configuration, and never a secret shown."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import swarm.trust.owner
from swarm.config import SwarmConfig, load
from swarm.trust.grants import now_ms
from swarm.trust.owner import owner_of
from tests.cli.commands.conftest import Say
from tests.trust.world import World


def test_from_init_to_join_no_secret_is_printed(world: World, say: Say, tmp_path: Path) -> None:
    """Each step says what to do next; only the invite itself is ever printed."""
    own, config = str(tmp_path / "owner"), world.config("owner")
    code, out, err = say("init", "--name", "school", "--dir", own)
    assert (code, err) == (0, "")
    assert f"export LEADERLESS_CONFIG={config[1]}" in out
    code, _, err = say("init", "--name", "school", "--dir", own)
    assert code == 3
    assert "nothing was changed" in err
    code, out, _ = say("init", "--dir", str(tmp_path / "b"), "--json")
    assert set(json.loads(out)) == {"swarm", "owner", "config"}

    code, line, err = say(
        "invite", "--role", "scorer", "--role", "submitter", "--name", "attic",
        "--peers", "/ip4/10.0.0.7/tcp/7400", *config, secret=True,
    )  # fmt: skip
    assert code == 0
    for words in ("rate and approve", "attest people's votes", "like a password", "revoke attic",
                  "/ip4/10.0.0.7/tcp/7400"):  # fmt: skip
        assert words in err
    world.invites.append(line.strip())
    code, out, err = say("join", "-", "--dir", str(tmp_path / "guest"), stdin=line)
    assert (code, err) == (0, "")
    guest = " ".join(world.config("guest"))
    for command in ("swarm peer scorer --name attic", "swarm submit GOAL --wait", "swarm-bot run"):
        assert f"{command} {guest}" in out

    half = len(line) // 2
    for wrong, stdin in (
        (["join", "-"], line[:half]),
        (["join", line[:half], line[half + 1 :]], ""),
        (["join", line.strip().replace("invite-1-", "invite-9-")], ""),
        (["join", "nonsense"], ""),
    ):
        code, out, err = say(*wrong, stdin=stdin)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
    for command_line in (
        ["config", "show", *config],
        ["config", "show", "--json", *config],
        ["revoke", "nobody", *config],
        ["invite", "--role", "scorer", *world.config("guest")],
        ["invite", "--role", "king", *config],
        ["up", "x", *world.config("guest")],
        # A key file where another file belongs.
        ["peers", "--swarm-key-file", f"{own}/owner.key", *config],
        ["peers", "--config", f"{own}/swarm.key"],
        ["peers", "--config", f"{own}/owner.key"],
    ):
        say(*command_line)
    # Nothing was written to the default folder, which no command named.
    assert not (tmp_path / "xdg").exists()
    world.check_nothing_leaked()
    assert any(where == "an invite" for where, _ in world.secrets())


def test_an_invite_may_arrive_in_pieces_and_two_share_a_machine(
    world: World, say: Say, tmp_path: Path
) -> None:
    """A wrapped line is joined again; the default folder holds it, and a second peer too."""
    say("init", "--name", "school", "--dir", str(tmp_path / "owner"))
    for name, role in (("one", "scorer"), ("two", "executor")):
        _, line, err = say(
            "invite", "--role", role, "--name", name, *world.config("owner"), secret=True
        )
        assert "names no address to dial" in err
        code, out, _ = say("join", line[:100], line[100:].strip(), "--json")
        assert code == 0
        told = json.loads(out)
        assert (told["name"], told["roles"]) == (name, [role])
        assert told["config"] == str(tmp_path / "xdg/leaderless/school/swarm.toml")


def test_a_revoked_peer_joins_again_in_its_place(world: World, say: Say, tmp_path: Path) -> None:
    """The message names --replace, and that works; the invite is never called used up."""
    say("init", "--dir", str(tmp_path / "owner"))
    config, guest = world.config("owner"), str(tmp_path / "guest")
    lines = []
    for _ in range(2):
        _, line, _ = say("invite", "--role", "executor", "--name", "attic", *config, secret=True)
        lines.append(line)
        owner = owner_of(load(SwarmConfig, file=config[1]).swarm)
        owner.revoke(owner.find("attic"))
    code, out, _ = say("join", "-", "--dir", guest, stdin=lines[0])
    assert (code, "used up" in out) == (0, False)
    code, out, err = say("join", "-", "--dir", guest, stdin=lines[1])
    assert (code, out) == (3, "")
    assert "--replace" in err
    code, _, err = say("join", "-", "--replace", "--dir", guest, stdin=lines[1])
    assert (code, err) == (0, "")


def test_a_grant_that_begins_in_the_future_is_reported(
    world: World, say: Say, tmp_path: Path
) -> None:
    """A machine whose clock is behind the owner's is told when its roles begin."""
    with mock.patch.object(swarm.trust.owner, "now_ms", return_value=now_ms() + 3 * 3_600_000):
        say("init", "--dir", str(tmp_path / "owner"))
        _, line, _ = say("invite", "--role", "scorer", *world.config("owner"), secret=True)
    code, _, err = say("join", "-", "--dir", str(tmp_path / "guest"), stdin=line)
    assert code == 0
    assert "begin in 3 h by this machine's clock" in err
