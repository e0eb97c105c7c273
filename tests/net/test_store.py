"""The real store on the real network: signed records and presences."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.records import Goal, KnownBody, Notice, Presence, sign
from swarm.core.store.store import Store
from swarm.gossip.record_set import AddResult
from swarm.net.network import NetSettings, Network
from tests.net.hosts import until, wall

pytestmark = pytest.mark.trio


class Owner:
    """A store on a network, as in `swarm.peer.peer`."""

    def __init__(self, **settings: Any) -> None:
        self.key = Ed25519PrivateKey.generate()
        self.store = Store("test")
        self.outcomes: list[AddResult] = []
        self.network = Network(
            NetSettings(**{"swarm": "test", "mdns": False, **settings}),
            self.store,
            now=wall,
            on_record=lambda raw, outcome: self.outcomes.append(outcome),
            on_newcomer=lambda: None,
            rng=random.Random(),
        )

    def say(self, body: KnownBody) -> bytes:
        record = sign(body, self.key)
        self.store.add(record.raw, wall())
        self.network.publish(record.raw)
        return record.id


@asynccontextmanager
async def running(*owners: Owner) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:
        for owner in owners:
            await nursery.start(owner.network.run)
        yield
        nursery.cancel_scope.cancel()


async def test_signed_records_and_presence_travel() -> None:
    """Goal, notices and presence reach a store that listens, and forged bytes do not."""
    a = Owner()
    async with running(a):
        b = Owner(peers=a.network.addresses, speaks=False)
        async with running(b):
            await until(5, lambda: a.network.neighbours())
            goal = a.say(Goal(stamp=Stamp(wall()), swarm="test", text="two weeks in Japan"))
            for i in range(20):
                a.say(Notice(stamp=Stamp(wall(), i), goal=goal, code="test", text=f"note {i}"))
            a.say(Presence(stamp=Stamp(wall()), swarm="test", role="scorer"))
            await until(5, lambda: len(b.store) == 21 and b.store.presences())
            assert b.store.summary(goal) == a.store.summary(goal)
            forged = bytearray(a.store.raw(goal) or b"")
            forged[-10] ^= 1
            a.network.publish(bytes(forged))
            await until(5, lambda: AddResult.REJECTED in b.outcomes)
            assert len(b.store) == 21
            assert b.network.counters().messages_published == 0


async def test_a_late_store_is_level_after_one_exchange() -> None:
    """A peer with an empty disk gets the history of a neighbour, as its digest shows."""
    a = Owner()
    async with running(a):
        goal = a.say(Goal(stamp=Stamp(wall()), swarm="test", text="two weeks in Japan"))
        for i in range(100):
            a.say(Notice(stamp=Stamp(wall(), i), goal=goal, code="test", text=f"note {i}"))
        b = Owner(peers=a.network.addresses)
        async with running(b):
            await until(8, lambda: len(b.store) == 101)
            assert b.store.summary(goal) == a.store.summary(goal)
