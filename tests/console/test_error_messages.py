"""What the system refuses becomes a message with an exit code, never a traceback."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest

from swarm.console.command_group import run_group
from tests.console.groups import group, in_trio, raising

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
def test_what_the_system_refuses_becomes_a_message(
    way: Callable[[BaseException], Callable[[], object]],
    error: BaseException,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The message names what failed and where, also from inside a running peer; exit code 3."""
    assert run_group(group(way(error)), "g", ["it"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err) > 20
    for part in (getattr(error, "strerror", None), getattr(error, "filename", None)):
        assert not isinstance(part, str) or part in shown.err


@pytest.mark.parametrize("error", [RuntimeError("a fault"), ValueError("a fault"), KeyError(1)])
@pytest.mark.parametrize("way", [raising, in_trio])
def test_a_defect_keeps_its_traceback(
    way: Callable[[BaseException], Callable[[], object]], error: BaseException
) -> None:
    """An error that the user cannot fix is not turned into a message."""
    with pytest.raises((type(error), ExceptionGroup)):
        run_group(group(way(error)), "g", ["it"])
