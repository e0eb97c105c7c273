"""A forged copy of a record must not keep the genuine one away.

An id does not cover the signature: changing one byte of it gives a record with the same id.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from libp2p.crypto.ed25519 import create_new_key_pair

from swarm.core.clock import Stamp
from swarm.core.policy import Policy
from swarm.core.records import HEADER_SIZE, Goal, Notice, record_id, sign
from swarm.core.store.store import Store
from swarm.gossip.admission import FORGIVEN
from swarm.gossip.frames import encode_bundle
from swarm.gossip.protocol import Gossip
from swarm.gossip.reconcile import Reconciler
from swarm.gossip.record_set import AddResult
from swarm.gossip.scope import ALL
from swarm.net.network import NetSettings, Network
from swarm.net.pubsub.safe_pubsub import SafePubsub
from swarm.net.sync import Sync
from tests.net.attacker import Attacker, signed
from tests.net.hosts import Member, members, rpc, stranger, until, wall
from tests.net.memory import MemoryRecords, history, make

SALT = bytes(range(16))
ASKER, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


def forge(raw: bytes) -> bytes:
    """Return the same record with another, invalid signature."""
    return raw[:33] + bytes([9]) * 64 + raw[HEADER_SIZE:]


class Keeper(Member):
    """A network with a real store."""

    def __init__(self, *raws: bytes, **settings: Any) -> None:
        super().__init__()
        self.store = Store("test")
        for raw in raws:
            assert self.store.add(raw, wall()) is AddResult.NEW
        self.network = Network(
            NetSettings(swarm="test", mdns=False, may_ask=False, may_hand_off=False, **settings),
            self.store,
            now=wall,
            on_record=lambda raw, outcome: None,
            on_newcomer=lambda: None,
        )


def signed_history(count: int) -> list[bytes]:
    began = wall() - 5_000
    goal = sign(Goal(stamp=Stamp(began), swarm="test", text="a goal", policy=Policy()), ASKER)
    notes = (
        Notice(stamp=Stamp(began + i), goal=goal.id, code="x", text=str(i)) for i in range(1, count)
    )
    return [goal.raw, *(sign(note, OTHER).raw for note in notes)]


@asynccontextmanager
async def lied_to(*raws: bytes) -> AsyncIterator[tuple[Keeper, SafePubsub, Attacker]]:
    """Run a keeper of these records, and a stranger that is connected to it."""
    holder = Keeper(*raws)
    async with members(holder, link=False), stranger(holder) as liar:
        pubsub = holder.network._pubsub
        assert pubsub is not None
        yield holder, pubsub, Attacker(liar, await liar.open(), pubsub)


@pytest.mark.trio
async def test_forged_copies_silence_no_holder() -> None:
    """A listener gets everything from the only holder while strangers publish forgeries."""
    raws = signed_history(30)
    async with lied_to(*raws) as (holder, _, attacker), trio.open_nursery() as nursery:

        async def lie() -> None:
            # Each time by another author, so that none is muted before it is heard.
            frame = encode_bundle([forge(raw) for raw in raws])
            while True:
                await attacker.send(rpc(publish=[signed(create_new_key_pair(), 1, frame)]))
                await trio.sleep(0.05)

        nursery.start_soon(lie)
        await until(5, lambda: holder.network.counters().rejected)
        listener = Keeper(speaks=False, peers=(holder.address,))
        async with members(listener):
            await until(8, lambda: len(listener.store) == len(raws))
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_an_origin_of_forged_copies_is_muted() -> None:
    """Forgeries of records that are held already count against their origin like any others."""
    raws = signed_history(FORGIVEN + 2)
    async with lied_to(*raws) as (_, pubsub, attacker):
        said = signed(create_new_key_pair(), 1, encode_bundle([forge(raw) for raw in raws]))
        await attacker.send(rpc(publish=[said]))
        await until(5, lambda: pubsub.admission.is_over(said.from_id, 1, trio_ms()))


def trio_ms() -> int:
    return int(trio.current_time() * 1000)


def test_what_is_rejected_was_not_heard() -> None:
    """For the sans-I/O protocol too, a rejected record does not count as the one with its id."""
    raws = history(20)
    holder = Gossip(MemoryRecords(*raws), random.Random(1), 0)
    assert holder.newcomer("late", 0)
    said = 0
    for now in range(0, 5_000, 10):
        for raw in raws:
            holder.received(record_id(raw), AddResult.REJECTED, now, overheard=True)
        sending = holder.poll(now).sending
        said += sending.records if sending is not None else 0
    assert said >= len(raws)


class Host:
    """The part of a host that `Sync` needs before it runs."""

    def set_stream_handler(self, protocol: str, handler: Any) -> None:
        """Do nothing."""


@pytest.mark.trio
async def test_a_forged_copy_over_a_stream_does_not_bar_the_genuine_record() -> None:
    """A forged copy with the same id is rejected, and the genuine record is still wanted."""
    genuine = make(None, "a goal")
    forged = forge(genuine)
    assert record_id(forged) == record_id(genuine)
    sync = Sync(
        Host(),
        MemoryRecords(),
        take=lambda raw: AddResult.REJECTED if raw == forged else AddResult.NEW,
        subscribers=frozenset,
        finished=lambda peer, size: None,
        rng=random.Random(1),
    )
    assert not sync._took(forged)
    mine, _ = await sync._side(SALT, ALL)
    other = Reconciler([record_id(genuine)], {record_id(genuine): genuine}.get, SALT)
    mine.begin()
    came: list[bytes] = []
    for _ in range(5):
        other.receive(mine.take())
        came += mine.receive(other.take())
    assert came == [genuine]
