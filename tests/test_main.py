"""`python -m swarm` from its first moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_is_quiet_from_the_first_moment(times: int, tmp_path: Path) -> None:
    """Ctrl-C prints nothing while Python still imports, however often it is pressed."""
    code = (
        "import os, signal, sys, builtins\n"
        # A shell makes background jobs ignore SIGINT, and their children inherit that.
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
