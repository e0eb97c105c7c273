"""The embedded model runs on a machine without the OpenMP library that its engine asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from swarm.llm.embedded import openmp

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux wheels need it")


def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the machine one without the library."""
    monkeypatch.setattr(openmp, "_system_has_it", lambda: False)


def test_the_library_of_the_system_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has the library, the environment stays as it is."""
    monkeypatch.setattr(openmp, "_system_has_it", lambda: True)
    assert openmp.environment() == {}


@linux
def test_the_bundled_library_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, the loader finds the package's first, then what the user named."""
    missing(monkeypatch)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/theirs")
    first, rest = openmp.environment()["LD_LIBRARY_PATH"].split(":")
    assert (Path(first) / openmp.LIBRARY).is_file()
    assert rest == "/opt/theirs"


def test_without_the_package_nothing_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """With neither, the engine's own error stays the answer."""
    missing(monkeypatch)
    monkeypatch.setattr(openmp, "PACKAGE", "no-such-package-at-all")
    assert openmp.environment() == {}


@linux
def test_the_engine_loads_with_the_bundled_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process with these variables imports the engine, and maps the package's library."""
    missing(monkeypatch)
    added = openmp.environment()
    probe = "import xllamacpp; print(open('/proc/self/maps').read())"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env=os.environ | added,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{openmp.bundled()}/{openmp.LIBRARY}" in done.stdout
