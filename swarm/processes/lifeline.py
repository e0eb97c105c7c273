"""The lifeline of a process that must not outlive the one that started it.

The starter holds the writing end of a pipe that is the child's standard input. However the starter
ends, kill -9 included, the kernel closes that end and the child reads the end of the file. This
needs nothing of one system only, no polling, and no process id that could be reused.
"""

from __future__ import annotations

import os
import signal
import threading
import time

GRACE_SECONDS = 5.0
"""How long the ordinary way out may take before the process is ended on the spot."""


def end_when_stdin_closes() -> None:
    """From now on, end this process as SIGTERM would once standard input is closed."""
    threading.Thread(target=_watch, name="lifeline", daemon=True).start()


def _watch() -> None:
    try:
        while os.read(0, 1024):
            pass
    except OSError:
        # Closed or unreadable is as good as at its end: nobody holds the line.
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        # What this process started (such as pip) goes with it.
        os.killpg(0, signal.SIGTERM)
    else:
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(128 + signal.SIGTERM)
