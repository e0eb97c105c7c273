"""The timers of presence: a killed neighbour is missed in seconds, and errors end no peer."""

from __future__ import annotations

from typing import Any

import pytest
import structlog
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from swarm.core.clock import Stamp
from swarm.core.records import Presence, Record, sign
from swarm.core.store.store import Store
from swarm.gossip.presence import GONE_MS
from swarm.peer.peer import Peer
from swarm.peer.presence_loop import MEET_MS, PresenceLoop
from swarm.peer.settings import PeerSettings

NOW = 1_000_000
ME = b"me" * 16
KEY = Ed25519PrivateKey.from_private_bytes(b"\x05" * 32)


def presence(ms: int) -> Record:
    return sign(Presence(stamp=Stamp(ms), swarm="test", role="decomposer", peer="transport"), KEY)


class Wires:
    """The neighbours of a peer, which can be cut."""

    def __init__(self) -> None:
        self.linked = ["transport"]
        self.told_gone: list[str] = []
        self.published: list[bytes] = []

    def publish(self, raw: bytes) -> None:
        self.published.append(raw)

    def connected(self) -> tuple[str, ...]:
        return tuple(self.linked)

    def left(self, peer: str) -> None:
        self.told_gone.append(peer)


@pytest.mark.trio
async def test_an_old_presence_does_not_bring_back_a_peer_that_is_gone(
    autojump_clock: object,
) -> None:
    """After a neighbour was missed, repetitions of its last presence do not count."""
    store = Store("test")
    loop = PresenceLoop(store, ME, publish_own=lambda: None, on_missed=lambda: None)
    store.on_new = loop.heard
    wires = Wires()
    first, last, back = presence(NOW), presence(NOW + 20_000), presence(NOW + 30_000)
    store.add(first.raw, NOW)
    store.add(last.raw, NOW + 20_000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(loop.watch, wires)
        await trio.sleep(2)
        assert store.present == 1
        wires.linked.clear()
        await trio.sleep(GONE_MS / 1000 + 2)
        assert store.present == 0
        assert wires.told_gone == ["transport"]
        store.add(last.raw, NOW + 25_000)
        store.add(first.raw, NOW + 25_000)
        assert store.present == 0
        store.add(back.raw, NOW + 30_000)
        assert store.present == 1
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_a_newcomer_wakes_the_loop(autojump_clock: object) -> None:
    """Long before the interval is over, the peer shows itself and repeats who else is here."""
    store, wires, shown = Store("test"), Wires(), 0

    def show() -> None:
        nonlocal shown
        shown += 1

    loop = PresenceLoop(store, ME, publish_own=show, on_missed=lambda: None)
    other = presence(NOW)
    store.add(other.raw, NOW)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(loop.speak, wires)
        await trio.sleep(5)
        assert shown == 1
        loop.newcomer()
        await trio.sleep(1)
        assert shown == 2
        assert wires.published == [other.raw]
        nursery.cancel_scope.cancel()


@pytest.mark.trio
@pytest.mark.parametrize(
    "odd", [{"name": "caf\udce9"}, {"capabilities": ("c" * 65,)}, {"capabilities": ("\udce9",)}]
)
async def test_what_no_presence_can_carry_ends_no_peer(
    odd: dict[str, Any], autojump_clock: object
) -> None:
    """A peer whose name or capability fits no record goes on, and tries again."""
    peer = Peer(PeerSettings(role="submitter", mdns=False, **odd))
    tries = 0

    def say() -> None:
        nonlocal tries
        tries += 1
        peer._publish_presence()

    with trio.move_on_after(100):
        loop = PresenceLoop(peer.store, peer.author, publish_own=say, on_missed=lambda: None)
        await loop.speak(Wires())
    assert tries > 2


@pytest.mark.trio
async def test_many_peers_gone_at_once_take_one_log_line(autojump_clock: object) -> None:
    """Presences made up for one transport id cost one line when it is gone, not one each."""
    store, wires = Store("test"), Wires()
    loop = PresenceLoop(store, ME, publish_own=lambda: None, on_missed=lambda: None)
    for number in range(200):
        key = Ed25519PrivateKey.from_private_bytes(number.to_bytes(32))
        body = Presence(
            stamp=Stamp(NOW), swarm="test", role="scorer", name=f"s{number}", peer="transport"
        )
        store.add(sign(body, key).raw, NOW)
    with structlog.testing.capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(loop.watch, wires)
            await trio.sleep(2)
            wires.linked.clear()
            await trio.sleep(GONE_MS / 1000 + 2)
            nursery.cancel_scope.cancel()
    assert store.present == 0
    (line,) = logs
    assert (line["event"], line["count"]) == ("peers_gone", 200)
    assert len(str(line)) < 300


@pytest.mark.trio
async def test_nobody_is_missed_before_anybody_could_be_heard(autojump_clock: object) -> None:
    """A peer that has just started cannot tell who is missing; one that met others can at once."""
    store, wires = Store("test"), Wires()
    alone = PresenceLoop(store, ME, publish_own=lambda: None, on_missed=lambda: None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alone.watch, wires)
        await trio.sleep(1)
        assert not alone.acquainted()
        met = PresenceLoop(store, ME, publish_own=lambda: None, on_missed=lambda: None)
        met.heard(presence(NOW))
        assert met.acquainted()
        await trio.sleep(MEET_MS / 1000)
        assert alone.acquainted()
        nursery.cancel_scope.cancel()
