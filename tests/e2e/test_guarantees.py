"""docs/guarantees.md names tests and scenarios that exist."""

from __future__ import annotations

import re
from pathlib import Path

from swarm.sim.scenarios.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")


def test_every_test_that_is_named_exists() -> None:
    """Every test that the document names exists."""
    named = re.findall(r"`([a-z0-9_]+/[\w/]*(?:\.py)?)(?:::(\w+))?`", PAGE)
    tests = [
        (path, test) for path, test in named if path.partition("/")[0] not in ("swarm", "tests")
    ]
    assert len(tests) > 40
    for path, test in tests:
        file = ROOT / "tests" / path
        assert file.exists(), path
        assert not test or f"def {test}(" in file.read_text(encoding="utf-8"), f"{path}::{test}"
    source = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("test_*.py"))
    for test in re.findall(r"`…::(\w+)`", PAGE):
        assert f"def {test}(" in source, test


def test_every_scenario_that_is_named_exists() -> None:
    """Every scenario in the last column of the promises exists."""
    promises = PAGE.partition("## Promises")[2].partition("## Known failings")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for row in rows:
        for name in re.findall(r"`([a-z-]+)`", row.rstrip(" |").rpartition("|")[2]):
            assert name in SCENARIOS, name
