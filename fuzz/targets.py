"""All fuzz targets by name. Each is imported only on demand, because some import a lot."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

BROKE = "broke-"
"""Prefix of the names of inputs that once broke something; these are never dropped."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a target is, and what it is for.

    Attributes:
        where: Module in this folder, and function.
        decoders: Source files that it should reach; `fuzz.reach` prints the lines that it does
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
            "swarm/core/store/store.py",
            "swarm/core/store/goal_log.py",
            "swarm/core/fold/plan.py",
            "swarm/core/fold/voting.py",
            "swarm/core/fold/claims.py",
            "swarm/core/roster.py",
        ),
    ),
    "frames": Target("network.frames", ("swarm/gossip/frames.py",)),
    "compare": Target("network.compare", ("swarm/gossip/comparison.py",)),
    "sync_stranger": Target("network.stranger", ("swarm/gossip/reconcile.py",)),
    "sync_honest": Target("network.honest", ("swarm/gossip/reconcile.py",)),
    "messages": Target("network.messages", ("swarm/net/streams.py",)),
    "addresses": Target("network.addresses", ("swarm/net/discovery/peer_exchange.py",)),
    "answers": Target(
        "texts.answers", ("swarm/llm/client/parsing.py", "swarm/llm/client/split_checks.py")
    ),
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
        (
            "bot/thread/story.py",
            "bot/views/plan_tree.py",
            "bot/views/splits.py",
            "swarm/cli/views/tree.py",
            "swarm/core/views/plan_view.py",
        ),
    ),
    "config": Target("settings.config", ("swarm/config/loading.py", "swarm/config/errors.py")),
    "options": Target(
        "settings.options",
        ("swarm/config/loading.py", "swarm/config/sections.py", "swarm/config/durations.py"),
    ),
    "invite": Target("trust.invite", ("swarm/trust/invite.py",)),
    "grants": Target("trust.grants", ("swarm/trust/owner.py", "swarm/trust/identity.py")),
    "replica": Target("disk.replica", ("swarm/peer/replica.py",)),
    "journal": Target("disk.journal", ("bot/storage/journal.py",)),
    "book": Target("disk.book", ("swarm/net/discovery/address_book.py",)),
    "reconciler": Target("disk.reconciler", ("bot/thread/reconciler.py",)),
    "rest": Target("wire.rest", (f"{_WIRE}/rules.py",)),
    "gateway": Target("wire.gateway", (f"{_WIRE}/gateway.py", f"{_WIRE}/session.py")),
    "forms": Target("wire.forms", (f"{_WIRE}/bodies.py",)),
    "control": Target(
        "people.control",
        ("bot/playground/control.py", "bot/playground/members.py", "bot/playground/modals.py"),
    ),
    "model_calls": Target("models.calls", ("swarm/llm/embedded/server.py",)),
    "model_replies": Target("models.replies", ("swarm/llm/client/ollama.py",)),
}
"""By name."""


def target(name: str) -> Callable[[bytes], None]:
    """Return a target's function.

    Raises:
        KeyError: There is no target of that name.
    """
    module, _, function = TARGETS[name].where.partition(".")
    found: Callable[[bytes], None] = getattr(importlib.import_module(f"fuzz.{module}"), function)
    return found


def inputs(name: str) -> list[Path]:
    """Return the inputs kept for a target."""
    return sorted(path for path in (CORPUS / name).glob("*") if path.is_file())
