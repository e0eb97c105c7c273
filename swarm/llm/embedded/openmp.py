"""The OpenMP library that the engine of the embedded model loads, on machines that have none.

The engine's wheel expects the system to provide `libgomp.so.1`. A slim Linux image does not, and
nobody should need root to try the embedded model: `cmeel-libomp` brings LLVM's OpenMP library under
the same name, in a wheel. The dynamic loader reads `LD_LIBRARY_PATH` only when a process starts, so
it has to be set for the process that will load the engine. The system's own library is preferred.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import sys
from pathlib import Path

LIBRARY = "libgomp.so.1"
"""What the engine asks the dynamic loader for."""

PACKAGE = "cmeel-libomp"
"""The package that brings a library of this name."""


def environment() -> dict[str, str]:
    """Return variables to add for a process that loads the engine; none if nothing is missing."""
    folder = None if not sys.platform.startswith("linux") or _system_has_it() else bundled()
    if folder is None:
        return {}
    others = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": f"{folder}:{others}" if others else str(folder)}


def bundled() -> Path | None:
    """Return the folder with the library that a package brought, None without the package."""
    try:
        files = importlib.metadata.files(PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.name == LIBRARY)
    return next((path.parent for path in found if path.is_file()), None)


@functools.cache
def _system_has_it() -> bool:
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True
