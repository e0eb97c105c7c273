"""Which peers are dialled and disconnected, and when: in virtual time, over a fake wire."""

from __future__ import annotations

import hashlib
import math
import random
from typing import Any

import base58
import pytest
import trio

from swarm.net.connections import manager
from swarm.net.connections.dialling import ALONE_SECONDS, OUTBOUND, SILENT_SECONDS
from swarm.net.connections.manager import (
    BACKOFF_MOST_SECONDS,
    CALM_SECONDS,
    CHECK_IDLE_SECONDS,
    FULL_MESH,
    GIVE_UP_FOUND,
    SUBSCRIBE_SECONDS,
    ConnectionManager,
)
from swarm.net.errors import DialError

pytestmark = pytest.mark.trio


class FakeConnection:
    def __init__(self, peer: str, wire: FakeWire) -> None:
        self.peer, self.wire = peer, wire
        self.is_closed = False
        self.muxed_conn = self
        self._ping_id = 0
        self._ping_event = trio.Event()
        self.answered_at = -math.inf
        self.since = trio.current_time()
        self.pings = 0

    async def _write_frame(self, frame: bytes) -> None:
        self.pings += 1
        await trio.sleep(0.01)
        if self.peer not in self.wire.frozen:
            self._ping_event.set()


class FakeWire:
    """Peers that answer or not; stands in for a libp2p host and for `dial`."""

    def __init__(self) -> None:
        self.up: set[str] = set()
        self.frozen: set[str] = set()
        self.mute: set[str] = set()
        self.late_s = 0.0
        """How old a connection is before the other says what it listens to."""
        self.speaking: set[str] = set()
        self.connections: dict[Any, list[FakeConnection]] = {}
        self.tries: list[tuple[float, str]] = []
        self.disconnected: list[str] = []

    def get_network(self) -> FakeWire:
        return self

    def get_id(self) -> str:
        return peer("own")

    def get_connections_map(self) -> dict[Any, list[FakeConnection]]:
        return self.connections

    def get_connections(self, peer: Any) -> list[FakeConnection]:
        return self.connections.get(str(peer), [])

    def subscribers(self) -> frozenset[str]:
        now = trio.current_time()
        return frozenset(
            who
            for who, (connection,) in self.connections.items()
            if who not in self.mute and now - connection.since >= self.late_s
        )

    async def disconnect(self, peer: Any) -> None:
        await trio.lowlevel.checkpoint()
        self.disconnected.append(str(peer))
        self.connections.pop(str(peer), None)

    async def dial(self, host: Any, address: str, key: str | None, limit_seconds: float) -> str:
        self.tries.append((trio.current_time(), address))
        await trio.sleep(0.1)
        peer = address.rpartition("/")[2]
        if peer not in self.up:
            raise DialError(address)
        self.connections[peer] = [FakeConnection(peer, self)]
        return peer


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> FakeWire:
    fake = FakeWire()
    monkeypatch.setattr(manager, "dial", fake.dial)
    monkeypatch.setattr(manager, "peer_id_of", str)
    return fake


def build(wire: FakeWire, *listed: str) -> ConnectionManager:
    return ConnectionManager(
        wire,
        None,
        listed=listed,
        book=None,
        book_folder=None,
        subscribers=wire.subscribers,
        speakers=lambda: frozenset(wire.connections) & wire.speaking,
        heard=lambda peer: None,
        rng=random.Random(1),
    )


def peer(name: str) -> str:
    """A peer id of the right form."""
    key = hashlib.sha256(name.encode()).digest()
    return base58.b58encode(b"\x00\x24\x08\x01\x12\x20" + key).decode()


def address(name: str) -> str:
    return f"/ip4/127.0.0.1/tcp/1/p2p/{peer(name)}"


async def test_a_few_are_dialled_and_replaced(autojump_clock: Any, wire: FakeWire) -> None:
    """Of many candidates four are dialled; one that goes is replaced."""
    names = [f"p{i}" for i in range(FULL_MESH + 1)]
    wire.up.update(map(peer, names))
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for name in names:
            subject.found(address(name))
        await trio.sleep(3)
        assert len(wire.connections) == OUTBOUND
        gone = next(iter(wire.connections))
        wire.up.discard(gone)
        del wire.connections[gone]
        await trio.sleep(5)
        assert len(wire.connections) == OUTBOUND
        assert all(n.outbound and n.subscribed for n in subject.neighbours())
        nursery.cancel_scope.cancel()


async def test_among_listeners_alone_others_are_dialled_until_one_speaks(
    autojump_clock: Any, wire: FakeWire
) -> None:
    """Listeners cannot bring a newcomer up to date, so it goes on to dial other peers."""
    names = [f"p{i}" for i in range(2 * FULL_MESH)]
    wire.up.update(map(peer, names))
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for name in names:
            subject.found(address(name))
        await trio.sleep(ALONE_SECONDS - 1)
        assert len(wire.connections) == OUTBOUND
        await trio.sleep(ALONE_SECONDS)
        assert len(wire.connections) > OUTBOUND
        wire.speaking.update(wire.connections)
        met = len(wire.connections)
        await trio.sleep(10 * ALONE_SECONDS)
        assert len(wire.connections) == met
        nursery.cancel_scope.cancel()


async def test_a_silent_peer_is_dialled_although_all_connections_are_in_use(
    autojump_clock: Any, wire: FakeWire
) -> None:
    """A cut swarm fills its connections on each side: after it, the other side is found again."""
    here = [f"p{i}" for i in range(FULL_MESH)]
    there = [f"q{i}" for i in range(FULL_MESH)]
    wire.up.update(map(peer, [*here, *there]))
    wire.speaking.update(wire.up)
    subject = build(wire)

    async def talk(names: list[str], seconds: float) -> None:
        for _ in range(int(seconds / 5)):
            for name in names:
                subject.heard_from(peer(name))
            await trio.sleep(5)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for name in [*here, *there]:
            subject.found(address(name))
        await talk([*here, *there], 4 * SILENT_SECONDS)
        assert len(wire.connections) == OUTBOUND, "in a whole swarm nobody is looked for"
        wire.up.difference_update(map(peer, there))
        for name in there:
            wire.connections.pop(peer(name), None)
        await talk(here, 2 * SILENT_SECONDS)
        assert set(wire.connections) <= set(map(peer, here))
        assert len(wire.connections) == OUTBOUND
        wire.up.update(map(peer, there))
        await talk(here, SILENT_SECONDS)
        assert set(wire.connections) & set(map(peer, there))
        nursery.cancel_scope.cancel()


async def test_in_a_small_swarm_all_meet(autojump_clock: Any, wire: FakeWire) -> None:
    """Peers that are not connected yet are dialled one by one, until all are."""
    names = [f"p{i}" for i in range(FULL_MESH)]
    wire.up.update(map(peer, names))
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for name in names:
            subject.found(address(name))
        await trio.sleep(1)
        assert len(wire.connections) <= OUTBOUND + 2
        await trio.sleep(CHECK_IDLE_SECONDS * FULL_MESH)
        assert set(subject.connected()) == set(map(peer, names))
        assert subject.dials == FULL_MESH
        nursery.cancel_scope.cancel()


async def test_of_two_idle_neighbours_one_asks(autojump_clock: Any, wire: FakeWire) -> None:
    """A peer that has just answered a ping sends none; it does once the other stops pinging."""
    wire.up.add(peer("p"))
    subject = build(wire, address("p"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        await trio.sleep(1)
        ((connection,),) = wire.connections.values()
        for _ in range(20):
            await trio.sleep(3)
            connection.answered_at = trio.current_time()
        assert connection.pings == 0
        await trio.sleep(20)
        assert connection.pings >= 2
        nursery.cancel_scope.cancel()


async def test_a_listed_address_is_dialled_for_ever(autojump_clock: Any, wire: FakeWire) -> None:
    """After many failures the pauses are still bounded, and the first success links."""
    subject = build(wire, address("far"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        await trio.sleep(1_200)
        pauses = [b[0] - a[0] for a, b in zip(wire.tries, wire.tries[1:], strict=False)]
        assert pauses[0] < 1
        assert max(pauses) <= BACKOFF_MOST_SECONDS + 1
        assert len(wire.tries) < 1_200 / (BACKOFF_MOST_SECONDS / 2) + 20
        wire.up.add(peer("far"))
        await trio.sleep(BACKOFF_MOST_SECONDS + 1)
        assert list(wire.connections) == [peer("far")]
        nursery.cancel_scope.cancel()


async def test_a_found_address_is_forgotten_and_can_return(
    autojump_clock: Any, wire: FakeWire
) -> None:
    """A discovered address is dropped after some failures, until it is discovered again."""
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        subject.found(address("ghost"))
        await trio.sleep(600)
        assert len(wire.tries) == GIVE_UP_FOUND
        wire.up.add(peer("ghost"))
        subject.found(address("ghost"))
        await trio.sleep(2)
        assert list(wire.connections) == [peer("ghost")]
        nursery.cancel_scope.cancel()


async def test_a_silent_neighbour_is_replaced(autojump_clock: Any, wire: FakeWire) -> None:
    """One that answers no ping is disconnected in about ten seconds, and dialled again."""
    wire.up.add(peer("p"))
    subject = build(wire, address("p"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        await trio.sleep(60)
        assert wire.disconnected == []
        wire.frozen.add(peer("p"))
        await trio.sleep(20)
        assert peer("p") in wire.disconnected
        wire.frozen.clear()
        await trio.sleep(20)
        assert list(wire.connections) == [peer("p")]
        nursery.cancel_scope.cancel()


async def test_a_mute_neighbour_is_let_go_with_growing_pauses(
    autojump_clock: Any, wire: FakeWire
) -> None:
    """One that never says it listens to our topic is not redialled in a hurry."""
    wire.up.add(peer("p"))
    wire.mute.add(peer("p"))
    subject = build(wire, address("p"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        await trio.sleep(300)
        assert 3 <= len(wire.disconnected) <= 40
        nursery.cancel_scope.cancel()


async def test_neighbours_that_are_only_late_are_kept(autojump_clock: Any, wire: FakeWire) -> None:
    """On a starved machine all are late: hanging up on them again and again keeps them so."""
    names = [f"p{i}" for i in range(8)]
    wire.up.update(map(peer, names))
    subject = build(wire, *map(address, names))
    wire.late_s = 20.0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        await trio.sleep(120)
        let_go = len(wire.disconnected)
        assert let_go <= len(names)
        assert {n.peer_id for n in subject.neighbours() if n.subscribed} == set(map(peer, names))
        await trio.sleep(CALM_SECONDS)
        assert len(wire.disconnected) == let_go
        # Nobody was late for long: the usual measure again.
        wire.late_s = math.inf
        wire.connections.clear()
        await trio.sleep(2 * SUBSCRIBE_SECONDS)
        assert len(wire.disconnected) > let_go
        nursery.cancel_scope.cancel()


async def test_one_that_accepts_only_to_hang_up_is_not_stormed(
    autojump_clock: Any, wire: FakeWire
) -> None:
    """Successful dials are paced too, and a connection that lasted is replaced at once."""
    wire.up.add(peer("p"))
    subject = build(wire, address("p"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for _ in range(1_000):
            await trio.sleep(0.1)
            wire.connections.clear()
        assert len(wire.tries) < 20
        await trio.sleep(60)
        before = len(wire.tries)
        wire.connections.clear()
        await trio.sleep(1.5)
        assert len(wire.tries) == before + 1
        nursery.cancel_scope.cancel()


async def test_nonsense_and_itself_are_never_dialled(autojump_clock: Any, wire: FakeWire) -> None:
    """Addresses that cannot be used, and this peer's own, are ignored."""
    subject = build(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subject.run)
        for text in ("", "nonsense", "/ip4/1.2.3.4/udp/1", "/p2p/x", address("own")):
            subject.found(text)
        await trio.sleep(10)
        assert wire.tries == []
        nursery.cancel_scope.cancel()
