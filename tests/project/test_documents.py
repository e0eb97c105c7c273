"""What the documents for contributors name is there, and nothing tracked names what it must not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
)


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page: str) -> None:
    """A link to a file of the repository names one that exists."""
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not ((ROOT / page).parent / link).exists()] == []


def test_every_room_in_the_guide_exists() -> None:
    """Each path that CONTRIBUTING.md names is a file or folder of the repository."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(r"`((?:swarm|bot|tests|docs|config|requirements)/[\w/.]*)`", text)
    named += re.findall(r"pytest (\S+\.py)", text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_make_target_in_the_guide_exists(page: str) -> None:
    """Each `make TARGET` that the page names is in the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / page).read_text()))
    commands = {name for name in named if f"`make {name}" in (ROOT / page).read_text()}
    assert commands
    assert commands - targets == set()


def test_the_hooks_are_tools_of_the_lock() -> None:
    """Each pre-commit hook runs a program that the lock installs, so it needs no network."""
    entries = re.findall(r"entry: \.venv/bin/(\S+)", (ROOT / ".pre-commit-config.yaml").read_text())
    locked = (ROOT / "requirements" / "dev.txt").read_text()
    assert set(entries) == {"ruff", "codespell", "mypy"}
    assert [tool for tool in entries if f"\n{tool}==" not in locked] == []


def test_no_file_names_a_package_index() -> None:
    """The lock and the documents work with whichever index pip is set up for."""
    index = "|".join(["pypi[.]org", "python" + "hosted[.]org", "registry[.]npm" + "js"])
    found = subprocess.run(
        ["git", "grep", "-lE", index], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode > 1:
        pytest.skip("not a git checkout")
    assert found.stdout == ""
