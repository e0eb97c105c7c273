"""The wheel holds what programs and type checkers need, and none of what they do not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files in a wheel built from this tree, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("leaderless-*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("package", ["swarm", "bot"])
def test_the_wheel_marks_its_packages_as_typed(files: set[str], package: str) -> None:
    """Type checkers read annotations only beside a py.typed (PEP 561)."""
    assert f"{package}/py.typed" in files


def test_the_wheel_has_every_file_of_both_packages(files: set[str]) -> None:
    """Templates, styles and other files beside the modules come along."""
    tracked = subprocess.run(
        ["git", "ls-files", "swarm", "bot"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    present = {name for name in tracked.stdout.splitlines() if (ROOT / name).is_file()}
    assert present - files == set()


def test_the_wheel_has_nothing_else(files: set[str]) -> None:
    """Tests, benchmarks, fuzz targets and tools stay at home."""
    tops = {name.split("/")[0] for name in files}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"swarm", "bot"}
