"""The lock installs without a compiler on every supported machine.

requirements/wheels.txt names the files behind the lock's hashes (`tools/wheels.py`), so the main
suite can tell this without a network. The slow test asks the package index itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename

from tools.wheels import FROM_SOURCE, PYTHONS, Target, choose, targets, wanted

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
LOCKS = ("run.txt", "dev.txt", "build.txt")
TARGETS = list(targets())


@dataclass(frozen=True)
class Locked:
    """One package of a lock."""

    name: str
    version: str
    marker: str | None
    hashes: frozenset[str]


def read_lock(name: str) -> list[Locked]:
    """Return the packages of requirements/NAME."""
    found = []
    for entry in re.split(r"\n(?=\S)", (REQUIREMENTS / name).read_text()):
        head = re.match(r"([\w.-]+)==(\S+)(?: ; ([^\\]+))? \\", entry)
        assert head, entry
        hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
        marker = head[3].strip() if head[3] else None
        found.append(Locked(head[1], head[2], marker, hashes))
    return found


def read_wheels() -> dict[str, dict[str, str]]:
    """Return file name to SHA-256 of the listed wheels, by package."""
    listed: dict[str, dict[str, str]] = {}
    for line in (REQUIREMENTS / "wheels.txt").read_text().splitlines():
        digest, name = line.split("  ")
        listed.setdefault(parse_wheel_filename(name)[0], {})[name] = digest
    return listed


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_wheel(lock: str, target: Target) -> None:
    """Each package of the lock has a wheel for the machine, with a hash that the lock accepts."""
    wheels = read_wheels()
    lacking = []
    for package in read_lock(lock):
        if not wanted(package.marker, target) or package.name in FROM_SOURCE:
            continue
        listed = wheels.get(canonicalize_name(package.name), {})
        fitting = {
            name: digest
            for name, digest in listed.items()
            if digest in package.hashes and str(parse_wheel_filename(name)[1]) == package.version
        }
        if choose(fitting, target) is None:
            lacking.append(f"{package.name} {package.version}")
    assert lacking == []


def test_a_package_without_a_wheel_is_found() -> None:
    """A wheel for another Python, processor or system does not count."""
    target = next(t for t in TARGETS if t.name == "Linux x86_64, Python 3.12")
    fits = "x-1-cp312-cp312-manylinux_2_17_x86_64.whl"
    others = [
        "x-1-cp313-cp313-manylinux_2_17_x86_64.whl",
        "x-1-cp312-cp312-manylinux_2_17_aarch64.whl",
        "x-1-cp312-cp312-macosx_11_0_arm64.whl",
        "x-1-cp312-cp312-manylinux_2_40_x86_64.whl",
    ]
    assert choose(others, target) is None
    assert choose([*others, fits], target) == fits


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_leaves_out_fastecdsa(lock: str) -> None:
    """The one dependency of libp2p that needs a compiler stays out (`patches/no_ecdsa.py`)."""
    assert "fastecdsa" not in {package.name for package in read_lock(lock)}


def test_both_locks_agree() -> None:
    """What runs is tested: each package of run.txt stands in dev.txt with the same version."""
    tested = {package.name: package.version for package in read_lock("dev.txt")}
    differing = [p.name for p in read_lock("run.txt") if tested.get(p.name) != p.version]
    assert differing == []


def test_the_supported_pythons_are_stated_alike() -> None:
    """pyproject.toml, the Makefile and the list of wheels name the same Pythons."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = SpecifierSet(project["requires-python"])
    assert [m for m in range(8, 20) if f"3.{m}.1" in allowed] == [minor for _, minor in PYTHONS]
    first, last = PYTHONS[0], PYTHONS[-1]
    assert (
        f"SUPPORTED := {first} <= sys.version_info[:2] <= {last}" in (ROOT / "Makefile").read_text()
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_index_has_a_wheel_for_every_locked_package(target: Target, tmp_path: Path) -> None:
    """Pip finds each hash-checked wheel in its index; it downloads nothing but metadata."""
    lock = tmp_path / "lock.txt"
    entries = re.split(r"\n(?=\S)", (REQUIREMENTS / "dev.txt").read_text())
    # pip judges markers by the machine that it runs on, so they are judged here.
    lock.write_text(
        "\n".join(
            re.sub(r" ; [^\\]+", " ", entry)
            for entry, package in zip(entries, read_lock("dev.txt"), strict=True)
            if wanted(package.marker, target) and package.name not in FROM_SOURCE
        )
    )
    platforms = dict.fromkeys(tag.platform for tag in target.tags if tag.platform != "any")
    version = target.environment["python_version"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--require-hashes", "-q"]
        + ["--only-binary=:all:", "--implementation=cp", f"--python-version={version}"]
        + [f"--platform={platform}" for platform in platforms]
        + ["--target", str(tmp_path / "unused"), "-r", str(lock)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
