"""The overrides that make connections cheaper, measured on real connections."""

from __future__ import annotations

import random
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import trio
import trio.testing
from libp2p.custom_types import TProtocol
from libp2p.network.connection.exceptions import RawConnError
from libp2p.stream_muxer.yamux.yamux import (
    DEFAULT_WINDOW_SIZE,
    FLAG_RST,
    TYPE_DATA,
    TYPE_GO_AWAY,
    TYPE_WINDOW_UPDATE,
    YAMUX_HEADER_FORMAT,
    YamuxStream,
)
from multiaddr import Multiaddr

from swarm.net.connections.host import build_host, dial
from swarm.net.patches.yamux import (
    CLOSING_SECONDS,
    MAX_UNREAD,
    MAX_WINDOW,
    READS_A_TURN,
    BufferedTCPStream,
    EagerLock,
    write_frame,
)
from tests.net.hosts import until

ECHO = TProtocol("/test/echo/1.0.0")
LISTEN = "/ip4/127.0.0.1/tcp/0"

STEPS_A_FRAME = 5
"""Scheduler steps that writing and reading a frame may take, in all tasks of both ends: it takes 3;
with stock locks it took 16."""


class _Steps(trio.abc.Instrument):
    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1


@asynccontextmanager
async def two_hosts() -> AsyncIterator[tuple[Any, Any, str]]:
    """Run two connected hosts; yield them and the peer id of the second."""
    first, second = build_host((LISTEN,), None), build_host((LISTEN,), None)
    async with (
        first.run(listen_addrs=[Multiaddr(LISTEN)]),
        second.run(listen_addrs=[Multiaddr(LISTEN)]),
    ):
        address = f"{second.get_transport_addrs()[0]}/p2p/{second.get_id()}"
        yield first, second, await dial(first, address, None, 10)


@pytest.mark.trio
async def test_small_messages_are_not_answered_with_window_updates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hundred small messages back and forth cost no window update at all."""
    updates: list[int] = []
    stock = YamuxStream.send_window_update

    async def count(self: Any, increment: int, skip_lock: bool = False) -> None:
        updates.append(increment)
        await stock(self, increment, skip_lock)

    monkeypatch.setattr(YamuxStream, "send_window_update", count)
    async with two_hosts() as (first, second, _):

        async def echo(stream: Any) -> None:
            while data := await stream.read(1024):
                await stream.write(data)

        second.set_stream_handler(ECHO, echo)
        with trio.fail_after(30):
            stream = await first.new_stream(second.get_id(), [ECHO])
            for number in range(100):
                word = str(number).zfill(100).encode()
                await stream.write(word)
                assert await stream.read(1024) == word
            await stream.reset()
    assert updates == []


@pytest.mark.trio
async def test_more_than_many_windows_still_arrive() -> None:
    """Credit is returned in time: 8 MiB, thirty times the first window, arrive complete."""
    size = 8 * 1024 * 1024
    async with two_hosts() as (first, second, _):
        arrived, done = bytearray(), trio.Event()

        async def take(stream: Any) -> None:
            while len(arrived) < size:
                arrived.extend(await stream.read(64 * 1024))
            done.set()

        second.set_stream_handler(ECHO, take)
        with trio.fail_after(60):
            stream = await first.new_stream(second.get_id(), [ECHO])
            await stream.write(bytes(range(256)) * (size // 256))
            await done.wait()
            await stream.reset()
    assert arrived == bytes(range(256)) * (size // 256)


@pytest.mark.trio
async def test_a_buffered_stream_asks_the_system_once_for_many_reads() -> None:
    """Small reads are served from memory, in order, up to the end of the stream."""
    near, far = await _tcp_pair()
    asked = 0
    stream = BufferedTCPStream(far)
    receive = far.receive_some

    async def count(most: int | None = None) -> bytes:
        nonlocal asked
        asked += 1
        return bytes(await receive(most))

    far.receive_some = count  # type: ignore[assignment,method-assign]
    await near.send_all(b"0123456789")
    assert [await stream.read(2) for _ in range(5)] == [b"01", b"23", b"45", b"67", b"89"]
    assert asked == 1
    await near.send_all(b"rest")
    await near.aclose()
    assert await stream.read() == b"rest"
    assert await stream.read(2) == b""
    await stream.close()


@pytest.mark.trio
async def test_a_frame_takes_few_turns_of_the_scheduler() -> None:
    """On a frame's way, only the sockets and the reader yield to other tasks."""
    async with two_hosts() as (first, second, _):

        async def echo(stream: Any) -> None:
            while data := await stream.read(1024):
                await stream.write(data)

        second.set_stream_handler(ECHO, echo)
        steps = _Steps()
        with trio.fail_after(30):
            stream = await first.new_stream(second.get_id(), [ECHO])
            await stream.write(b"first")
            await stream.read(1024)
            trio.lowlevel.add_instrument(steps)
            for _ in range(100):
                await stream.write(b"x" * 100)
                await stream.read(1024)
            trio.lowlevel.remove_instrument(steps)
            await stream.reset()
    assert steps.count / 200 <= STEPS_A_FRAME


@pytest.mark.trio
async def test_a_large_read_buffer_still_gives_other_tasks_their_turn() -> None:
    """A neighbour that sends very many tiny frames at once does not keep other tasks waiting."""
    near, far = await _tcp_pair()
    stream = BufferedTCPStream(far)
    steps = _Steps()
    await near.send_all(bytes(100 * READS_A_TURN))
    assert await stream.read(1)
    trio.lowlevel.add_instrument(steps)
    for _ in range(50 * READS_A_TURN):
        assert await stream.read(1)
    trio.lowlevel.remove_instrument(steps)
    assert 49 <= steps.count <= 51
    await near.aclose()
    await stream.close()


@pytest.mark.trio
async def test_an_eager_lock_is_handed_on_in_order_and_skips_cancelled_tasks() -> None:
    """One task holds it at a time; the next waiting task that was not cancelled gets it next."""
    lock = EagerLock()
    order: list[str] = []
    gives_up = trio.CancelScope()

    async def hold(name: str) -> None:
        async with lock:
            order.append(f"{name} in")
            await trio.testing.wait_all_tasks_blocked()
            order.append(f"{name} out")

    async def cancelled() -> None:
        with gives_up:
            async with lock:
                order.append("never")

    async with lock, trio.open_nursery() as nursery:
        for task in (hold, "b"), (cancelled,), (hold, "c"):
            nursery.start_soon(*task)
            await trio.testing.wait_all_tasks_blocked()
        gives_up.cancel()
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(lock.__aexit__)
        await trio.testing.wait_all_tasks_blocked()
        await lock.__aenter__()
    assert order == ["b in", "b out", "c in", "c out"]
    async with lock:
        order.append("free")
    assert order[-1] == "free"


CHUNK = 32 * 1024


async def push(stream: Any, data: bytes) -> None:
    """Write to a yamux stream regardless of its window."""
    head = struct.pack("!BBHII", 0, 0, 0, stream.muxed_stream.stream_id, len(data))
    await stream.muxed_stream.conn._write_frame(head + data)


@pytest.mark.trio
@pytest.mark.parametrize("size", [CHUNK, 2 * MAX_WINDOW])
async def test_a_peer_that_ignores_the_window_is_disconnected(size: int) -> None:
    """Unread bytes do not pile up: only that connection is closed."""
    async with two_hosts() as (first, second, _):
        third = build_host((LISTEN,), None)
        async with third.run(listen_addrs=[Multiaddr(LISTEN)]):
            await dial(third, f"{second.get_transport_addrs()[0]}/p2p/{second.get_id()}", None, 10)
            first_id = first.get_id()
            network = second.get_network()
            muxed = network.get_connections(first_id)[0].muxed_conn

            async def serve(stream: Any) -> None:
                if stream.muxed_conn.peer_id == first_id:
                    await trio.sleep_forever()
                await stream.write(await stream.read(1024))

            second.set_stream_handler(ECHO, serve)
            stream = await first.new_stream(second.get_id(), [ECHO])
            most = 0
            with trio.fail_after(30):
                while network.get_connections(first_id):
                    with suppress(Exception):
                        await push(stream, bytes(size))
                    most = max(most, sum(map(len, muxed.stream_buffers.values())))
                    await trio.lowlevel.checkpoint()
                assert most <= DEFAULT_WINDOW_SIZE + CHUNK
                other = await third.new_stream(second.get_id(), [ECHO])
                await other.write(b"still here")
                assert await other.read(1024) == b"still here"


@pytest.mark.trio
async def test_many_full_windows_are_too_much_together() -> None:
    """Many streams, each within its window, cannot fill memory together."""
    async with two_hosts() as (first, second, _):

        async def sleep(_: Any) -> None:
            await trio.sleep_forever()

        second.set_stream_handler(ECHO, sleep)
        network = second.get_network()
        muxed = network.get_connections(first.get_id())[0].muxed_conn
        most = 0
        with trio.fail_after(30), suppress(Exception):
            for _ in range(4 * MAX_UNREAD // DEFAULT_WINDOW_SIZE):
                stream = await first.new_stream(second.get_id(), [ECHO])
                await stream.write(bytes(DEFAULT_WINDOW_SIZE - CHUNK))
                await trio.lowlevel.checkpoint()
                most = max(most, sum(map(len, muxed.stream_buffers.values())))
        await until(6, lambda: not network.get_connections(first.get_id()))
        assert MAX_UNREAD // 2 < most <= MAX_UNREAD + 2 * CHUNK


@pytest.mark.trio
@pytest.mark.parametrize("seed", range(3))
async def test_honest_streams_never_have_more_than_their_credit(seed: int) -> None:
    """With many streams, slow and fast: all bytes arrive, and windows stay bounded."""
    rng = random.Random(seed)
    size, count = 3 * MAX_WINDOW, 3
    payload = rng.randbytes(size)
    windows: set[int] = set()
    async with two_hosts() as (first, second, _), trio.open_nursery() as nursery:
        done = 0

        async def take(stream: Any) -> None:
            nonlocal done
            arrived = bytearray()
            while len(arrived) < size:
                arrived += await stream.read(rng.choice([100, 5_000, 65_536, 200_000]))
                windows.add(stream.muxed_stream.target_recv_window)
                if rng.random() < 0.05:
                    await trio.sleep(rng.choice([0, 0.001, 0.02]))
            assert arrived == payload
            done += 1

        async def give(stream: Any) -> None:
            at = 0
            while at < size:
                step = rng.choice([10, 3_000, 70_000, 400_000])
                await stream.write(payload[at : at + step])
                at += step

        for giver, taker in ((first, second), (second, first)):
            taker.set_stream_handler(ECHO, take)
            for _ in range(count):
                stream = await giver.new_stream(taker.get_id(), [ECHO])
                nursery.start_soon(give, stream)
        await until(12, lambda: done == 2 * count)
    assert max(windows) <= MAX_WINDOW


async def _tcp_pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        near = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        return near, await listener.accept()


class _Stuck:
    """A connection to a peer that has stopped reading; a write returns only when it is closed."""

    def __init__(self) -> None:
        self._write_lock = EagerLock()
        self.secured_conn = self
        self.closed = trio.Event()

    async def write(self, data: bytes) -> None:
        await self.closed.wait()
        raise RawConnError("closed")

    async def close(self) -> None:
        self.closed.set()
        await trio.lowlevel.checkpoint()


@pytest.mark.trio
@pytest.mark.parametrize(
    ("kind", "flags"), [(TYPE_WINDOW_UPDATE, FLAG_RST), (TYPE_DATA, FLAG_RST), (TYPE_GO_AWAY, 0)]
)
@pytest.mark.parametrize("busy", [False, True])
async def test_a_closing_frame_to_a_stalled_neighbour_has_a_time_limit(
    autojump_clock: trio.testing.MockClock, kind: int, flags: int, busy: bool
) -> None:
    """libp2p shields the closing frame from cancellation; a time limit closes the connection.

    Without it, a peer that shuts down or dials others would hang for as long as TCP does.
    """
    stuck = _Stuck()
    ended: list[str] = []

    async def data() -> None:
        with suppress(RawConnError):
            await write_frame(stuck, struct.pack(YAMUX_HEADER_FORMAT, 0, TYPE_DATA, 0, 1, 0))
        ended.append("data")

    async def last_word() -> None:
        with trio.CancelScope(shield=True), pytest.raises(RawConnError):
            await write_frame(stuck, struct.pack(YAMUX_HEADER_FORMAT, 0, kind, flags, 1, 0))
        ended.append("last word")

    async with trio.open_nursery() as nursery:
        if busy:
            nursery.start_soon(data)
            await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(last_word)
        await trio.testing.wait_all_tasks_blocked()
        if not busy:
            nursery.cancel_scope.cancel()
    assert trio.current_time() <= CLOSING_SECONDS + 0.1
    assert stuck.closed.is_set()
    assert sorted(ended) == (["data", "last word"] if busy else ["last word"])


@pytest.mark.trio
async def test_other_frames_have_no_time_limit(autojump_clock: trio.testing.MockClock) -> None:
    """A stalled neighbour that reads again before it counts as silent misses nothing."""
    stuck = _Stuck()
    with trio.move_on_after(10 * CLOSING_SECONDS) as limit:
        await write_frame(stuck, struct.pack(YAMUX_HEADER_FORMAT, 0, TYPE_DATA, 0, 1, 0))
    assert limit.cancelled_caught
    assert not stuck.closed.is_set()
