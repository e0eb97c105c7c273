"""How the bot's own peer runs in an owned swarm."""

from __future__ import annotations

from pathlib import Path

from bot.app.run import peer_settings
from bot.config import read
from swarm.core.store.store import Store
from swarm.trust import folder
from swarm.trust.identity import load_identity, public_key_of


def test_the_owners_bot_is_granted_its_role(tmp_path: Path) -> None:
    """The bot on the owner's machine starts with a grant for its own identity: its goals count."""
    folder.create(tmp_path / "owner", "leaderless")
    config = read({}, str(tmp_path / "owner/swarm.toml"))
    settings = peer_settings(config)
    store = Store("leaderless", owner=settings.owner)
    for raw in settings.grants:
        store.add(raw, 2**52)
    assert settings.state_dir is not None
    author = public_key_of(load_identity(settings.state_dir / "identity.key"))
    assert store.roster.has_role(author, "submitter", 2**51)
    assert not store.roster.has_role(author, "scorer", 2**51)
