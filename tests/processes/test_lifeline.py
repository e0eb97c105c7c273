"""The lifeline between a process and the one that started it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil

TIMEOUT_SECONDS = 30.0
"""How long the processes may take to exit; a fraction of a second is usual."""


def test_the_lifeline_ends_a_process_and_what_it_started() -> None:
    """When the pipe closes, the child and its own child exit without a signal from here."""
    code = (
        "import subprocess, sys, time\n"
        "from swarm.processes.lifeline import end_when_stdin_closes\n"
        "end_when_stdin_closes()\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        grandchild = psutil.Process(int(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(TIMEOUT_SECONDS) == -signal.SIGTERM
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while grandchild.is_running() and grandchild.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)
