"""Grants between running peers over real libp2p: all receive them, and they apply at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.config import SwarmConfig, SwarmSection, load
from swarm.core.clock import EPOCH, Stamp
from swarm.core.records import Goal, Presence, sign
from swarm.core.roles import Role
from swarm.peer.peer import NotGrantedError, Peer
from swarm.peer.settings import PeerSettings
from swarm.trust import folder
from swarm.trust.membership import membership
from swarm.trust.owner import owner_of

PATIENCE = 80.0
"""Seconds to wait for a condition; one is usual, many more on a busy machine."""


STRANGER = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)
GOAL = Goal(stamp=EPOCH, swarm="school", text="Plan mischief")
PRESENCE = Presence(stamp=EPOCH, swarm="school", role="scorer", name="owner")


def stamp(peer: Peer) -> Stamp:
    return Stamp(peer.now())


def may_ask(peer: Peer) -> bool:
    return peer.store.roster.has_role(peer.author, "submitter", peer.now())


def section(folder: Path) -> SwarmSection:
    return load(SwarmConfig, file=folder / "swarm.toml").swarm


def peer_of(swarm: SwarmSection, role: Role, state: str, runtime: Path) -> Peer:
    """Return a peer as the commands set it up."""
    state_dir = swarm.state_dir / state if role != "observer" else None
    known = membership(swarm, role, state_dir)
    return Peer(
        PeerSettings(
            role=role,
            swarm=swarm.name,
            swarm_key=swarm.key(),
            owner=known.owner,
            grants=known.grants,
            mdns=False,
            state_dir=state_dir,
            runtime_dir=runtime,
        )
    )


@asynccontextmanager
async def running(*peers: Peer) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:
        for peer in peers:
            await nursery.start(peer.run)
        yield
        nursery.cancel_scope.cancel()


async def until(condition: Callable[[], object], what: str) -> None:
    with trio.move_on_after(PATIENCE):
        while not condition():  # noqa: ASYNC110  several peers' stores are looked at
            await trio.sleep(0.05)
        return
    pytest.fail(f"waited in vain until {what}")


@pytest.mark.trio
async def test_grants_and_revocations_reach_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A joined peer's goal counts for an observer; after a revocation it cannot submit."""
    for name in ("LEADERLESS_CONFIG", "LEADERLESS_SWARM__NAME"):
        monkeypatch.delenv(name, raising=False)
    folder.create(tmp_path / "owner", "school")
    own = section(tmp_path / "owner")
    owner = owner_of(own)
    invite = owner.invite(["submitter"], name="attic", swarm_key=own.key() or "")
    folder.join(invite, tmp_path / "guest")
    guest = section(tmp_path / "guest")
    runtime = tmp_path / "run"
    stranger = STRANGER.public_key().public_bytes_raw()
    # The listener belongs to a third machine, which knows no grant that matters here.
    folder.join(owner.invite(["observer"], swarm_key=own.key() or ""), tmp_path / "third")
    asker = peer_of(guest, "submitter", "submitter", runtime)
    listener = peer_of(section(tmp_path / "third"), "observer", "", runtime)
    house = peer_of(own, "submitter", "submitter", runtime)
    async with running(asker, listener, house):
        first = asker.submit("Plan a garden")
        await until(lambda: listener.store.plan(first), "the joiner's goal counts")
        for said in (GOAL, PRESENCE):
            house.hand_on(sign(said.model_copy(update={"stamp": stamp(house)}), STRANGER).raw)
        await until(lambda: len(listener.store.goals()) == 3, "the stranger's goal is heard")
        assert [plan.id for plan in listener.store.plans()] == [first]
        await until(
            lambda: (
                {v.author: v.foreign for v in listener.peers()}
                == {asker.author.hex(): False, house.author.hex(): False, stranger.hex(): True}
            ),
            "all are met, and only the stranger is foreign",
        )
        told: set[bytes] = set()
        asker.on_change = told.update
        (word,) = owner.revoke(owner.find("attic"))
        house.hand_on(word.raw)
        await until(lambda: not may_ask(asker), "the revoked peer has heard it")
        await until(lambda: first in told, "its plans are looked at again")
        with pytest.raises(NotGrantedError, match="swarm invite --role submitter"):
            asker.submit("Plan another garden")
        assert listener.store.plan(first) is not None, "what it did before stays"
        await until(
            lambda: any(v.foreign for v in listener.peers() if v.author == asker.author.hex()),
            "its presence is foreign from then on",
        )
        second = house.submit("Plan a school fair")
        await until(lambda: listener.store.plan(second), "the owner's own goal counts")
