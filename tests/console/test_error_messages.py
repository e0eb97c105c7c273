"""What the system refuses is a message with an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import trio

from swarm.cli.app import run
from swarm.cli.options import (
    MAX_CAPABILITIES,
    MAX_LANGUAGE,
    MAX_REASON,
    MAX_WORD,
    Words,
)
from swarm.cli.runner import run as run_trio
from swarm.console.command_group import LazyGroup, run_group
from swarm.console.errors import CommandError
from swarm.core.clock import EPOCH
from swarm.core.records import Cancel, Goal, KnownBody, Presence

KEY = b"k" * 32


def group(action: Callable[[], object]) -> LazyGroup:
    """Return a group of one command that does something."""

    class One(LazyGroup):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return click.Command("it", callback=action)

    return One("g", lazy={"it": ("", "")})


def raising(error: BaseException) -> Callable[[], object]:
    """Return what raises an error."""

    def action() -> object:
        raise error

    return action


def in_trio(error: BaseException) -> Callable[[], object]:
    """Return what raises an error inside of two nurseries, as a peer would."""

    async def main() -> int:
        async with trio.open_nursery(), trio.open_nursery():
            raise error

    return lambda: run_trio(main)


REFUSALS = [
    PermissionError(errno.EACCES, "Permission denied", "/nowhere"),
    FileNotFoundError(errno.ENOENT, "No such file or directory"),
    OSError(errno.ENOSPC, "No space left on device"),
    IsADirectoryError(errno.EISDIR, "Is a directory", b"/x\xff"),
    OSError("odd"),
    RuntimeError("Could not determine home directory."),
]


@pytest.mark.parametrize("error", REFUSALS, ids=repr)
@pytest.mark.parametrize("way", [raising, in_trio])
def test_whatever_the_system_refuses_is_told(
    way: Callable[[BaseException], Callable[[], object]],
    error: BaseException,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a command or deep inside a running peer: what, where, and exit code 3."""
    assert run_group(group(way(error)), "g", ["it"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err) > 20
    for part in (getattr(error, "strerror", None), getattr(error, "filename", None)):
        assert not isinstance(part, str) or part in shown.err


@pytest.mark.parametrize("error", [RuntimeError("a fault"), ValueError("a fault"), KeyError(1)])
@pytest.mark.parametrize("way", [raising, in_trio])
def test_a_fault_of_ours_keeps_its_traceback(
    way: Callable[[BaseException], Callable[[], object]], error: BaseException
) -> None:
    """What nobody at the keyboard can mend is not dressed up as a message."""
    with pytest.raises((type(error), ExceptionGroup)):
        run_group(group(way(error)), "g", ["it"])


def test_messages_and_interrupts_are_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    """The fence stands around what was told well before."""
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
    """Run a line of the shell with `$S` for the command; return exit code and stderr."""
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
def test_streams_and_places_that_are_not_there(line: str, code: int, tmp_path: Path) -> None:
    """Closed, full, deleted, endless or no text: a message at most, and the right exit code."""
    got, err = shell(line, tmp_path)
    assert got == code, err
    assert "Traceback" not in err


def test_a_key_never_takes_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """With stdout closed the next file opened would be number 1, and would be printed into."""
    code, err = shell("$S init --name x --dir y >&- 2>&- <&-", tmp_path)
    assert code == 0, err
    assert len((tmp_path / "y/owner.key").read_bytes()) == 32


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_is_quiet_from_the_first_moment(times: int, tmp_path: Path) -> None:
    """While Python still imports, and when people press it again because nothing happens."""
    code = (
        "import os, signal, sys, builtins\n"
        # A shell has its background jobs ignore it, and so would whatever these start.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from swarm.__main__ import main\n"
        "real = builtins.__import__\n"
        "def slow(name, *rest):\n"
        "    if name.startswith('swarm.cli.app'):\n"
        f"        for _ in range({times}): os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = slow\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["peer", "executor", "--name", ""], "is empty"),
        (["peer", "executor", "--name", "n" * 65], "65 characters"),
        (["peer", "executor", "--capability", "c" * 65], "65 characters"),
        (["peer", "executor", "--capability", "\udce9"], "UTF-8"),
        (["peer", "executor", *["--capability", "c"] * 17], "17 capabilities"),
        (["submit", "x", "--language", "l" * 36], "36 characters"),
        (["submit", "a \udce9"], "UTF-8"),
        (["up", "a \udce9"], "UTF-8"),
        (["cancel", "abcd", "--reason", "r" * 2_001], "2,001 characters"),
        (["init", "--name", ""], "1 to 64 printable"),
        (["init", "--name", "\udce9"], "1 to 64 printable"),
    ],
)
def test_what_no_record_can_carry_is_told_before_anything_starts(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In words for people, at once, and with nothing made on disk."""
    for name in ("HOME", "XDG_CONFIG_HOME", "LEADERLESS_SWARM__STATE_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert "pydantic" not in shown.err
    assert list(tmp_path.iterdir()) == []


def test_options_take_just_what_records_hold() -> None:
    """The bounds that commands tell are those of the records."""

    def fits(body: Callable[[], KnownBody]) -> bool:
        try:
            body()
        except ValueError:
            return False
        return True

    for more in (0, 1):
        word = "w" * (MAX_WORD + more)
        some = ["w"] * (MAX_CAPABILITIES + more)
        language, reason = "l" * (MAX_LANGUAGE + more), "r" * (MAX_REASON + more)
        for body in (
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", name=word),  # noqa: B023
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", capabilities=[word]),  # noqa: B023
            lambda: Presence(stamp=EPOCH, swarm="s", role="r", capabilities=some),  # noqa: B023
            lambda: Goal(stamp=EPOCH, swarm="s", text="t", language=language),  # noqa: B023
            lambda: Cancel(stamp=EPOCH, goal=KEY, reason=reason),  # noqa: B023
        ):
            assert fits(body) == (not more)
    with pytest.raises(click.BadParameter):
        Words(3).convert("four", None, None)
