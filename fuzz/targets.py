"""All fuzz targets by name. Each is imported only when it is asked for: some pull in much."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

BROKE = "broke-"
"""How the names of inputs begin that once broke something; they are never dropped."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a target is, and what it is for.

    Attributes:
        where: module in this folder, and function.
        decoders: source files that it is to reach; `fuzz.reach` says which of their lines it does
            not.
    """

    where: str
    decoders: tuple[str, ...]


_WIRE = "bot/playground/wire"

TARGETS = {
    "record": Target("records.read", ("swarm/core/records.py", "swarm/core/policy.py")),
    "fold": Target(
        "records.fold",
        (
            "swarm/core/store.py",
            "swarm/core/log.py",
            "swarm/core/plan.py",
            "swarm/core/voting.py",
            "swarm/core/work.py",
            "swarm/core/roster.py",
        ),
    ),
    "frames": Target("network.frames", ("swarm/net/frames.py",)),
    "compare": Target("network.compare", ("swarm/net/compare.py",)),
    "sync_stranger": Target("network.stranger", ("swarm/net/reconcile.py",)),
    "sync_honest": Target("network.honest", ("swarm/net/reconcile.py",)),
    "messages": Target("network.messages", ("swarm/net/messages.py",)),
    "addresses": Target("network.addresses", ("swarm/net/exchange.py",)),
    "answers": Target("texts.answers", ("swarm/llm/parsing.py", "swarm/llm/checks.py")),
    "rendering": Target(
        "texts.rendering",
        (
            "bot/rendering/blocks.py",
            "bot/rendering/escape.py",
            "bot/rendering/fitting.py",
            "bot/rendering/inline.py",
            "bot/rendering/packing.py",
        ),
    ),
    "story": Target(
        "stories.told",
        ("bot/story.py", "bot/tree.py", "bot/splits.py", "swarm/cli/tree.py", "swarm/core/view.py"),
    ),
    "config": Target("settings.config", ("swarm/config/loading.py", "swarm/config/errors.py")),
    "options": Target(
        "settings.options",
        ("swarm/config/loading.py", "swarm/config/sections.py", "swarm/config/durations.py"),
    ),
    "invite": Target("trust.invite", ("swarm/invite.py",)),
    "grants": Target("trust.grants", ("swarm/trust.py", "swarm/identity.py")),
    "replica": Target("disk.replica", ("swarm/replica.py",)),
    "journal": Target("disk.journal", ("bot/journal.py",)),
    "book": Target("disk.book", ("swarm/net/address_book.py",)),
    "ledger": Target("disk.ledger", ("bot/ledger.py",)),
    "rest": Target("wire.rest", (f"{_WIRE}/rules.py",)),
    "gateway": Target("wire.gateway", (f"{_WIRE}/gateway.py", f"{_WIRE}/session.py")),
    "forms": Target("wire.forms", (f"{_WIRE}/forms.py",)),
    "control": Target(
        "people.control",
        ("bot/playground/control.py", "bot/playground/acting.py", "bot/playground/forms.py"),
    ),
    "model_calls": Target("models.calls", ("swarm/llm/server.py",)),
    "model_replies": Target("models.replies", ("swarm/llm/chat.py",)),
}
"""By name."""


def target(name: str) -> Callable[[bytes], None]:
    """Return a target's function.

    Raises:
        KeyError: there is none of that name.
    """
    module, _, function = TARGETS[name].where.partition(".")
    found: Callable[[bytes], None] = getattr(importlib.import_module(f"fuzz.{module}"), function)
    return found


def inputs(name: str) -> list[Path]:
    """Return the inputs kept for a target."""
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
