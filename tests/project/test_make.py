"""`make` refuses in plain words what cannot work, and takes half an environment for none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="there is no make")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What `make setup` needs of a fresh clone."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    return folder


def make(clone: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run make in a clone, with an index that nobody serves."""
    unreachable = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }
    return subprocess.run(
        ["make", "-C", str(clone), *arguments],
        env={k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "MAKE"))}
        | unreachable
        | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def python_of_version(folder: Path, version: str) -> Path:
    """Make an interpreter that says it is of this version."""
    program = folder / "python"
    major, minor, _ = version.split(".")
    program.write_text(
        "#!/bin/sh\n"
        f'case "$1" in --version) echo Python {version}; exit 0;; esac\n'
        "shift\n"
        f'exec "{sys.executable}" -c "import sys; sys.version_info = ({major}, {minor}, 0); $1"\n'
    )
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("version", ["3.10.13", "3.14.2"])
def test_other_pythons_are_refused(clone: Path, tmp_path: Path, version: str) -> None:
    """A Python for which not every dependency has a wheel is refused, with how to name another."""
    done = make(clone, "setup", f"PYTHON={python_of_version(tmp_path, version)}")
    assert done.returncode == 2
    assert "Leaderless runs on Python 3.11, 3.12 and 3.13" in done.stdout
    assert f"is Python {version}." in done.stdout
    assert "make PYTHON=python3.12 setup" in done.stdout
    assert not (clone / ".venv").exists()


def test_a_missing_python_is_named(clone: Path) -> None:
    """A Python that is not there is named, not a traceback of the shell alone."""
    done = make(clone, "setup", "PYTHON=python3.99")
    assert done.returncode == 2
    assert "Leaderless runs on Python 3.11, 3.12 and 3.13" in done.stdout


def test_an_installation_cut_short_is_not_taken_for_a_whole_one(clone: Path) -> None:
    """Without the package index make says so, every time, and never goes on to the command."""
    for _ in range(2):
        done = make(clone, "run", f"PYTHON={sys.executable}")
        assert done.returncode == 2
        assert "The dependencies could not be installed" in done.stdout
        assert "check the network" in done.stdout
        assert not (clone / ".venv" / ".installed").exists()


def test_half_a_virtual_environment_is_made_again(clone: Path) -> None:
    """An environment without pip, as Debian leaves without python3-venv, is replaced."""
    folder = clone / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    done = make(clone, "setup", f"PYTHON={sys.executable}")
    assert "The dependencies could not be installed" in done.stdout
    assert (
        subprocess.run([folder / "bin" / "python", "-c", "import pip"], check=False).returncode == 0
    )
