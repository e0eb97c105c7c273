"""Networks on real libp2p hosts in one process: what a peer's owner can rely on."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import outcome
import pytest
import trio

from swarm.core.records import record_id
from swarm.gossip import handoff
from swarm.net import network
from swarm.net.addresses import parse_address
from swarm.net.connections import host as host_module
from swarm.net.connections import manager
from swarm.net.connections.host import build_host, dial, hang_up
from swarm.net.connections.inbound_slots import InboundSlots
from swarm.net.errors import DialError, ListenError, SilentPeerError
from tests.net.hosts import Member, members, until
from tests.net.memory import history, make

KEY, OTHER_KEY = "11" * 32, "22" * 32


def _has(member: Member, count: int) -> bool:
    return len(member.records) == count


@pytest.mark.trio
async def test_records_arrive_and_the_own_echo_does_not() -> None:
    """Each record reaches the other's set and owner once; no peer receives its own."""
    a = Member()
    async with members(a):
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked)
            raws = history(20)
            a.publish(*raws[:10])
            b.publish(*raws[10:])
            await until(5, lambda: len(a.records) == len(b.records) == 20)
            assert sorted(a.new()) == sorted(raws[10:])
            assert sorted(b.new()) == sorted(raws[:10])
            await until(5, lambda: a.network.counters().messages_published)
            neighbour = b.network.neighbours()[0]
            assert neighbour.peer_id == a.network.peer_id
            assert (neighbour.outbound, neighbour.subscribed) == (True, True)
            assert neighbour.address in a.address


@pytest.mark.trio
async def test_published_before_any_link_arrives_later() -> None:
    """Records published before there was any neighbour reach the first one, by gossip or sync."""
    for may_ask in (True, False):
        raws = history(5)
        a = Member(may_ask=may_ask)
        a.publish(*raws[:2])
        async with members(a):
            a.publish(*raws[2:])
            await trio.sleep(0.1)
            b = Member(peers=(a.address,), may_ask=may_ask)
            async with members(b):
                await until(5, functools.partial(_has, b, 5))


@pytest.mark.trio
async def test_presence_is_sent_and_newcomers_are_reported() -> None:
    """A record that the set does not keep travels too, and a newcomer is reported."""
    a = Member()
    async with members(a):
        b = Member(peers=(a.address,), speaks=False)
        async with members(b):
            await until(5, lambda: a.newcomers)
            a.network.publish(make(bytes(32), "old", kind="presence"))
            a.network.publish(make(bytes(32), "here", kind="presence"))
            await until(5, lambda: b.records.presence)
            assert b.records.presence == [make(bytes(32), "here", kind="presence")]


@pytest.mark.trio
async def test_a_listener_gets_everything_and_publishes_nothing() -> None:
    """Neither gossip nor a stream leaves it; libp2p's own counter proves it."""
    raws = history(120, text="x" * 500)
    a = Member(*raws)
    async with members(a):
        b = Member(peers=(a.address,), speaks=False, may_ask=False)
        async with members(b):
            assert b.network._pubsub is not None
            sequence = b.network._pubsub.counter
            await until(8, lambda: len(b.records) == 120)
            counters = b.network.counters()
            assert (counters.messages_published, counters.syncs) == (0, 0)
            assert b.network._pubsub.published == 0
            assert b.network._pubsub.counter == sequence


@pytest.mark.trio
async def test_a_listener_that_lost_records_is_served_again() -> None:
    """It announces its subscription again, stays in the mesh meanwhile, and publishes nothing."""
    raws = history(30)
    a = Member(*raws)
    async with members(a):
        b = Member(peers=(a.address,), speaks=False, may_ask=False)
        async with members(b):
            await until(8, lambda: len(b.records) == 30)
            for raw in raws[5:15]:
                b.records.forget(record_id(raw))
            await until(15, lambda: len(b.records) == 30)
            assert b.network.counters().resubscriptions >= 1
            assert b.network.counters().messages_published == 0
            a.publish(make(record_id(raws[0]), "after"))
            await until(3, lambda: len(b.records) == 31)


@pytest.mark.trio
async def test_a_listener_hands_off_what_it_alone_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses a stream to a speaker, passing over another listener, and publishes nothing."""
    monkeypatch.setattr(handoff, "LASTING_MS", 500)
    monkeypatch.setattr(handoff, "CHECK_MS", 100)
    raws = history(20)
    speaker = Member()
    async with members(speaker):
        mute = Member(peers=(speaker.address,), speaks=False, may_ask=False)
        async with members(mute):
            addresses = speaker.address, mute.address
            listener = Member(
                *raws, peers=addresses, speaks=False, may_ask=False, may_hand_off=True
            )
            async with members(listener):
                await until(20, lambda: len(speaker.records) == 20)
                assert listener.network.counters().messages_published == 0
                await until(20, lambda: len(mute.records) == 20)


@pytest.mark.trio
async def test_two_sides_of_a_partition_are_level_by_sync() -> None:
    """Peers that ran apart end with the union in one session once they connect."""
    goal, *notes = history(61)
    a, b = Member(goal, *notes[:30]), Member(goal, *notes[30:])
    async with members(a):
        b = Member(goal, *notes[30:], peers=(a.address,))
        async with members(b):
            await until(5, lambda: len(a.records) == len(b.records) == 61)
            await until(5, lambda: b.network.counters().syncs + a.network.counters().syncs)


@pytest.mark.trio
async def test_refused_records_are_not_sent_again() -> None:
    """A record that a peer will never keep crosses the sync stream once."""
    a = Member(*history(3))
    async with members(a):
        b = Member(peers=(a.address,))
        stale = make(record_id(history(3)[0]), "gone")
        b.records.add(stale, 0)
        refused: list[bytes] = []
        add = a.records.add

        def refuse(raw: bytes, now_ms: int) -> Any:
            if raw == stale:
                refused.append(raw)
                return type(add(history(3)[0], 0)).STALE
            return add(raw, now_ms)

        a.records.add = refuse  # type: ignore[method-assign]
        async with members(b):
            await until(5, lambda: refused and b.network.counters().syncs)
            # Each side counts a session when it has ended there.
            await until(5, lambda: a.network.counters().syncs)
            came = len([raw for raw, _ in a.told if raw == stale])
            sync = a.network._sync
            assert sync is not None
            before = a.network.counters().sync_bytes
            await sync.ask(b.network.peer_id)
            assert a.network.counters().sync_bytes - before < 200
            assert len([raw for raw, _ in a.told if raw == stale]) <= came + 1


@pytest.mark.trio
async def test_members_with_the_key_meet_and_others_stay_out() -> None:
    """The same key connects; a wrong key and no key are refused within a time limit."""
    a = Member(swarm_key=KEY)
    async with members(a):
        b = Member(swarm_key=KEY, peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked)
            a.publish(make(None, "secret"))
            await until(5, lambda: len(b.records) == 1)
        for key in (OTHER_KEY, None):
            host = build_host(("/ip4/127.0.0.1/tcp/0",), key)
            async with host.run(listen_addrs=[]):
                began = trio.current_time()
                with pytest.raises(DialError, match=r"swarm key|could not connect"):
                    await dial(host, a.address, key, 1.5)
                assert trio.current_time() - began < 3


@pytest.mark.trio
async def test_plaintext_is_refused() -> None:
    """A peer that offers only plaintext gets no connection, though stock libp2p would give one."""
    from libp2p import new_host
    from libp2p.crypto.ed25519 import create_new_key_pair
    from libp2p.peer.peerinfo import info_from_p2p_addr
    from libp2p.security.insecure.transport import PLAINTEXT_PROTOCOL_ID, InsecureTransport
    from multiaddr import Multiaddr

    a = Member()
    async with members(a):
        pair = create_new_key_pair()
        host = new_host(key_pair=pair, sec_opt={PLAINTEXT_PROTOCOL_ID: InsecureTransport(pair)})
        async with host.run(listen_addrs=[]):
            with pytest.raises(Exception, match="unable to connect"), trio.fail_after(10):
                await host.connect(info_from_p2p_addr(Multiaddr(a.address)))
        assert a.network.neighbours() == ()


@pytest.mark.trio
async def test_connections_that_ended_do_not_use_up_the_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stranger that connects more often than there are slots keeps nobody out."""
    monkeypatch.setattr(
        host_module, "InboundSlots", functools.partial(InboundSlots, settled=2, guests=1)
    )
    a = Member()
    async with members(a):
        assert a.network._connections is not None
        inner = a.network._connections._network
        inner.connection_config.max_connections = 3
        inner._inbound_limiter.total_tokens = 3
        for _ in range(6):
            host = build_host(("/ip4/127.0.0.1/tcp/0",), None)
            async with host.run(listen_addrs=[]):
                await dial(host, a.address, None, 5)
                await hang_up(host)
            await until(5, lambda: not a.network.neighbours())
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: a.linked == 1)


@pytest.mark.trio
async def test_ending_closes_everything_at_once() -> None:
    """A network that is cancelled in a living process leaves no connection and no listener."""
    a = Member()
    async with members(a):
        for _ in range(4):
            b = Member(peers=(a.address,))
            async with members(b):
                await until(5, lambda: a.linked)
                _, host, port = parse_address(b.address)
            await until(1, lambda: not a.network.neighbours())
            with pytest.raises(OSError, match="connect"):
                await trio.open_tcp_stream(host, port)


@pytest.mark.trio
async def test_the_book_links_peers_without_configuration(tmp_path: Path) -> None:
    """Peers that share an address book find each other, and leave no entry behind."""
    book = tmp_path / "book"
    three = [Member(address_book=book) for _ in range(3)]
    async with members(*three):
        await until(5, lambda: all(m.linked == 2 for m in three))
        assert len(list(book.iterdir())) == 3
    assert list(book.iterdir()) == []


@pytest.mark.trio
async def test_a_taken_port_is_explained() -> None:
    """Listening on a port in use, even by another peer, fails at the start with an explanation."""
    with trio.socket.socket() as taken:
        await taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        member = Member(listen=(f"/ip4/127.0.0.1/tcp/{port}",))
        with pytest.raises(ListenError, match="taken by another program"):
            await member.network.run()
    first = Member()
    async with members(first):
        second = Member(listen=(first.address.partition("/p2p/")[0],))
        with pytest.raises(ListenError, match="taken by another program"):
            await second.network.run()


@pytest.mark.trio
async def test_a_host_that_fails_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """When libp2p itself fails, the network comes back on the same port with its records."""
    monkeypatch.setattr(network, "REBUILD_FIRST_SECONDS", 0.05)
    a = Member(*history(10))
    async with members(a):
        b = Member(peers=(a.address,))
        async with members(b):
            await until(5, lambda: len(b.records) == 10)
            old, port = a.network.peer_id, a.address.split("/")[4]
            assert a.network._pubsub is not None
            await a.network._pubsub.manager.stop()
            await until(5, lambda: a.network.counters().rebuilds == 1)
            await until(5, lambda: a.network.peer_id != old)
            assert a.address.split("/")[4] == port
            await until(10, lambda: a.linked and b.linked)
            a.publish(make(None, "back"))
            await until(5, lambda: len(b.records) == 11)


@pytest.mark.trio
async def test_a_neighbour_of_another_swarm_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A connected peer that never subscribes to our topic is disconnected."""
    monkeypatch.setattr(manager, "SUBSCRIBE_SECONDS", 0.3)
    monkeypatch.setattr(manager, "CHECK_SHORT_SECONDS", 0.05)
    a = Member(swarm="one")
    async with members(a):
        b = Member(swarm="two", peers=(a.address,))
        async with members(b, link=False):
            await until(5, lambda: a.network.neighbours())
            await until(5, lambda: not a.network.neighbours())


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    loop.call_soon_threadsafe(call)


def test_it_runs_as_a_guest_on_asyncio() -> None:
    """Two networks under trio's guest mode exchange records while asyncio goes on."""
    raws = history(10)
    ticks = 0

    async def swarm() -> int:
        a = Member()
        async with members(a):
            b = Member(peers=(a.address,), mdns=False)
            async with members(b):
                await until(5, lambda: a.linked)
                a.publish(*raws)
                await until(5, lambda: len(b.records) == 10)
                return len(b.records)

    async def main() -> int:
        nonlocal ticks
        loop = asyncio.get_running_loop()
        done: asyncio.Future[int] = loop.create_future()

        def finished(result: outcome.Outcome[int]) -> None:
            if isinstance(result, outcome.Error):
                done.set_exception(result.error)
            else:
                done.set_result(result.unwrap())

        trio.lowlevel.start_guest_run(
            swarm,
            run_sync_soon_threadsafe=lambda call: _soon(loop, call),
            done_callback=finished,
            host_uses_signal_set_wakeup_fd=True,
        )
        while not done.done():
            ticks += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(done), 0.01)
        return await done

    assert asyncio.run(main()) == 10
    assert ticks >= 3


def test_a_listener_cannot_publish() -> None:
    """Publishing on a peer that only listens is refused at once."""
    with pytest.raises(SilentPeerError, match="only listens"):
        Member(speaks=False).network.publish(make(None, "x"))


def test_only_records_can_be_published() -> None:
    """Bytes of a size that no record can have are refused at once."""
    member = Member()
    for raw in (b"", bytes(96), bytes(64 * 1024 + 1)):
        with pytest.raises(ValueError, match="a record has"):
            member.network.publish(raw)
