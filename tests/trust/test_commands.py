"""What the commands of an owned swarm say, and that they never say a secret."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TextIO
from unittest import mock

import pytest

from swarm.cli.app import run
from swarm.config import SwarmConfig, load
from swarm.core.store.store import Store
from swarm.trust import folder
from swarm.trust import owner as trust
from swarm.trust.identity import load_identity
from swarm.trust.invite import encode
from tests.trust.world import World

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world whose commands run in this process."""
    for name in os.environ:
        if name.startswith("LEADERLESS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    return World(tmp_path)


@pytest.fixture
def say(world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a command, and remember what it said."""

    def command(*words: str, stdin: str = "", secret: bool = False) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = run(words)
        out, err = capsys.readouterr()
        world.said += [err] if secret else [out, err]
        return code, out, err

    return command


def test_from_init_to_join_nothing_secret_is_said(world: World, say: Say, tmp_path: Path) -> None:
    """Each step says what to do next; keys and invites are in no output but the invite's own."""
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
        # A key where something else belongs.
        ["peers", "--swarm-key-file", f"{own}/owner.key", *config],
        ["peers", "--config", f"{own}/swarm.key"],
        ["peers", "--config", f"{own}/owner.key"],
    ):
        say(*command_line)
    # Nothing of this was put where nobody asked for it.
    assert not (tmp_path / "xdg").exists()
    world.check_nothing_leaked()
    assert any(where == "an invite" for where, _ in world.secrets())


def test_an_invite_may_arrive_in_pieces_and_two_share_a_machine(
    world: World, say: Say, tmp_path: Path
) -> None:
    """A wrapped line is put together again, the usual folder is used, and takes a second peer."""
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


def test_init_with_an_address_puts_it_into_invites(world: World, say: Say, tmp_path: Path) -> None:
    """Where the owner listens is where the invited dial, unless the owner says otherwise."""
    say("init", "--dir", str(tmp_path / "owner"), "--listen", "/ip4/10.1.2.3/tcp/7400")
    _, _, err = say("invite", "--role", "observer", *world.config("owner"), secret=True)
    assert "It dials /ip4/10.1.2.3/tcp/7400." in err
    code, _, err = say("init", "--dir", str(tmp_path / "c"), "--listen", "7400")
    assert code == 2
    assert "write it like" in err


@pytest.mark.parametrize("command", [["peer", "observer"], ["up"]])
def test_listening_beyond_this_machine_without_a_key_points_at_init(
    say: Say, tmp_path: Path, command: list[str]
) -> None:
    """It is refused before anything starts, and people read how to get a key."""
    listen = ("--listen", "/ip4/0.0.0.0/tcp/0", "--state-dir", str(tmp_path / "state"))
    code, out, err = say(*command, *listen)
    assert (code, out) == (2, "")
    assert "can be reached from other machines" in err
    assert "swarm init" in err
    assert "swarm invite" in err


def test_the_owners_bot_may_ask(world: World, say: Say, tmp_path: Path) -> None:
    """The bot on the owner's machine brings a grant for its own identity: its goals count."""
    from bot.app.run import peer_settings
    from bot.config import read as read_bot_config

    say("init", "--dir", str(tmp_path / "owner"))
    config = read_bot_config({}, world.config("owner")[1])
    settings = peer_settings(config)
    store = Store("leaderless", owner=settings.owner)
    for raw in settings.grants:
        store.add(raw, 2**52)
    assert settings.state_dir is not None
    key = load_identity(settings.state_dir / "identity.key")
    author = key.public_key().public_bytes_raw()
    assert store.roster.has_role(author, "submitter", 2**51)
    assert not store.roster.has_role(author, "scorer", 2**51)


def test_a_wrong_word_is_a_mistake_of_usage(world: World, say: Say, tmp_path: Path) -> None:
    """Exit code 2 is for what was typed; 3 stays for a swarm that does not answer."""
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


def test_who_was_revoked_joins_again_in_its_place(world: World, say: Say, tmp_path: Path) -> None:
    """The message names the way, and the way works; the invite is never called used up."""
    say("init", "--dir", str(tmp_path / "owner"))
    config, guest = world.config("owner"), str(tmp_path / "guest")
    lines = []
    for _ in range(2):
        _, line, _ = say("invite", "--role", "executor", "--name", "attic", *config, secret=True)
        lines.append(line)
        owner = trust.owner_of(load(SwarmConfig, file=config[1]).swarm)
        owner.revoke(owner.find("attic"))
    code, out, _ = say("join", "-", "--dir", guest, stdin=lines[0])
    assert (code, "used up" in out) == (0, False)
    code, out, err = say("join", "-", "--dir", guest, stdin=lines[1])
    assert (code, out) == (3, "")
    assert "--replace" in err
    code, _, err = say("join", "-", "--replace", "--dir", guest, stdin=lines[1])
    assert (code, err) == (0, "")


def test_a_grant_of_the_future_is_told_by_join(world: World, say: Say, tmp_path: Path) -> None:
    """Who joins with a clock behind the owner's learns when its roles begin."""
    with mock.patch.object(trust, "_now_ms", return_value=trust._now_ms() + 3 * 3_600_000):
        say("init", "--dir", str(tmp_path / "owner"))
        _, line, _ = say("invite", "--role", "scorer", *world.config("owner"), secret=True)
    code, _, err = say("join", "-", "--dir", str(tmp_path / "guest"), stdin=line)
    assert code == 0
    assert "begin in 3 h by this machine's clock" in err


@pytest.mark.skipif(os.name != "posix", reason="terminals are POSIX's")
@pytest.mark.parametrize("how", ["plain", "wrapped", "long", "in two", "empty"])
def test_an_invite_is_pasted_at_a_terminal(how: str, tmp_path: Path) -> None:
    """Any length, in lines or not, hidden; what is left of it is typed into no shell."""
    import pty
    import tty

    folder.found(tmp_path / "o", "school")
    own = load(SwarmConfig, file=tmp_path / "o/swarm.toml").swarm
    many = [f"/dns4/{'h' * 230}{number}.example/tcp/7400" for number in range(16)]
    invite = trust.owner_of(own).invite(
        ["scorer"], swarm_key=own.key() or "", addresses=many if how == "long" else ()
    )
    line = encode(invite)
    wrapped = "\n".join(line[at : at + 76] for at in range(0, len(line), 76))
    master, slave = pty.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "swarm", "join", "-", "--json", "--dir", str(tmp_path / "g")],
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=world_environment(),
        ) as joining:
            assert joining.stderr is not None
            assert joining.stdout is not None
            prompt = joining.stderr.read(10)
            assert prompt == "Paste the "
            while termios.tcgetattr(slave)[3] & termios.ICANON:
                os.sched_yield()
            pasted = {
                "plain": [f"{line}\n"], "wrapped": [f"{wrapped}\nls\n"], "long": [f"{line}\nls\n"],
                "in two": [f"{line[:100]}\n", f"{line[100:]}\n"], "empty": ["\n"],
            }[how]  # fmt: skip
            feeding = threading.Thread(target=feed, args=(master, pasted, joining.stderr))
            feeding.start()
            out = joining.stdout.read()
            feeding.join()
            code = joining.wait(30)
        assert code == (2 if how == "empty" else 0)
        assert how == "empty" or json.loads(out)["author"] == invite.author.hex()
        # Nothing of it was echoed, and nothing is left for whoever reads the terminal next.
        assert termios.tcgetattr(slave)[3] & termios.ICANON
        tty.setraw(slave)
        for end in (master, slave):
            os.set_blocking(end, False)
            with pytest.raises(BlockingIOError):
                os.read(end, 100)
    finally:
        os.close(master)
        os.close(slave)


def feed(master: int, pasted: list[str], said: TextIO) -> None:
    """Paste pieces; each but the first once more is asked for."""
    for number, piece in enumerate(pasted):
        if number:
            heard = ""
            while "not all of it" not in heard:
                letter = said.read(1)
                assert letter, heard
                heard += letter
        data = piece.encode()
        while data:
            data = data[os.write(master, data) :]
    said.read()


def world_environment() -> dict[str, str]:
    """Return the environment without settings of the machine's own swarm."""
    return {name: v for name, v in os.environ.items() if not name.startswith("LEADERLESS_")}
