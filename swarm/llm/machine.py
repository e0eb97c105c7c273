"""What a machine can carry: free memory, cores, and whether it has a graphics processor."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
"""Where Linux (cgroups v2) tells a container its memory."""

DEVICES = ("/dev/nvidiactl", "/dev/kfd")
"""Device files that exist where a graphics processor of Nvidia or AMD can compute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine that runs a model, as far as is known.

    Attributes:
        free_bytes: Memory that can be used, in bytes; 0 if unknown.
        cores: Processor cores that can be used; 0 if unknown.
        accelerated: Whether a graphics processor computes.
    """

    free_bytes: int = 0
    cores: int = 0
    accelerated: bool = False


def this_machine() -> Machine:
    """Return what this machine can carry now."""
    return Machine(
        free_bytes=free_bytes(), cores=usable_cores(), accelerated=_has_graphics_processor()
    )


def usable_cores() -> int:
    """Return how many cores this process may use: in a container often fewer than exist."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def free_bytes(cgroup: Path = CGROUP) -> int:
    """Return the memory that can be used, in bytes: at least 1, and within a container's limit.

    Args:
        cgroup: The folder with the container's limit and use.
    """
    import psutil

    free = psutil.virtual_memory().available
    # No such files: no container. A container without a limit says "max", which is no number.
    with suppress(OSError, ValueError, KeyError):
        limit = int((cgroup / "memory.max").read_text())
        used = int((cgroup / "memory.current").read_text())
        lines = (cgroup / "memory.stat").read_text().splitlines()
        # Files that were read count as used but are given up as soon as memory is needed.
        cached = int(dict(line.split(maxsplit=1) for line in lines)["inactive_file"])
        free = min(free, limit - used + cached)
    return max(free, 1)


def _has_graphics_processor() -> bool:
    if platform.system() == "Darwin":
        return platform.machine() == "arm64"
    return any(os.path.exists(path) for path in DEVICES)
