"""One rule for all files that hold a secret: a file that other users can open is not used.

The rule is for the owner's key, peers' identities, the swarm key, and the key with which the bot
hashes people's ids. A file that others could read may have been read, so it is not repaired
silently: a person decides.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

OTHERS = 0o077
"""Permission bits of a file's group and of everybody else."""


def exposure(path: Path, what: str) -> str:
    """Return why a secret file must not be used, with what to do; empty if it may be used.

    Args:
        path: the file.
        what: what it holds, for the message, such as "the owner's key".

    Raises:
        OSError: the file cannot be looked at.
    """
    if os.name != "posix" or not stat.S_IMODE(path.stat().st_mode) & OTHERS:
        return ""
    return f"Other users can read {what} {path}. If no one has: chmod 600 {shlex.quote(str(path))}"
