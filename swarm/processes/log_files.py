"""Log files of processes that we start: they outlive a run, and do not grow forever."""

from __future__ import annotations

from pathlib import Path
from typing import IO

LOG_LIMIT = 5_000_000
"""Size in bytes from which a log is put aside when its process starts again."""


def open_log(path: Path) -> IO[bytes]:
    """Open a log for appending; a large one becomes `NAME.1`, in place of an older one.

    So what an earlier run said is still there when somebody looks for the reason of its end.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_name(f"{path.name}.1"))
    return path.open("ab")
