"""Real peers in processes of their own: late, killed, restarted, stopped, and without a book."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.net.memory import history, make
from tests.net.processes import Peer, peers

pytestmark = pytest.mark.trio


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return {"swarm": f"t{secrets.token_hex(4)}", "address_book": str(tmp_path / "book")}


def entries(book: Path) -> set[str]:
    return {file.name for file in book.iterdir()}


def without(peer: Peer) -> Any:
    return lambda neighbours: peer.peer_id not in neighbours


def linked(count: int) -> Any:
    return lambda neighbours: len(neighbours) >= count


async def test_late_peers_get_everything(options: dict[str, Any]) -> None:
    """A mute listener, one that may ask and a speaker each have 200 records soon after starting.

    The listeners have published nothing: libp2p's own counter says so.
    """
    raws = history(200, text="x" * 400)
    async with peers(2, **options) as (a, b):
        for peer in (a, b):
            await peer.until(10, neighbours=linked(1))
        for i in range(0, 200, 20):
            await (a, b)[i // 20 % 2].publish(*raws[i : i + 20])
        for peer in (a, b):
            await peer.until(10, count=200)
        digest = (await a.state())["digest"]
        modes: list[dict[str, Any]] = [{"speaks": False, "may_ask": False}, {"speaks": False}, {}]
        async with peers(3, each=modes, **options) as late:
            for peer in late:
                await peer.until(10, count=200, digest=digest)
            for listener in late[:2]:
                state = await listener.state()
                assert state["libp2p_published"] == 0
                assert state["counters"]["messages_published"] == 0


async def test_killed_and_restarted_on_the_same_port(options: dict[str, Any]) -> None:
    """After kill -9, a peer at the same address is found again by the others, and catches up."""
    del options["address_book"]
    async with peers(1, **options) as (a,):
        listed = a.addresses[0].partition("/p2p/")[0]
        async with peers(2, peers=[a.addresses[0]], **options) as (b, c):
            await a.until(10, neighbours=linked(2))
            raws = history(30)
            await b.publish(*raws[:10])
            await c.until(10, count=10)
            await a.kill()
            for peer in (b, c):
                await peer.until(10, neighbours=without(a))
            await b.publish(*raws[10:20])
            async with peers(1, listen=[listed], **options) as (again,):
                assert again.peer_id != a.peer_id
                await again.until(20, neighbours=linked(2))
                await c.publish(*raws[20:])
                for peer in (again, b, c):
                    await peer.until(10, count=30)


@pytest.mark.slow
async def test_one_of_five_killed_harms_nobody(options: dict[str, Any]) -> None:
    """Killing a peer in the middle of an exchange loses nothing that the others published."""
    raws = history(60)
    async with peers(5, **options) as five:
        for peer in five:
            await peer.until(15, neighbours=linked(3))
        for i, raw in enumerate(raws):
            if i == 30:
                await five[4].kill()
            await five[i % 4].publish(raw)
        for peer in five[:4]:
            await peer.until(10, count=60)


async def test_stopped_and_continued(options: dict[str, Any]) -> None:
    """A peer that was suspended for a while has everything soon after it goes on."""
    raws = history(40)
    async with peers(3, **options) as (a, b, c):
        for peer in (a, b, c):
            await peer.until(10, neighbours=linked(2))
        await a.publish(*raws[:10])
        await c.until(10, count=10)
        b.pause()
        await a.publish(*raws[10:30])
        await c.until(10, count=30)
        await trio.sleep(2)
        b.resume()
        await c.publish(*raws[30:])
        for peer in (a, b, c):
            await peer.until(15, count=40)


@pytest.mark.slow
async def test_stopped_until_given_up_and_continued(options: dict[str, Any]) -> None:
    """A silent neighbour is disconnected, and connected again when it answers."""
    raws = history(30)
    async with peers(2, **options) as (a, b):
        await a.until(10, neighbours=linked(1))
        b.pause()
        await a.publish(*raws)
        await a.until(40, neighbours=[])
        b.resume()
        await b.until(60, count=30)
        await a.until(60, neighbours=linked(1))


async def test_a_stale_entry_in_the_book_is_cleaned(options: dict[str, Any]) -> None:
    """The entry of a killed peer hinders nobody and disappears."""
    book = Path(options["address_book"])
    async with peers(1, **options) as (dead,):
        await dead.kill()
        assert entries(book) == {f"{dead.peer_id}.peer.json"}
        async with peers(2, **options) as (a, b):
            await a.until(10, neighbours=linked(1))
            await a.publish(make(None, "x"))
            await b.until(10, count=1)
            assert entries(book) == {f"{p.peer_id}.peer.json" for p in (a, b)}


async def test_the_end_leaves_nothing_behind(options: dict[str, Any]) -> None:
    """A peer that is terminated leaves the book and exits quickly, and its neighbour notices."""
    async with peers(2, **options) as (a, b):
        await a.until(10, neighbours=linked(1))
        assert b.process.stdin is not None
        began = trio.current_time()
        await b.process.stdin.aclose()
        with trio.fail_after(5):
            assert await b.process.wait() == 0
        assert trio.current_time() - began < 3
        await a.until(5, neighbours=[])
        assert entries(Path(options["address_book"])) == {f"{a.peer_id}.peer.json"}


@pytest.mark.slow
async def test_the_wrong_key_gets_nothing(options: dict[str, Any]) -> None:
    """A process with another key that dials for ever learns nothing and disturbs nobody."""
    async with peers(2, swarm_key="11" * 32, **options) as (a, b):
        await a.until(10, neighbours=linked(1))
        thief = {**options, "address_book": None, "peers": a.addresses}
        async with peers(2, each=[{"swarm_key": "22" * 32}, {}], **thief) as strangers:
            await a.publish(*history(20))
            await b.until(10, count=20)
            await trio.sleep(1)
            for stranger in strangers:
                state = await stranger.state()
                assert (state["count"], state["neighbours"]) == (0, [])


async def test_mdns_links_processes_without_a_book(options: dict[str, Any]) -> None:
    """Two processes that share nothing but the network find each other by multicast."""
    del options["address_book"]
    async with peers(2, mdns=True, **options) as (a, b):
        try:
            await a.until(15, neighbours=linked(1))
        except AssertionError:
            if not _multicast():
                pytest.skip("multicast does not work on this machine")
            raise
        await a.publish(make(None, "x"))
        await b.until(10, count=1)


def _multicast() -> bool:
    import socket
    import struct

    group, port = "224.0.0.251", 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("", port))
        try:
            membership = struct.pack("4sl", socket.inet_aton(group), socket.INADDR_ANY)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
            receiver.settimeout(1)
            receiver.sendto(b"x", (group, receiver.getsockname()[1]))
            return receiver.recv(1) == b"x"
        except OSError:
            return False
