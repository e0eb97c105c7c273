"""docs/bot.md agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"`([a-z_/]+\.py)::(test_\w+)`")


def test_every_complaint_names_tests_that_exist() -> None:
    """Every test named in the table exists."""
    named = TEST.findall((ROOT / "docs" / "bot.md").read_text(encoding="utf-8"))
    assert len(named) > 15
    for file, test in named:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert f"def {test}(" in text, f"{file}::{test}"
