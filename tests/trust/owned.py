"""Owned swarms for tests: made in a folder, without any process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from swarm.config import SwarmConfig, SwarmSection, load
from swarm.core.store.store import AddResult, Store
from swarm.trust import folder
from swarm.trust.identity import load_identity, public_key_of
from swarm.trust.invite import Invite
from swarm.trust.membership import Membership
from swarm.trust.owner import owner_of

NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from("🎒🇮🇳दिल्ली東京都支部-_ab\x7f"),
    min_size=1,
    max_size=64,
)
"""Names in any script, some of them invalid."""


def make_swarm(where: Path, name: str = "school") -> SwarmSection:
    """Create an owned swarm and return its owner's configuration."""
    folder.create(where, name)
    return section(where)


def section(where: Path) -> SwarmSection:
    """Return the configuration of the swarm in a folder."""
    return load(SwarmConfig, file=where / "swarm.toml").swarm


def invite(owner: SwarmSection, *roles: str, **more: Any) -> Invite:
    """Invite a peer with some roles into an owner's swarm."""
    return owner_of(owner).invite(roles, swarm_key=owner.key() or "", **more)


def store_of(known: Membership, name: str = "school") -> Store:
    """Return the store of a peer that starts with a membership's grants."""
    store = Store(name, owner=known.owner)
    for raw in known.grants:
        assert store.add(raw, 2**52) is not AddResult.REJECTED
    return store


def author_in(where: Path) -> bytes:
    """Return the author id of the identity in a peer's state directory."""
    return public_key_of(load_identity(where / "identity.key"))
