"""Virtual environments of their own for what a benchmark needs and the project does not.

Frameworks that we are compared with, and the library that draws charts, never enter our own
dependencies. Each is installed once, pinned, into the user's cache directory (or below
`LEADERLESS_BENCH_CACHE`), and anew when the pins change.
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
"""What is installed where."""

INSTALL_SECONDS = 600
"""How long an installation may take: the largest, CrewAI with 750 MB, took 230 s."""


class EnvironmentFailed(Exception):
    """An environment could not be made; the text says why."""


def python(name: str) -> str:
    """Return the interpreter of an environment, making it if need be.

    Raises:
        EnvironmentFailed: it cannot be installed, for example without a network.
    """
    cache = os.environ.get("LEADERLESS_BENCH_CACHE")
    folder = (Path(cache) if cache else user_cache_path("leaderless") / "bench") / name
    interpreter = folder / "bin" / "python"
    pins = "\n".join(PINS[name])
    made = folder / "pins.txt"
    if made.exists() and made.read_text() == pins:
        return str(interpreter)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"Installing {', '.join(PINS[name])} into an environment of its own ...", file=sys.stderr)
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
    """Run uv, which is locked among our own tools."""
    uv = Path(sys.executable).parent / "uv"
    subprocess.run(
        [str(uv), *arguments], check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS
    )
