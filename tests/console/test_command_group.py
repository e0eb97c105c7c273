"""Running a command line: exit codes, interrupts, and missing or full streams."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from swarm.console.command_group import run_group
from swarm.console.errors import CommandError
from tests.console.groups import group, raising


def test_other_errors_and_interrupts_pass_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors that already are a command's message or exit code keep them."""
    for error, code in (
        (CommandError("said", exit_code=3), 3),
        (click.UsageError("said"), 2),
        (click.exceptions.Exit(7), 7),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(errno.EPIPE, "x"), 141),
        (OSError(errno.EPIPE, "x"), 141),
    ):
        assert run_group(group(raising(error)), "g", ["it"]) == code
    assert "Traceback" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run_group(group(raising(SystemExit(1))), "g", ["it"])


def shell(line: str, folder: Path) -> tuple[int, str]:
    """Run a shell line in which `$S` is the command; return exit code and stderr."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("LEADERLESS_")}
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {line}"],
        env=kept | {"S": f"{sys.executable} -m swarm", "HOME": str(folder)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$S --version >&-", 0),
        ("$S config show >&- 2>&-", 0),
        ("$S join - <&-", 2),
        ("$S submit - <&-", 2),
        ("$S init --name x --dir y >&- && test $(stat -c %s y/swarm.key) = 65", 0),
        ("$S --help > /dev/full", 3),
        ("$S config show > /dev/full", 3),
        ("$S sim --seed 1 | true; exit ${PIPESTATUS[0]}", 141),
        ("$S sim --help | true; exit ${PIPESTATUS[0]}", 141),
        ("mkdir gone; cd gone; rmdir ../gone; $S init --dir x", 3),
        ("$S init --dir '~nosuch/x' && test -f '~nosuch/x/swarm.key'", 0),
        ("$S init --dir $(printf 'x%.0s' {1..300})", 3),
        ("$S peer observer --name $'caf\\xe9'", 2),
        ("$S submit $'caf\\xe9'", 2),
        ("printf 'caf\\xe9' | $S submit -", 2),
        ("$S submit x --swarm-key-file /dev/zero", 2),
        ("$S config show --config /dev/zero", 2),
    ],
)
def test_unusable_streams_and_files_are_messages(line: str, code: int, tmp_path: Path) -> None:
    """Closed, full, deleted, endless or not text: at most a message, and the right exit code."""
    got, err = shell(line, tmp_path)
    assert got == code, err
    assert "Traceback" not in err


def test_a_key_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """With stdout closed, a key file must not become descriptor 1 and be printed into."""
    code, err = shell("$S init --name x --dir y >&- 2>&- <&-", tmp_path)
    assert code == 0, err
    assert len((tmp_path / "y/owner.key").read_bytes()) == 32
