"""Folders of owned swarms: creating, joining, and who can read what is in them."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings

from swarm.config import SwarmSection
from swarm.core.records import decode
from swarm.trust import folder
from swarm.trust.grants import BadNameError, TrustError, now_ms, roster_of
from swarm.trust.identity import folder_of, load_identity, write_secret
from swarm.trust.invite import is_name
from swarm.trust.membership import membership, names_granted
from swarm.trust.owner import owner_of
from tests.trust.owned import NAMES, author_in, invite, make_swarm, section, store_of


def test_secrets_are_readable_by_their_user_only(tmp_path: Path) -> None:
    """Every file of an owned swarm has mode 0600 and every folder 0700, whatever the umask."""
    old = os.umask(0)
    try:
        owner = make_swarm(tmp_path / "owner")
        membership(owner, "scorer", owner.state_dir / "peers" / "scorer-1")
        guest = invite(owner, "scorer", "submitter")
        folder.join(guest, tmp_path / "guest")
    finally:
        os.umask(old)
    secret = {"owner.key", "swarm.key", "grants", "identity.key", "swarm.toml"}
    seen = set()
    for root in (tmp_path / "owner", tmp_path / "guest"):
        assert stat.S_IMODE(root.stat().st_mode) == 0o700
        for path in root.rglob("*"):
            if path.name in secret:
                seen.add(path.name)
                assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert seen == secret


def test_nothing_is_ever_overwritten(owned: SwarmSection, tmp_path: Path) -> None:
    """A second init, and joining another swarm or as another peer, change no byte."""
    other = invite(make_swarm(tmp_path / "other"), "scorer")
    first, second = invite(owned, "scorer", name="a"), invite(owned, "scorer", name="b")
    folder.join(first, tmp_path / "guest")

    def files() -> dict[Path, bytes]:
        return {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}

    assert owned.grants_file is not None
    before = files()
    with pytest.raises(TrustError, match="already"):
        folder.create(tmp_path / "owner", "school")
    with pytest.raises(TrustError, match="another swarm"):
        folder.join(other, tmp_path / "guest")
    with pytest.raises(TrustError, match="another swarm"):
        folder.join(first, tmp_path / "other")
    # The same name for another key, as after a revocation.
    owner_of(owned).revoke(owner_of(owned).find("a"))
    again = invite(owned, "scorer", name="a")
    before[owned.grants_file] = owned.grants_file.read_bytes()
    with pytest.raises(TrustError, match="another identity"):
        folder.join(again, tmp_path / "guest")
    now = files()
    assert {path: now[path] for path in before} == before
    # The same swarm accepts another peer, and using the same invite twice changes nothing.
    folder.join(second, tmp_path / "guest")
    folder.join(second, tmp_path / "guest")
    assert names_granted(section(tmp_path / "guest"), "scorer") == ["b", "a"]


def test_a_failed_init_leaves_nothing(tmp_path: Path) -> None:
    """If one file cannot be written, none is, and the message names it and says what to do."""
    real = write_secret

    def full(path: Path, data: bytes) -> None:
        if path.name == "swarm.toml":
            raise OSError(28, "No space left on device")
        real(path, data)

    with (
        mock.patch.object(folder, "write_secret", full),
        pytest.raises(TrustError, match=r"swarm\.toml cannot be written: No space.*--dir"),
    ):
        folder.create(tmp_path / "x", "school")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    folder.create(tmp_path / "x", "school")


def test_a_joined_peer_has_the_granted_roles_and_no_others(
    owned: SwarmSection, tmp_path: Path
) -> None:
    """Peers that hold the joined peer's grants count it in its roles only."""
    guest = invite(owned, "scorer", "submitter", name="attic")
    places = folder.join(guest, tmp_path / "guest")
    joined = section(tmp_path / "guest")
    assert joined.owner_key_file is None
    assert joined.key() == owned.key()
    roster = store_of(membership(joined, "scorer", places[0].parent)).roster
    now = 2**51
    assert roster.has_role(guest.author, "scorer", now)
    assert roster.has_role(guest.author, "submitter", now)
    assert not roster.has_role(guest.author, "executor", now)
    assert {author_in(path.parent) for path in places} == {guest.author}
    assert [path.parent.name for path in places] == ["attic", "submitter", "bot"]


@settings(max_examples=40, deadline=None)
@given(NAMES, NAMES)
def test_any_name_is_refused_or_makes_a_swarm_that_opens(swarm: str, peer: str) -> None:
    """Names with emoji and in all scripts survive `init` and `join` and reading them back."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        if not is_name(swarm):
            with pytest.raises(BadNameError):
                folder.create(place / "o", swarm)
            return
        folder.create(place / "o", swarm)
        own = section(place / "o")
        assert own.name == swarm
        owner = owner_of(own)
        if is_name(peer):
            guest = owner.invite(["scorer"], name=peer, swarm_key=own.key() or "")
            folder.join(guest, place / "g")
            assert section(place / "g").name == swarm
            assert names_granted(section(place / "g"), "scorer") == [peer]


def test_the_folder_of_an_earlier_version_is_kept(tmp_path: Path) -> None:
    """A peer keeps its key; another with a similar name gets a folder of its own by joining."""
    folder.create(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = owner_of(own)
    first = owner.invite(["scorer"], name="東京都支部", swarm_key=own.key() or "")
    second = owner.invite(["scorer"], name="東京都本部", swarm_key=own.key() or "")
    peers = tmp_path / "g/state/peers"
    (place,) = folder.join(first, tmp_path / "g")
    earlier = peers / f"------{first.name.encode().hex()[:16]}"
    place.parent.rename(earlier)
    assert folder_of(peers, first.name) == earlier
    assert folder.join(first, tmp_path / "g") == [earlier / "identity.key"]
    (own_place,) = folder.join(second, tmp_path / "g")
    assert own_place.parent != earlier
    assert set(names_granted(section(tmp_path / "g"), "scorer")) == {first.name, second.name}


def test_swarms_whose_names_begin_alike_have_a_folder_each(tmp_path: Path) -> None:
    """Two swarms with similar names never share a folder, even beside one of an earlier version."""
    one, two = "東京都支部", "東京都本部"
    earlier = tmp_path / f"------{one.encode().hex()[:16]}"
    folder.create(earlier, one)
    assert folder.default_folder(tmp_path, one) == earlier
    folder.create(folder.default_folder(tmp_path, two), two)
    assert section(folder.default_folder(tmp_path, two)).name == two


def test_after_a_revocation_a_peer_can_be_invited_again(tmp_path: Path) -> None:
    """With `replace` the old identity is renamed beside the new one, and nothing is lost."""
    folder.create(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = owner_of(own)
    key = own.key() or ""
    for place in ("o", "g"):
        first = owner.invite(["executor", "submitter"], name=f"at-{place}", swarm_key=key)
        folder.join(first, tmp_path / place)
        owner.revoke(owner.find(first.name))
        again = owner.invite(["executor", "submitter"], name=first.name, swarm_key=key)
        with pytest.raises(TrustError, match="--replace"):
            folder.join(again, tmp_path / place)
        places = folder.join(again, tmp_path / place, replace=True)
        assert {path.read_bytes() for path in places} == {again.identity}
        aside = [path for own in places for path in own.parent.glob("identity.key.old-*")]
        assert [path.read_bytes() for path in aside] == [first.identity] * 3
        known = membership(section(tmp_path / place), "executor", places[0].parent)
        roster = roster_of(map(decode, known.grants), owner.public)
        assert roster.has_role(again.author, "executor", now_ms())


def test_a_join_that_fails_changes_nothing(tmp_path: Path) -> None:
    """Unusable grants and an unreadable identity are found before anything is written."""
    folder.create(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    guest = owner_of(own).invite(["scorer"], name="x", swarm_key=own.key() or "")
    for name, said_of in (("grants", "grants file"), ("state/peers/x/identity.key", "read")):
        place = tmp_path / name.replace("/", "-")
        target = place / name
        target.parent.mkdir(parents=True, mode=0o700)
        if name == "grants":
            target.write_text("no grant\n")
        else:
            target.mkdir()
        before = sorted(place.rglob("*"))
        with pytest.raises(TrustError, match=said_of):
            folder.join(guest, place)
        assert sorted(place.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_folders_for_keys_are_closed_to_others(tmp_path: Path) -> None:
    """New and empty folders, and new parents, are made private; one open to others is refused."""
    old = os.umask(0)
    try:
        (tmp_path / "empty").mkdir()
        folder.create(tmp_path / "empty", "a")
        folder.create(tmp_path / "new/er", "b")
        own = section(tmp_path / "new/er")
        membership(own, "scorer", own.state_dir / "peers/x")
        load_identity(tmp_path / "other/one/identity.key")
        (tmp_path / "full").mkdir()
        (tmp_path / "full/file").touch()
    finally:
        os.umask(old)
    for root in ("empty", "new", "other"):
        for path in (tmp_path / root, *(tmp_path / root).rglob("*")):
            assert not path.stat().st_mode & 0o077 or path.suffix == ".lock", path
    with pytest.raises(TrustError, match="chmod go-w"):
        folder.create(tmp_path / "full", "c")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["file"]
    (tmp_path / "full").chmod(0o755)
    folder.create(tmp_path / "full", "c")
