"""Pasting an invite at a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import termios
import threading
from pathlib import Path
from typing import TextIO

import pytest

from swarm.config import SwarmConfig, load
from swarm.trust import folder
from swarm.trust.invite import encode
from swarm.trust.owner import owner_of


@pytest.mark.skipif(os.name != "posix", reason="terminals are POSIX's")
@pytest.mark.parametrize("how", ["plain", "wrapped", "long", "in two", "empty"])
def test_an_invite_is_pasted_at_a_terminal(how: str, tmp_path: Path) -> None:
    """Any length, wrapped or not, is read hidden; nothing of it is left for the shell."""
    import pty
    import tty

    folder.create(tmp_path / "o", "school")
    own = load(SwarmConfig, file=tmp_path / "o/swarm.toml").swarm
    many = [f"/dns4/{'h' * 230}{number}.example/tcp/7400" for number in range(16)]
    invite = owner_of(own).invite(
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
        # Nothing of it was echoed, and nothing is left for the next reader of the terminal.
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
    """Paste the pieces; each one after the first only when the prompt asks for it."""
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
