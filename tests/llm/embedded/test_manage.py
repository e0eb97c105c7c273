"""What `swarm model` does with the embedded model."""

from __future__ import annotations

from pathlib import Path

import pytest

from swarm.llm.embedded import weights
from swarm.llm.embedded.manage import list_models
from swarm.llm.settings import ModelSettings


def test_the_list_says_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On an empty cache nothing is present, and the default is marked."""
    monkeypatch.setenv(weights.CACHE_VARIABLE, str(tmp_path))
    entries = {entry.name: entry for entry in list_models(ModelSettings())}
    assert not any(entry.present for entry in entries.values())
    assert [name for name, entry in entries.items() if entry.chosen] == ["qwen2.5-coder-1.5b"]
