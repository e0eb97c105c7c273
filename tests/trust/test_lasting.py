"""Words of the owner that hold when they should: whatever clocks did, and however many."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.config import SwarmConfig, SwarmSection, load
from swarm.core.clock import MAX_MS, Stamp
from swarm.core.records import Grant, decode, sign
from swarm.core.store.store import AddResult, Store
from swarm.trust import folder as founding
from swarm.trust import owner as trust
from swarm.trust.identity import file_name, folder_of, load_identity
from swarm.trust.invite import is_name
from swarm.trust.owner import GrantsFile, Owner, TrustError, WordError

NOW = 1_800_000_000_000
YEAR_MS = 365 * 24 * 3_600_000
KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
OWNER = KEY.public_key().public_bytes_raw()
PEER = b"\x07" * 32

words = st.lists(
    st.tuples(
        st.integers(-YEAR_MS, YEAR_MS) | st.integers(-2, 2),
        st.lists(st.sampled_from(["scorer", "executor"]), unique=True),
    ),
    max_size=5,
)
"""What an owner said of a peer earlier: when, against the right time, and the roles."""

NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"]) | st.sampled_from("🎒🇮🇳दिल्ली東京都支部-_ab\x7f"),
    min_size=1,
    max_size=64,
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have none of the machine's own settings."""
    for name in os.environ:
        if name.startswith("LEADERLESS_"):
            monkeypatch.delenv(name)


def said(folder: Path, earlier: list[tuple[int, list[str]]]) -> Owner:
    """Return an owner who has said so much of one peer."""
    file = GrantsFile(folder / "grants", OWNER, "school")
    file.add(
        sign(Grant(stamp=Stamp(NOW + at), swarm="school", subject=PEER, roles=roles), KEY)
        for at, roles in earlier
    )
    return Owner("school", KEY, file)


@contextmanager
def speaking(earlier: list[tuple[int, list[str]]]) -> Iterator[tuple[Owner, Path]]:
    """Yield the owner, at the right time, and where the grants file is."""
    with (
        tempfile.TemporaryDirectory() as made,
        mock.patch.object(trust, "_now_ms", return_value=NOW),
    ):
        yield said(Path(made), earlier), Path(made)


def store_with(owner: Owner, folder: Path) -> Store:
    """Return the store of a peer with the right time that was brought all that the owner said."""
    store = Store("school", owner=OWNER)
    for record in GrantsFile(folder / "grants", OWNER, "school").read():
        store.add(record.raw, NOW)
    return store


def section(folder: Path) -> SwarmSection:
    return load(SwarmConfig, file=folder / "swarm.toml").swarm


@settings(max_examples=60, deadline=None)
@given(words)
def test_a_revocation_holds_from_now_on_whatever_was_said_before(
    earlier: list[tuple[int, list[str]]],
) -> None:
    """For a peer whose clock is right it holds at once; it also outdoes what clocks put ahead."""
    with speaking(earlier) as (owner, folder):
        (holder, *_) = [*owner.holders(), trust.Holder(PEER, "x", ())]
        records = owner.revoke(holder)
        store = store_with(owner, folder)
        assert store.add(records[0].raw, NOW) in (AddResult.NEW, AddResult.DUPLICATE)
        roster = trust._roster(owner._file.read(), OWNER)
        assert not any(roster.has_role(PEER, "", ms) for ms in (NOW, MAX_MS))
        assert not store.roster.has_role(PEER, "", NOW)
        # Said once more, it is the same record: it fills no room.
        if len(records) == 1:
            assert owner.revoke(holder) == records


@settings(max_examples=60, deadline=None)
@given(words)
def test_an_own_peer_has_its_role_now_unless_it_was_revoked(
    earlier: list[tuple[int, list[str]]],
) -> None:
    """A grant that a wrong clock put into the future is no reason to leave a peer without one."""
    with speaking(earlier) as (owner, _):
        before = trust._roster(owner._file.read(), OWNER)
        revoked = [g for ms in (NOW, MAX_MS) if (g := before.grant_of(PEER, ms)) and not g.roles]
        for _ in range(2):
            owner.grant_own(PEER, "scorer", "mine")
        after = trust._roster(owner._file.read(), OWNER)
        for ms in (NOW, MAX_MS):
            had = before.has_role(PEER, "executor", ms)
            assert after.has_role(PEER, "scorer", ms) or revoked
            assert after.has_role(PEER, "executor", ms) or not had
        assert len(owner._file.read()) - len(before._grants.get(PEER, [])) <= 2
        assert not revoked or after._grants == before._grants


def test_what_peers_would_not_keep_is_not_said(tmp_path: Path) -> None:
    """Near their bound the owner grants nothing more, can still revoke, and at it is told."""
    owner = said(tmp_path, [(-1, ["scorer"])])
    holder = owner.holders()[0]
    file = owner._file
    known = file.read() * (trust.MOST_WORDS - trust.SPARED_WORDS)
    with (
        mock.patch.object(file, "read", return_value=known),
        mock.patch.object(file, "add") as kept,
        mock.patch.object(trust, "_now_ms", return_value=NOW),
    ):
        with pytest.raises(TrustError, match="would count nowhere"):
            owner.invite(["scorer"], name="new", swarm_key="ab" * 32)
        assert kept.call_count == 0
        owner.revoke(holder)
        assert kept.call_count == 1
        known += known
        with pytest.raises(TrustError, match="change its swarm key"):
            owner.revoke(trust.Holder(b"\x08" * 32, "y", ()))


@settings(max_examples=40, deadline=None)
@given(NAMES, NAMES)
def test_any_name_is_refused_or_makes_a_swarm_that_opens(swarm: str, peer: str) -> None:
    """Emoji, all scripts: what `init` and `join` write down is read again as it was meant."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if not is_name(swarm):
            with pytest.raises(WordError):
                founding.found(folder / "o", swarm)
            return
        founding.found(folder / "o", swarm)
        own = section(folder / "o")
        assert own.name == swarm
        owner = trust.owner_of(own)
        if is_name(peer):
            guest = owner.invite(["scorer"], name=peer, swarm_key=own.key() or "")
            founding.join(guest, folder / "g")
            assert section(folder / "g").name == swarm
            assert trust.names_granted(section(folder / "g"), "scorer") == [peer]


@given(NAMES, NAMES)
def test_no_two_names_share_a_folder(one: str, other: str) -> None:
    """Whatever the script, and however the names begin; and each is a plain file name."""
    for name in (one, other):
        assert file_name(name).isascii()
        assert not set(file_name(name)) & set("/\0")
        assert 0 < len(file_name(name)) <= 64
    assert (file_name(one) == file_name(other)) == (one == other)
    assert file_name(f"東京都{one}") != file_name(f"東京都{other}") or one == other


def test_the_folder_of_an_earlier_version_is_kept(tmp_path: Path) -> None:
    """A peer keeps its key; another whose name began alike gets a folder of its own by joining."""
    founding.found(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = trust.owner_of(own)
    first = owner.invite(["scorer"], name="東京都支部", swarm_key=own.key() or "")
    second = owner.invite(["scorer"], name="東京都本部", swarm_key=own.key() or "")
    peers = tmp_path / "g/state/peers"
    (place,) = founding.join(first, tmp_path / "g")
    earlier = peers / f"------{first.name.encode().hex()[:16]}"
    place.parent.rename(earlier)
    assert folder_of(peers, first.name) == earlier
    assert founding.join(first, tmp_path / "g") == [earlier / "identity.key"]
    (own_place,) = founding.join(second, tmp_path / "g")
    assert own_place.parent != earlier
    assert set(trust.names_granted(section(tmp_path / "g"), "scorer")) == {first.name, second.name}


def test_swarms_whose_names_begin_alike_have_a_folder_each(tmp_path: Path) -> None:
    """Also beside one that an earlier version made."""
    one, two = "東京都支部", "東京都本部"
    earlier = tmp_path / f"------{one.encode().hex()[:16]}"
    founding.found(earlier, one)
    assert founding.default_folder(tmp_path, one) == earlier
    founding.found(founding.default_folder(tmp_path, two), two)
    assert section(founding.default_folder(tmp_path, two)).name == two


def test_without_the_owners_key_what_was_granted_goes_on(tmp_path: Path) -> None:
    """A granted peer starts with a warning; a new one, and a word of the owner's, are refused."""
    founding.found(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    state = own.state_dir / "peers" / "executor-1"
    before = trust.membership(own, "executor", state)
    assert own.owner_key_file is not None
    own.owner_key_file.unlink()
    assert trust.membership(own, "executor", state) == before
    with pytest.raises(TrustError, match=r"cannot be read: No such file.*Put a copy of it back"):
        trust.membership(own, "scorer", state)
    with pytest.raises(TrustError, match="cannot be read"):
        trust.membership(own, "executor", own.state_dir / "peers" / "executor-2")


@pytest.mark.parametrize("kind", ["short", "long", "folder"])
def test_an_owners_key_that_is_none_is_told_as_the_owners(tmp_path: Path, kind: str) -> None:
    """Nobody is told to move it away for a new one: there is no other."""
    founding.found(tmp_path / "o", "school")
    key = tmp_path / "o/owner.key"
    key.unlink()
    if kind == "folder":
        key.mkdir(0o700)
    else:
        key.write_bytes(b"x" * (31 if kind == "short" else 33))
        key.chmod(0o600)
    with pytest.raises(TrustError, match="copy of") as caught:
        trust.owner_of(section(tmp_path / "o"))
    assert "new identity" not in str(caught.value)


def test_after_a_revocation_a_peer_can_be_invited_again(tmp_path: Path) -> None:
    """With `replace` the old identity is set aside, in its place, and nothing is lost."""
    founding.found(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = trust.owner_of(own)
    key = own.key() or ""
    for folder in ("o", "g"):
        first = owner.invite(["executor", "submitter"], name=f"at-{folder}", swarm_key=key)
        founding.join(first, tmp_path / folder)
        owner.revoke(owner.find(first.name))
        again = owner.invite(["executor", "submitter"], name=first.name, swarm_key=key)
        with pytest.raises(TrustError, match="--replace"):
            founding.join(again, tmp_path / folder)
        places = founding.join(again, tmp_path / folder, replace=True)
        assert {path.read_bytes() for path in places} == {again.identity}
        aside = [path for place in places for path in place.parent.glob("identity.key.old-*")]
        assert [path.read_bytes() for path in aside] == [first.identity] * 3
        known = trust.membership(section(tmp_path / folder), "executor", places[0].parent)
        roster = trust._roster(map(decode, known.grants), owner.public)
        assert roster.has_role(again.author, "executor", trust._now_ms())


def test_the_newest_grant_is_taken_first(tmp_path: Path) -> None:
    """Who was revoked and joined again under another name is not started as the revoked one."""
    founding.found(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = trust.owner_of(own)
    for name in ("m", "z", "a"):
        founding.join(
            owner.invite(["executor"], name=name, swarm_key=own.key() or ""), tmp_path / "g"
        )
    assert trust.names_granted(section(tmp_path / "g"), "executor") == ["a", "z", "m"]


def test_a_join_that_fails_changes_nothing(tmp_path: Path) -> None:
    """Grants that cannot be used, and an identity that cannot be read, are found out first."""
    founding.found(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    guest = trust.owner_of(own).invite(["scorer"], name="x", swarm_key=own.key() or "")
    for name, said_of in (("grants", "grants file"), ("state/peers/x/identity.key", "read")):
        folder = tmp_path / name.replace("/", "-")
        target = folder / name
        target.parent.mkdir(parents=True, mode=0o700)
        if name == "grants":
            target.write_text("no grant\n")
        else:
            target.mkdir()
        before = sorted(folder.rglob("*"))
        with pytest.raises(TrustError, match=said_of):
            founding.join(guest, folder)
        assert sorted(folder.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_folders_for_keys_are_closed_to_others(tmp_path: Path) -> None:
    """New and empty ones are made so, above them too; one that others may fill is refused."""
    old = os.umask(0)
    try:
        (tmp_path / "empty").mkdir()
        founding.found(tmp_path / "empty", "a")
        founding.found(tmp_path / "new/er", "b")
        own = section(tmp_path / "new/er")
        trust.membership(own, "scorer", own.state_dir / "peers/x")
        load_identity(tmp_path / "other/one/identity.key")
        (tmp_path / "full").mkdir()
        (tmp_path / "full/file").touch()
    finally:
        os.umask(old)
    for root in ("empty", "new", "other"):
        for path in (tmp_path / root, *(tmp_path / root).rglob("*")):
            assert not path.stat().st_mode & 0o077 or path.suffix == ".lock", path
    with pytest.raises(TrustError, match="chmod go-w"):
        founding.found(tmp_path / "full", "c")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["file"]
    (tmp_path / "full").chmod(0o755)
    founding.found(tmp_path / "full", "c")
