"""The lifeline of a process that must not outlive the one that started it.

The starter holds the writing end of a pipe that is the child's standard input. However the starter
exits, even by kill -9, the kernel closes that end and the child reads end-of-file. This works on
every system, without polling and without a process id that could be reused.
"""

from __future__ import annotations

import os
import signal
import threading
import time

GRACE_SECONDS = 5.0
"""How long an orderly exit may take before the process exits immediately."""


def end_when_stdin_closes() -> None:
    """Send this process SIGTERM as soon as its standard input is closed."""
    threading.Thread(target=_watch, name="lifeline", daemon=True).start()


def _watch() -> None:
    try:
        while os.read(0, 1024):
            pass
    except OSError:
        # Closed or unreadable counts as end-of-file: nothing holds the other end.
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        # The whole group, so that what this process started (such as pip) exits too.
        os.killpg(0, signal.SIGTERM)
    else:
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(128 + signal.SIGTERM)
