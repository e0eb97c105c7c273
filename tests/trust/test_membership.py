"""What a peer of this machine starts with: its owner's grants, and automatic ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.config import SwarmSection
from swarm.core.clock import Stamp
from swarm.core.records import Ballot, sign
from swarm.core.store.store import AddResult
from swarm.trust import folder
from swarm.trust.grants import TrustError
from swarm.trust.membership import membership, names_granted
from swarm.trust.owner import owner_of
from tests.trust.owned import author_in, invite, section, store_of


def test_the_owners_own_peers_are_granted_automatically(owned: SwarmSection) -> None:
    """A peer on the owner's machine gets each role it is started in, by one grant per role."""
    state = owned.state_dir / "peers" / "one"
    for _ in range(2):
        known = membership(owned, "scorer", state)
    assert len(known.grants) == 1
    known = membership(owned, "executor", state)
    roster = store_of(known).roster
    assert all(roster.has_role(author_in(state), role, 2**51) for role in ("scorer", "executor"))
    assert membership(owned, "observer", owned.state_dir / "eye").grants == known.grants
    assert membership(owned, "submitter", None).grants == known.grants


def test_what_was_revoked_is_not_granted_again_automatically(owned: SwarmSection) -> None:
    """A revocation holds on the owner's own machine too, however often the peer is started."""
    state = owned.state_dir / "peers" / "one"
    membership(owned, "scorer", state)
    owner = owner_of(owned)
    owner.revoke(owner.find("one"))
    roster = store_of(membership(owned, "scorer", state)).roster
    assert not roster.has_role(author_in(state), "scorer", 2**51)


def test_grants_made_at_once_are_all_kept(owned: SwarmSection) -> None:
    """Eight peers that start together each get their grant; none overwrites another's."""
    places = [owned.state_dir / "peers" / f"p{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda place: membership(owned, "scorer", place), places))
    assert [g.name for g in owner_of(owned).grantees()] == [place.name for place in places]


def test_without_the_owners_key_earlier_grants_stay_valid(tmp_path: Path) -> None:
    """A peer with a grant starts with a warning; one that needs a new grant is refused."""
    folder.create(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    state = own.state_dir / "peers" / "executor-1"
    before = membership(own, "executor", state)
    assert own.owner_key_file is not None
    own.owner_key_file.unlink()
    assert membership(own, "executor", state) == before
    with pytest.raises(TrustError, match=r"cannot be read: No such file.*Restore a copy"):
        membership(own, "scorer", state)
    with pytest.raises(TrustError, match="cannot be read"):
        membership(own, "executor", own.state_dir / "peers" / "executor-2")


def test_the_newest_grant_is_taken_first(tmp_path: Path) -> None:
    """A peer that joined again under another name after a revocation starts under the new one."""
    folder.create(tmp_path / "o", "school")
    own = section(tmp_path / "o")
    owner = owner_of(own)
    for name in ("m", "z", "a"):
        folder.join(
            owner.invite(["executor"], name=name, swarm_key=own.key() or ""), tmp_path / "g"
        )
    assert names_granted(section(tmp_path / "g"), "executor") == ["a", "z", "m"]


def test_strangers_cannot_fill_the_set_of_grants(owned: SwarmSection) -> None:
    """A record that claims to belong to the roster and is not a grant is rejected."""
    invite(owned, "scorer")
    store = store_of(membership(owned, "observer", None))
    (roster,) = store.goals()
    junk = Ballot(
        stamp=Stamp(2**51), goal=roster, node=roster, proposal=roster, verdict="approve",
        concrete=1, distinct=1, complete=1,
    )  # fmt: skip
    record = sign(junk, Ed25519PrivateKey.generate())
    assert store.add(record.raw, 2**52) is AddResult.REJECTED
    assert len(list(store.records(roster))) == 1
