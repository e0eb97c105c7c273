"""People are keyed hashes, another in each server."""

from __future__ import annotations

from pathlib import Path

from bot.storage.people import People


def test_people_have_stable_hashes_that_differ_between_servers(tmp_path: Path) -> None:
    """The same person is the same after a restart, and nobody without the key can tell who."""
    path = tmp_path / "people.key"
    people, again, other = People.load(path), People.load(path), People.load(None)
    assert people.hash(1, 2) == again.hash(1, 2)
    assert len({people.hash(1, 2), people.hash(2, 2), people.hash(1, 3), other.hash(1, 2)}) == 4
    assert path.stat().st_mode & 0o077 == 0
