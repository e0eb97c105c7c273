"""The owner: grants and revocations take effect when they should, whatever clocks did."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

import swarm.trust.owner
from swarm.config import SwarmSection
from swarm.core.clock import MAX_MS, Stamp
from swarm.core.records import Grant, sign
from swarm.core.store.store import AddResult, Store
from swarm.trust import folder
from swarm.trust.grants import Grantee, GrantsFile, TrustError, now_ms, roster_of
from swarm.trust.identity import public_key_of
from swarm.trust.membership import membership
from swarm.trust.owner import MAX_GRANTS, RESERVED_FOR_REVOCATIONS, Owner, owner_of
from tests.trust.owned import invite, make_swarm, section, store_of

NOW = 1_800_000_000_000
"""The right time in these tests, in ms."""

YEAR_MS = 365 * 24 * 3_600_000
KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
OWNER = public_key_of(KEY)
PEER = b"\x07" * 32

histories = st.lists(
    st.tuples(
        st.integers(-YEAR_MS, YEAR_MS) | st.integers(-2, 2),
        st.lists(st.sampled_from(["scorer", "executor"]), unique=True),
    ),
    max_size=5,
)
"""Earlier grants of a peer: the ms from the right time, and the roles."""


def owner_with(folder: Path, earlier: list[tuple[int, list[str]]]) -> Owner:
    """Return an owner who has made these grants to one peer."""
    file = GrantsFile(folder / "grants", OWNER, "school")
    file.add(
        sign(Grant(stamp=Stamp(NOW + at), swarm="school", subject=PEER, roles=roles), KEY)
        for at, roles in earlier
    )
    return Owner("school", KEY, file)


@contextmanager
def history(earlier: list[tuple[int, list[str]]]) -> Iterator[tuple[Owner, Path]]:
    """Yield the owner, at the right time, and the folder of the grants file."""
    with (
        tempfile.TemporaryDirectory() as made,
        mock.patch.object(swarm.trust.owner, "now_ms", return_value=NOW),
    ):
        yield owner_with(Path(made), earlier), Path(made)


def store_with(owner: Owner, folder: Path) -> Store:
    """Return the store of a peer with the right time and all of the owner's records."""
    store = Store("school", owner=OWNER)
    for record in GrantsFile(folder / "grants", OWNER, "school").read():
        store.add(record.raw, NOW)
    return store


@settings(max_examples=60, deadline=None)
@given(histories)
def test_a_revocation_holds_from_now_on_whatever_was_granted_before(
    earlier: list[tuple[int, list[str]]],
) -> None:
    """It takes effect at once for a peer with the right time, and beats grants in the future."""
    with history(earlier) as (owner, folder):
        (grantee, *_) = [*owner.grantees(), Grantee(PEER, "x", ())]
        records = owner.revoke(grantee)
        store = store_with(owner, folder)
        assert store.add(records[0].raw, NOW) in (AddResult.NEW, AddResult.DUPLICATE)
        roster = roster_of(owner._file.read(), OWNER)
        assert not any(roster.has_role(PEER, "", ms) for ms in (NOW, MAX_MS))
        assert not store.roster.has_role(PEER, "", NOW)
        # Revoking again returns the same record and takes no room.
        if len(records) == 1:
            assert owner.revoke(grantee) == records


@settings(max_examples=60, deadline=None)
@given(histories)
def test_an_own_peer_has_its_role_now_unless_it_was_revoked(
    earlier: list[tuple[int, list[str]]],
) -> None:
    """A grant that a wrong clock put into the future does not leave the peer without one now."""
    with history(earlier) as (owner, _):
        before = roster_of(owner._file.read(), OWNER)
        revoked = [g for ms in (NOW, MAX_MS) if (g := before.grant_of(PEER, ms)) and not g.roles]
        for _ in range(2):
            owner.grant_own(PEER, "scorer", "mine")
        after = roster_of(owner._file.read(), OWNER)
        for ms in (NOW, MAX_MS):
            had = before.has_role(PEER, "executor", ms)
            assert after.has_role(PEER, "scorer", ms) or revoked
            assert after.has_role(PEER, "executor", ms) or not had
        assert len(owner._file.read()) - len(before._grants.get(PEER, [])) <= 2
        assert not revoked or after._grants == before._grants


def test_what_peers_would_not_keep_is_not_signed(tmp_path: Path) -> None:
    """Near the bound of grants the owner can only revoke; at it, a message says what to do."""
    owner = owner_with(tmp_path, [(-1, ["scorer"])])
    grantee = owner.grantees()[0]
    file = owner._file
    known = file.read() * (MAX_GRANTS - RESERVED_FOR_REVOCATIONS)
    with (
        mock.patch.object(file, "read", return_value=known),
        mock.patch.object(file, "add") as kept,
        mock.patch.object(swarm.trust.owner, "now_ms", return_value=NOW),
    ):
        with pytest.raises(TrustError, match="would have no effect"):
            owner.invite(["scorer"], name="new", swarm_key="ab" * 32)
        assert kept.call_count == 0
        owner.revoke(grantee)
        assert kept.call_count == 1
        known += known
        with pytest.raises(TrustError, match="change the swarm key"):
            owner.revoke(Grantee(b"\x08" * 32, "y", ()))


def test_a_revocation_supersedes_a_grant_from_the_future(owned: SwarmSection) -> None:
    """A clock that was set back between grant and revocation does not undo the revocation."""
    with mock.patch.object(swarm.trust.owner, "now_ms", return_value=2**45):
        guest = invite(owned, "scorer", name="x")
    owner = owner_of(owned)
    revocations = owner.revoke(owner.find("x"))
    assert revocations[-1].stamp > guest.grant.stamp
    assert [grantee.roles for grantee in owner.grantees()] == [()]


def test_an_invited_peer_counts_at_once_where_the_clock_is_behind(
    owned: SwarmSection,
) -> None:
    """The grant of a fresh key begins some minutes before it was made."""
    guest = invite(owned, "scorer")
    roster = store_of(membership(owned, "observer", None)).roster
    behind = now_ms() - 9 * 60 * 1000
    assert roster.has_role(guest.author, "scorer", behind)


def test_a_peer_is_found_by_name_or_key(owned: SwarmSection) -> None:
    """A name or the first digits of a key finds one peer; anything else lists the peers."""
    one, two = invite(owned, "scorer", name="one"), invite(owned, "executor", name="two")
    owner = owner_of(owned)
    assert owner.find("one").author == one.author
    assert owner.find(two.author.hex()[:10].upper()).author == two.author
    stranger = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    assert owner.find(stranger.hex()).author == stranger
    with pytest.raises(TrustError, match="one: scorer") as caught:
        owner.find("three")
    assert one.author.hex()[:16] in str(caught.value)
    with pytest.raises(TrustError, match="already a peer named one"):
        invite(owned, "scorer", name="one")
    owner.revoke(owner.find("one"))
    renewed = invite(owned, "scorer", name="one")
    assert owner.find("one").author == renewed.author
    for bad in (" x", "x\n", "y" * 65, "\u202e"):
        with pytest.raises(TrustError, match="printable"):
            invite(owned, "scorer", name=bad)


def test_keys_that_do_not_fit_are_a_message(owned: SwarmSection, tmp_path: Path) -> None:
    """A wrong, exposed or missing key gets a message, and so does a machine without the owner."""
    assert owned.owner_key_file is not None
    owned.owner_key_file.chmod(0o644)
    with pytest.raises(TrustError, match="chmod 600"):
        owner_of(owned)
    owned.owner_key_file.write_bytes(b"\x07" * 32)
    owned.owner_key_file.chmod(0o600)
    with pytest.raises(TrustError, match="does not belong to the owner"):
        owner_of(owned)
    owned.owner_key_file.unlink()
    with pytest.raises(TrustError, match="cannot be read"):
        owner_of(owned)
    with pytest.raises(TrustError, match="is open and has no owner"):
        owner_of(SwarmSection())
    folder.join(invite(make_swarm(tmp_path / "b"), "scorer"), tmp_path / "c")
    with pytest.raises(TrustError, match="belongs to another owner"):
        owner_of(section(tmp_path / "c"))


@pytest.mark.parametrize("kind", ["short", "long", "folder"])
def test_a_broken_owners_key_is_reported_as_the_owners(tmp_path: Path, kind: str) -> None:
    """The message never suggests moving the key away for a new one, which could not replace it."""
    folder.create(tmp_path / "o", "school")
    key = tmp_path / "o/owner.key"
    key.unlink()
    if kind == "folder":
        key.mkdir(0o700)
    else:
        key.write_bytes(b"x" * (31 if kind == "short" else 33))
        key.chmod(0o600)
    with pytest.raises(TrustError, match=r"[Rr]estore a copy") as caught:
        owner_of(section(tmp_path / "o"))
    assert "new identity" not in str(caught.value)
