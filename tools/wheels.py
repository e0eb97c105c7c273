"""Name the wheels behind the hashes of the lock, to tell what installs without a compiler.

    python -m tools.wheels pylock.toml > requirements/wheels.txt        (`make lock` does)

requirements/*.txt holds hashes without file names, so nobody can see from it which of them are
wheels, or for which machine. This reads the same resolution as a pylock.toml, and writes one line
`SHA256  FILE NAME` for each wheel that pip would choose on a supported machine.
`tests/project/test_lock.py` holds the lock and the list against each other.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename

PYTHONS = ((3, 11), (3, 12), (3, 13))
"""Supported Pythons; `requires-python` in pyproject.toml states the same."""

OLDEST_GLIBC = 28
"""Minor version of the oldest supported glibc 2: Debian 10, RHEL 8, Ubuntu 20.04."""

OLDEST_MACOS = (13, 0)
"""The oldest supported macOS: what the embedded model's engine is built for."""

FROM_SOURCE = {"python-baseconv", "varint"}
"""Locked packages without any wheel. Both are one file of pure Python: pip makes their wheels with
setuptools alone, which `.ci/run` proves by installing with compilers that fail."""


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of machine that the lock must install on, with one Python."""

    name: str
    """As a person would name it, such as "Linux x86_64, Python 3.11"."""
    tags: tuple[Tag, ...]
    """The wheel tags that pip accepts there, best first."""
    environment: Mapping[str, str]
    """Values of environment markers (PEP 508)."""


def targets() -> Iterator[Target]:
    """Every supported machine with every supported Python."""
    for python in PYTHONS:
        for machine in ("x86_64", "aarch64"):
            yield _target(f"Linux {machine}", python, "linux", machine, _glibc(machine))
        mac = tuple(mac_platforms(OLDEST_MACOS, "arm64"))
        yield _target("macOS arm64", python, "darwin", "arm64", mac)


def _glibc(machine: str) -> tuple[str, ...]:
    newest_first = (f"manylinux_2_{minor}_{machine}" for minor in range(OLDEST_GLIBC, 4, -1))
    aliases = ("manylinux2014", "manylinux2010", "manylinux1")
    return (*newest_first, *(f"{alias}_{machine}" for alias in aliases))


def _target(
    machine: str, python: tuple[int, int], platform: str, processor: str, wheels: tuple[str, ...]
) -> Target:
    version = ".".join(map(str, python))
    interpreter = f"cp{python[0]}{python[1]}"
    accepted = chain(
        cpython_tags(python, platforms=wheels), compatible_tags(python, interpreter, wheels)
    )
    return Target(
        f"{machine}, Python {version}",
        tuple(accepted),
        {
            "python_version": version,
            "python_full_version": f"{version}.4",
            "sys_platform": platform,
            "platform_system": platform.capitalize(),
            "platform_machine": processor,
            "os_name": "posix",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
        },
    )


def wanted(marker: str | None, target: Target) -> bool:
    """Whether a locked package with this marker is installed on a target."""
    return marker is None or Marker(marker).evaluate(dict(target.environment))


def choose(names: Iterable[str], target: Target) -> str | None:
    """Return the file name of the wheel that pip would install on a target, None without one."""
    rank = {tag: position for position, tag in enumerate(target.tags)}
    ranked = (
        (min((rank[tag] for tag in parse_wheel_filename(name)[3] if tag in rank), default=-1), name)
        for name in names
    )
    fitting = [(best, name) for best, name in ranked if best >= 0]
    return min(fitting)[1] if fitting else None


def _wheels(package: Mapping[str, Any]) -> dict[str, str]:
    """File name to SHA-256 of a package's wheels in a pylock.toml."""
    return {
        str(wheel.get("name") or wheel["url"].rpartition("/")[2]): str(wheel["hashes"]["sha256"])
        for wheel in package.get("wheels", [])
    }


def main() -> int:
    """Print the list, or say which package has no wheel for which target."""
    packages = tomllib.loads(Path(sys.argv[1]).read_text())["packages"]
    listed: dict[str, str] = {}
    missing: list[str] = []
    for package in packages:
        wheels = _wheels(package)
        for target in targets():
            if not wanted(package.get("marker"), target):
                continue
            if chosen := choose(wheels, target):
                listed[chosen] = wheels[chosen]
            elif package["name"] not in FROM_SOURCE:
                missing.append(f"{package['name']} {package['version']}: {target.name}")
    for name, digest in sorted(listed.items(), key=lambda item: item[0].lower()):
        sys.stdout.write(f"{digest}  {name}\n")
    if missing:
        sys.stderr.write("No wheel, so a compiler would be needed:\n  " + "\n  ".join(missing))
        sys.stderr.write("\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
