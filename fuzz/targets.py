"""All fuzz targets by name. Each is imported only when it is asked for: some pull in much."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

TARGETS = {
    "record": "records.read",
    "fold": "records.fold",
    "frames": "network.frames",
    "sync_stranger": "network.stranger",
    "sync_honest": "network.honest",
    "addresses": "network.addresses",
    "answers": "texts.answers",
    "rendering": "texts.rendering",
    "config": "settings.config",
    "invite": "settings.invite",
    "rest": "wire.rest",
    "gateway": "wire.gateway",
    "forms": "wire.forms",
    "control": "wire.control",
    "model_calls": "wire.model_calls",
}
"""Name of the target: module and function in this folder."""


def target(name: str) -> Callable[[bytes], None]:
    """Return a target's function.

    Raises:
        KeyError: there is none of that name.
    """
    module, _, function = TARGETS[name].partition(".")
    found: Callable[[bytes], None] = getattr(importlib.import_module(f"fuzz.{module}"), function)
    return found


def inputs(name: str) -> list[Path]:
    """Return the inputs kept for a target."""
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
