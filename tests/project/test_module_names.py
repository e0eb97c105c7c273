"""Names of modules in texts: a moved module must not live on in a string or a document."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.config import BotSection
from swarm.config.sections import SwarmSection

ROOT = Path(__file__).parents[2]
TOPS = (ROOT, ROOT / "tests")
"""What paths are relative to: documents name tests below `tests/`."""

CODE = ("swarm", "bot", "benchmarks", "fuzz", "tests")
DOTTED = re.compile(r"(?<![\w./-])(?:swarm|bot)(?:\.[a-zA-Z_]\w*)+(?![\w*(/-]|\.\w)")
PATHS = re.compile(
    r"(?<![\w./-])(?:swarm|bot|benchmarks|fuzz|tests)/[\w/-]+\.(?:py|typ|js|css|html|toml)\b"
)
SETTINGS = {"swarm": SwarmSection.model_fields, "bot": BotSection.model_fields}
"""Keys of the configuration are written alike: `swarm.swarm_key_file`."""

NOT_MODULES = re.compile(r"\.(toml|example|sqlite3|log|lock|pid|md|json|py|local|key)$")
"""Ends of names of files and hosts, which look alike."""


def texts() -> Iterator[tuple[str, str]]:
    """Yield (file, text) of every string constant of the code, and of every document."""
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.name == "test_module_names.py":
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "pyproject.toml"]:
        yield str(path.relative_to(ROOT)), path.read_text()


def exists(name: str) -> bool:
    """Return whether a dotted name is a module, something in one, or a key of the configuration."""
    parts = name.split(".")
    if parts[1] in SETTINGS[parts[0]]:
        return True
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            continue
        if found is None:
            continue
        value: object = importlib.import_module(module)
        for attribute in parts[length:]:
            if attribute in getattr(value, "__annotations__", {}):
                return True
            if not hasattr(value, attribute):
                return False
            value = getattr(value, attribute)
        return True
    return False


@pytest.mark.parametrize("pattern", [DOTTED, PATHS], ids=["dotted", "paths"])
def test_every_module_named_in_a_text_exists(pattern: re.Pattern[str]) -> None:
    """A string, docstring or document names only modules and files that are there."""
    missing = sorted(
        f"{where}: {name}"
        for where, text in texts()
        for name in set(pattern.findall(text))
        if not NOT_MODULES.search(name) or pattern is PATHS
        if not (exists(name) if pattern is DOTTED else any((top / name).exists() for top in TOPS))
    )
    assert missing == []
