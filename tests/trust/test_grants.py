"""Grants on disk: who is let in by whom, what is never overwritten, and who can read it."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.cli.commands import invite as command
from swarm.config import ConfigError, SwarmConfig, SwarmSection, load
from swarm.core.clock import Stamp
from swarm.core.records import Ballot, Grant, sign
from swarm.core.roles import ROLE_FOR, ROLES
from swarm.core.store.store import AddResult, Store
from swarm.trust import folder as founding
from swarm.trust import owner as trust
from swarm.trust.identity import load_identity
from swarm.trust.invite import Invite
from swarm.trust.owner import Membership, TrustError

KEY = "ab" * 32


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have none of the machine's own settings."""
    for name in os.environ:
        if name.startswith("LEADERLESS_"):
            monkeypatch.delenv(name)


@pytest.fixture
def owned(tmp_path: Path) -> SwarmSection:
    """An owned swarm, as its owner's configuration has it."""
    return made(tmp_path / "owner")


def made(folder: Path, name: str = "school") -> SwarmSection:
    founding.found(folder, name)
    return section(folder)


def section(folder: Path) -> SwarmSection:
    return load(SwarmConfig, file=folder / "swarm.toml").swarm


def invited(owner: SwarmSection, *roles: str, **more: Any) -> Invite:
    return trust.owner_of(owner).invite(roles, swarm_key=owner.key() or "", **more)


def store_of(known: Membership, name: str = "school") -> Store:
    store = Store(name, owner=known.owner)
    for raw in known.grants:
        assert store.add(raw, 2**52) is not AddResult.REJECTED
    return store


def author_in(folder: Path) -> bytes:
    return load_identity(folder / "identity.key").public_key().public_bytes_raw()


def test_what_is_secret_is_for_its_owner_only(tmp_path: Path) -> None:
    """Every file of an owned swarm has mode 0600 and every folder 0700, whatever the umask."""
    old = os.umask(0)
    try:
        owner = made(tmp_path / "owner")
        trust.membership(owner, "scorer", owner.state_dir / "peers" / "scorer-1")
        guest = invited(owner, "scorer", "submitter")
        founding.join(guest, tmp_path / "guest")
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
    """A second init, and a join of another swarm or another peer, change no byte."""
    other = invited(made(tmp_path / "other"), "scorer")
    first, second = invited(owned, "scorer", name="a"), invited(owned, "scorer", name="b")
    founding.join(first, tmp_path / "guest")

    def files() -> dict[Path, bytes]:
        return {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}

    assert owned.grants_file is not None
    before = files()
    with pytest.raises(TrustError, match="already"):
        founding.found(tmp_path / "owner", "school")
    with pytest.raises(TrustError, match="another swarm"):
        founding.join(other, tmp_path / "guest")
    with pytest.raises(TrustError, match="another swarm"):
        founding.join(first, tmp_path / "other")
    # The same name for another key, as after a revocation.
    trust.owner_of(owned).revoke(trust.owner_of(owned).find("a"))
    again = invited(owned, "scorer", name="a")
    before[owned.grants_file] = owned.grants_file.read_bytes()
    with pytest.raises(TrustError, match="another identity"):
        founding.join(again, tmp_path / "guest")
    now = files()
    assert {path: now[path] for path in before} == before
    # The same swarm takes one peer more, and the same invite twice is the same.
    founding.join(second, tmp_path / "guest")
    founding.join(second, tmp_path / "guest")
    assert trust.names_granted(section(tmp_path / "guest"), "scorer") == ["b", "a"]


def test_a_failed_init_leaves_nothing(tmp_path: Path) -> None:
    """A disk that refuses one file gets none, and people learn which and what to do."""
    real = trust.write_secret

    def full(path: Path, data: bytes) -> None:
        if path.name == "swarm.toml":
            raise OSError(28, "No space left on device")
        real(path, data)

    with (
        mock.patch.object(founding, "write_secret", full),
        pytest.raises(TrustError, match=r"swarm\.toml cannot be written: No space.*--dir"),
    ):
        founding.found(tmp_path / "x", "school")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    founding.found(tmp_path / "x", "school")


def test_whoever_joins_may_do_what_was_granted_and_no_more(
    owned: SwarmSection, tmp_path: Path
) -> None:
    """The joiner's own grants let everybody who has them count it, in its roles only."""
    guest = invited(owned, "scorer", "submitter", name="attic")
    places = founding.join(guest, tmp_path / "guest")
    joined = section(tmp_path / "guest")
    assert joined.owner_key_file is None
    assert joined.key() == owned.key()
    roster = store_of(trust.membership(joined, "scorer", places[0].parent)).roster
    now = 2**51
    assert roster.has_role(guest.author, "scorer", now)
    assert roster.has_role(guest.author, "submitter", now)
    assert not roster.has_role(guest.author, "executor", now)
    assert {author_in(path.parent) for path in places} == {guest.author}
    assert [path.parent.name for path in places] == ["attic", "submitter", "bot"]


def test_the_owners_own_peers_are_granted_by_themselves(owned: SwarmSection) -> None:
    """With the owner's key a peer is in, in each role it is started in; once said is enough."""
    state = owned.state_dir / "peers" / "one"
    for _ in range(2):
        known = trust.membership(owned, "scorer", state)
    assert len(known.grants) == 1
    known = trust.membership(owned, "executor", state)
    roster = store_of(known).roster
    assert all(roster.has_role(author_in(state), role, 2**51) for role in ("scorer", "executor"))
    assert trust.membership(owned, "observer", owned.state_dir / "eye").grants == known.grants
    assert trust.membership(owned, "submitter", None).grants == known.grants


def test_what_was_revoked_is_not_granted_again_by_itself(owned: SwarmSection) -> None:
    """Also on the owner's own machine a revocation stays, however often the peer is started."""
    state = owned.state_dir / "peers" / "one"
    trust.membership(owned, "scorer", state)
    owner = trust.owner_of(owned)
    owner.revoke(owner.find("one"))
    roster = store_of(trust.membership(owned, "scorer", state)).roster
    assert not roster.has_role(author_in(state), "scorer", 2**51)


def test_a_revocation_outdoes_a_grant_from_the_future(owned: SwarmSection) -> None:
    """A clock that was set back between grant and revocation does not undo the revocation."""
    with mock.patch.object(trust, "_now_ms", return_value=2**45):
        guest = invited(owned, "scorer", name="x")
    owner = trust.owner_of(owned)
    words = owner.revoke(owner.find("x"))
    assert words[-1].stamp > guest.grant.stamp
    assert [holder.roles for holder in owner.holders()] == [()]


def test_an_invite_speaks_at_once_on_a_machine_whose_clock_is_behind(owned: SwarmSection) -> None:
    """The grant of a fresh key begins some minutes before it is made."""
    guest = invited(owned, "scorer")
    roster = store_of(trust.membership(owned, "observer", None)).roster
    behind = trust._now_ms() - 9 * 60 * 1000
    assert roster.has_role(guest.author, "scorer", behind)


def test_whom_a_word_means(owned: SwarmSection) -> None:
    """Names and the beginnings of keys find one peer; anything else says who there is."""
    one, two = invited(owned, "scorer", name="one"), invited(owned, "executor", name="two")
    owner = trust.owner_of(owned)
    assert owner.find("one").author == one.author
    assert owner.find(two.author.hex()[:10].upper()).author == two.author
    stranger = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    assert owner.find(stranger.hex()).author == stranger
    with pytest.raises(TrustError, match="one: scorer") as caught:
        owner.find("three")
    assert one.author.hex()[:16] in str(caught.value)
    with pytest.raises(TrustError, match="is a one already"):
        invited(owned, "scorer", name="one")
    owner.revoke(owner.find("one"))
    renewed = invited(owned, "scorer", name="one")
    assert owner.find("one").author == renewed.author
    for bad in (" x", "x\n", "y" * 65, "\u202e"):
        with pytest.raises(TrustError, match="printable"):
            invited(owned, "scorer", name=bad)


def test_grants_made_at_once_are_all_kept(owned: SwarmSection) -> None:
    """Eight peers that start together each get their grant: nobody overwrites another's."""
    folders = [owned.state_dir / "peers" / f"p{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda folder: trust.membership(owned, "scorer", folder), folders))
    assert [h.name for h in trust.owner_of(owned).holders()] == [f.name for f in folders]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no hex", "line 1 is no record"),
        ("ab" * 200, "line 1 is no record"),
        ("é", "it is no text"),
        ("STRANGER", "line 1 is no grant by the owner"),
        ("OTHER SWARM", "line 1 is no grant by the owner"),
    ],
)
def test_a_damaged_grants_file_is_a_message(owned: SwarmSection, line: str, said: str) -> None:
    """Nothing that is no grant of this owner's is passed on, and people learn which line it is."""
    assert owned.grants_file is not None
    assert owned.owner_key_file is not None
    key = load_identity(owned.owner_key_file)
    own = key.public_key().public_bytes_raw()
    if line == "STRANGER":
        key, name = Ed25519PrivateKey.generate(), "school"
    else:
        name = "other"
    if line.isupper():
        line = sign(Grant(stamp=Stamp(1), swarm=name, subject=own, roles=[]), key).raw.hex()
    owned.grants_file.write_text(f"{line}\n")
    with pytest.raises(TrustError, match=said):
        trust.membership(owned, "observer", None)


def test_keys_that_do_not_fit_are_a_message(owned: SwarmSection, tmp_path: Path) -> None:
    """Another's key, one that others can read, or none, is told; and who is no owner learns it."""
    assert owned.owner_key_file is not None
    owned.owner_key_file.chmod(0o644)
    with pytest.raises(TrustError, match="chmod 600"):
        trust.owner_of(owned)
    owned.owner_key_file.write_bytes(b"\x07" * 32)
    owned.owner_key_file.chmod(0o600)
    with pytest.raises(TrustError, match="is not that of the owner"):
        trust.owner_of(owned)
    owned.owner_key_file.unlink()
    with pytest.raises(TrustError, match="cannot be read"):
        trust.owner_of(owned)
    with pytest.raises(TrustError, match="is open and has no owner"):
        trust.owner_of(SwarmSection())
    founding.join(invited(made(tmp_path / "b"), "scorer"), tmp_path / "c")
    with pytest.raises(TrustError, match="belongs to somebody else"):
        trust.owner_of(section(tmp_path / "c"))


def test_half_an_owner_in_the_configuration_is_refused(tmp_path: Path) -> None:
    """Without its owner a swarm would be open by mistake: that is an error, not a default."""
    path = tmp_path / "own.toml"
    for text, said in (
        ('grants_file = "g"', "owner has to be too"),
        (f'owner = "{KEY}"\nowner_key_file = "k"', "grants_file has to be too"),
        ('owner = "abc"', "64 hex digits"),
    ):
        path.write_text(f"[swarm]\n{text}\n")
        with pytest.raises(ConfigError, match=said):
            load(SwarmConfig, file=path)
    path.write_text(f'[swarm]\nowner = "{KEY.upper()}"\n')
    assert load(SwarmConfig, file=path).swarm.owner_key() == bytes.fromhex(KEY)


def test_strangers_cannot_fill_the_set_of_grants(owned: SwarmSection) -> None:
    """A record that claims to belong to the roster, and is no grant, is no record of this swarm."""
    invited(owned, "scorer")
    store = store_of(trust.membership(owned, "observer", None))
    (roster,) = store.goals()
    junk = Ballot(
        stamp=Stamp(2**51), goal=roster, node=roster, proposal=roster, verdict="approve",
        concrete=1, distinct=1, complete=1,
    )  # fmt: skip
    record = sign(junk, Ed25519PrivateKey.generate())
    assert store.add(record.raw, 2**52) is AddResult.REJECTED
    assert len(list(store.records(roster))) == 1


def test_the_roles_to_grant_are_those_that_are_asked_for() -> None:
    """The command offers what the fold knows, besides an observer, and says what each permits."""
    assert set(ROLES) == {*ROLE_FOR.values(), "observer"}
    assert set(command.MEANING) == set(ROLES)
