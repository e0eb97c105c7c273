"""Separate virtual environments for what only a benchmark needs.

The frameworks that Leaderless is compared with, and the library that draws charts, are not among
the project's dependencies. Each is installed once, pinned, into the user's cache directory (or
below `LEADERLESS_BENCH_CACHE`), and again when its pins change.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from platformdirs import user_cache_path

PINS: dict[str, tuple[str, ...]] = {
    "charts": ("matplotlib==3.11.2",),
    "langgraph": ("langgraph==1.2.22", "httpx==0.28.1"),
    "autogen": ("autogen-core==0.7.5", "httpx==0.28.1"),
}
"""The packages of each environment."""

INSTALL_SECONDS = 600
"""Seconds that an installation may take. The largest one tried, CrewAI with 750 MB, took 230 s."""


class EnvironmentFailed(Exception):
    """An environment could not be made; the message says why."""


def python(name: str) -> str:
    """Return the interpreter of an environment, making it if need be.

    Raises:
        EnvironmentFailed: It cannot be installed, for example without a network.
    """
    cache = os.environ.get("LEADERLESS_BENCH_CACHE")
    folder = (Path(cache) if cache else user_cache_path("leaderless") / "bench") / name
    interpreter = folder / "bin" / "python"
    pins = "\n".join(PINS[name])
    made = folder / "pins.txt"
    if made.exists() and made.read_text() == pins:
        return str(interpreter)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"Installing {', '.join(PINS[name])} into a separate environment ...", file=sys.stderr)
    try:
        _run("venv", "-q", "--python", sys.executable, str(folder))
        _run("pip", "install", "-q", "--python", str(interpreter), *PINS[name])
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", "") or error).strip().splitlines()
        raise EnvironmentFailed(
            f"{name} could not be installed: {said[-1] if said else 'no reason given'}"
        ) from error
    made.write_text(pins)
    return str(interpreter)


def _run(*arguments: str) -> None:
    """Run uv, which is one of the locked development tools."""
    uv = Path(sys.executable).parent / "uv"
    subprocess.run(
        [str(uv), *arguments], check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS
    )
