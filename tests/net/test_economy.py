"""The overrides that make connections cheaper, counted on real connections."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing
from libp2p.custom_types import TProtocol
from libp2p.stream_muxer.yamux.yamux import YamuxStream
from multiaddr import Multiaddr

from swarm.net.economy import READS_A_TURN, BufferedTCPStream, EagerLock
from swarm.net.host import build_host, dial

ECHO = TProtocol("/test/echo/1.0.0")
LISTEN = "/ip4/127.0.0.1/tcp/0"

STEPS_A_FRAME = 5
"""Turns of the scheduler that a frame written and read may take, in all tasks of both ends: it is
3; with stock locks it was 16."""


class _Steps(trio.abc.Instrument):
    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self.count += 1


@asynccontextmanager
async def two_hosts() -> AsyncIterator[tuple[Any, Any, str]]:
    """Two connected hosts, and the peer id of the second."""
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
    """Credit comes back in time: 8 MiB, thirty times the first window, arrive whole."""
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
    """Nothing on the way of a frame lets other tasks run but the sockets and the reader."""
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
async def test_much_that_was_read_ahead_still_leaves_others_their_turn() -> None:
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
async def test_an_eager_lock_is_handed_on_in_order_and_past_who_gave_up() -> None:
    """One holder at a time; who waits has it next, unless it was cancelled meanwhile."""
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


async def _tcp_pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        near = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        return near, await listener.accept()
