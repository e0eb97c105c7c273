"""Many peers that were given the same address form one swarm, however few slots its peer has.

The real `ConnectionManager` and `InboundSlots` of every peer, in virtual time, over a wire that
only connects and introduces as `swarm.net.discovery.peer_exchange` does. At the end a few real
hosts do the same.
"""

from __future__ import annotations

import contextlib
import functools
import math
import random
import socket
from typing import Any

import pytest
import trio

from swarm.net.connections import host, inbound_slots, manager
from swarm.net.connections.dialling import OUTBOUND
from swarm.net.connections.inbound_slots import MAX_INBOUND, InboundSlots
from swarm.net.connections.manager import ConnectionManager
from swarm.net.discovery.peer_exchange import MAX_NAMED, PERIOD_SECONDS
from swarm.net.errors import DialError
from tests.net.connections.test_manager import peer
from tests.net.discovery.test_peer_exchange import enter
from tests.net.hosts import Member, members, stranger, until
from tests.net.memory import make

pytestmark = pytest.mark.trio


class Connection:
    """One end of a connection."""

    is_closed = False
    answered_at = -math.inf

    @property
    def muxed_conn(self) -> Connection:
        return self


class Peer:
    """A peer's `ConnectionManager` and `InboundSlots`, and what stands in for its libp2p host."""

    def __init__(self, world: World, name: str, *listed: str) -> None:
        self.world = world
        self.id = peer(name)
        self.address = f"/ip4/127.0.0.1/tcp/{len(world.peers) + 1}/p2p/{self.id}"
        self.is_idle = False
        self.connections: dict[str, list[Connection]] = {}
        self.introduced: set[str] = set()
        self.slots = InboundSlots(world.rng)
        self.links = ConnectionManager(
            self,
            None,
            listed=listed,
            book=None,
            book_folder=None,
            subscribers=lambda: frozenset(self.connections),
            speakers=lambda: frozenset(p for p in self.connections if not world.peers[p].is_idle),
            heard=lambda _: trio.current_time(),
            rng=world.rng,
        )
        world.peers[self.id] = self

    def get_network(self) -> Peer:
        return self

    def get_id(self) -> str:
        return self.id

    def get_connections_map(self) -> dict[str, list[Connection]]:
        return self.connections

    def get_connections(self, other: Any) -> list[Connection]:
        return self.connections.get(str(other), [])

    async def disconnect(self, other: Any) -> None:
        await trio.lowlevel.checkpoint()
        self.world.cut(self, self.world.peers[str(other)])

    async def run(self) -> None:
        """Maintain the connections, and ask a neighbour for others now and then."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.links.run)
            while True:
                await trio.sleep(PERIOD_SECONDS * self.world.rng.uniform(0.5, 1.0))
                if self.connections:
                    other = self.world.rng.choice(sorted(self.connections))
                    self.ask(self.world.peers[other])

    def ask(self, other: Peer) -> None:
        """One exchange of addresses."""
        if self.is_idle:
            return
        other.introduced.add(self.id)
        other.links.found(self.address, self.id)
        known = other.introduced & other.connections.keys() - {self.id}
        named = [self.world.peers[p].address for p in sorted(known)]
        for address in self.world.rng.sample(named, min(MAX_NAMED, len(named))):
            self.links.found(address, other.id)


class World:
    """All peers and their connections."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.peers: dict[str, Peer] = {}
        self.visits: dict[frozenset[str], tuple[Peer, Any]] = {}

    async def dial(self, dialler: Peer, address: str, key: str | None, limit_seconds: float) -> str:
        await trio.sleep(self.rng.uniform(0.05, 0.2))
        target = self.peers.get(address.rpartition("/")[2])
        if target is None or target.id in dialler.connections:
            raise DialError(address)
        visit = target.slots.admit(trio.current_time(), lambda: self.cut(dialler, target))
        if visit is None:
            raise DialError(address)
        self.visits[frozenset((dialler.id, target.id))] = (target, visit)
        for one, other in ((dialler, target), (target, dialler)):
            one.connections[other.id] = [Connection()]
        dialler.ask(target)
        target.ask(dialler)
        return target.id

    def cut(self, one: Peer, other: Peer) -> None:
        if one.connections.pop(other.id, None) is not None:
            del other.connections[one.id]
            target, visit = self.visits.pop(frozenset((one.id, other.id)))
            target.slots.release(visit)

    def end(self, gone: Peer) -> None:
        for other in list(gone.connections):
            self.cut(gone, self.peers[other])
        del self.peers[gone.id]

    def largest(self, among: list[Peer]) -> int:
        """How many of these are connected with each other, by way of these."""
        left, most = {p.id for p in among}, 0
        while left:
            reached = [left.pop()]
            for one in reached:
                more = left & self.peers[one].connections.keys()
                left -= more
                reached += more
            most = max(most, len(reached))
        return most


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(1)
    monkeypatch.setattr(manager, "dial", world.dial)
    monkeypatch.setattr(manager, "peer_id_of", str)
    return world


async def test_a_hundred_behind_one_address_are_one_swarm(
    autojump_clock: Any, world: World
) -> None:
    """They meet within a minute and stay together, even when the peer at that address is gone.

    Fails when the first peers to connect keep the others out for ever.
    """
    hub = Peer(world, "hub")
    crowd = [Peer(world, f"p{n}", hub.address) for n in range(100)]
    async with trio.open_nursery() as nursery:
        lives = trio.CancelScope()

        async def live_for_a_while() -> None:
            with lives:
                await hub.run()

        nursery.start_soon(live_for_a_while)
        for one in crowd:
            nursery.start_soon(one.run)
        await trio.sleep(60)
        for _ in range(12):
            assert world.largest([hub, *crowd]) == 101
            assert len(hub.connections) <= MAX_INBOUND + OUTBOUND
            await trio.sleep(5)
        lives.cancel()
        world.end(hub)
        await trio.sleep(1)
        assert world.largest(crowd) == 100
        nursery.cancel_scope.cancel()


async def test_idle_strangers_in_every_place_keep_no_swarm_apart(
    autojump_clock: Any, world: World
) -> None:
    """Though strangers came first and keep returning, honest peers meet in a minute or two."""
    hub = Peer(world, "hub")
    crowd = [Peer(world, f"p{n}", hub.address) for n in range(20)]
    idle = [Peer(world, f"idle{n}", hub.address) for n in range(MAX_INBOUND + 20)]
    async with trio.open_nursery() as nursery:
        for one in idle:
            one.is_idle = True
            nursery.start_soon(one.links.run)
        nursery.start_soon(hub.run)
        await trio.sleep(20)
        assert len(hub.slots) == MAX_INBOUND
        for one in crowd:
            nursery.start_soon(one.run)
        with trio.fail_after(300):
            while world.largest([hub, *crowd]) < 21:  # noqa: ASYNC110  # nobody signals that
                await trio.sleep(5)
        nursery.cancel_scope.cancel()


async def test_real_hosts_behind_one_address_are_one_swarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven peers know the address of one with room for four: all get what each publishes."""
    monkeypatch.setattr(host, "InboundSlots", functools.partial(InboundSlots, settled=2, guests=2))
    monkeypatch.setattr(inbound_slots, "GUEST_SECONDS", 1.0)
    hub = Member()
    async with members(hub):
        crowd = [Member(peers=(hub.address,), speaks=n > 0) for n in range(7)]
        async with members(*crowd):
            for n, one in enumerate(crowd[1:]):
                one.publish(make(None, f"goal {n}"))
            await until(20, lambda: all(len(m.records) == 6 for m in (hub, *crowd)))
            await until(20, lambda: inbound(hub) <= 4)


async def test_own_dials_have_room_when_strangers_have_every_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Idle strangers hold all slots: peers that it dials and peers that dial it still hear it."""
    monkeypatch.setattr(host, "InboundSlots", functools.partial(InboundSlots, settled=2, guests=1))
    monkeypatch.setattr(inbound_slots, "GUEST_SECONDS", 1.0)
    late = f"/ip4/127.0.0.1/tcp/{free_port()}"
    victim = Member(peers=(late,))
    async with members(victim), contextlib.AsyncExitStack() as strangers:
        for _ in range(3):
            await enter(await strangers.enter_async_context(stranger(victim)))
        assert inbound(victim) == 3
        victim.publish(make(None, "said before"))
        dialled, dialling = Member(listen=(late,)), Member(peers=(victim.address,))
        async with members(dialled, dialling, link=False):
            await until(20, lambda: dialled.records and dialling.records)
            assert dialled.network.peer_id in victim.network.connected()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def inbound(member: Member) -> int:
    return sum(not n.outbound for n in member.network.neighbours())
