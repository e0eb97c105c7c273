"""The queue serves the origins first that needed the least work."""

from __future__ import annotations

import pytest
import trio

from swarm.net.pubsub.fair_queue import (
    FORGOTTEN_PER_SECOND,
    FREE_SECONDS,
    MAX_BYTES,
    MAX_WAITING,
    MAX_WAITING_BYTES,
    FairQueue,
)


@pytest.mark.trio
async def test_an_origin_with_little_work_comes_before_one_with_much(
    autojump_clock: object,
) -> None:
    """A queue full of one origin's messages delays another's only by the current slice."""
    inbox = FairQueue(lambda origin, data: (data[:1],) * 100)
    for _ in range(2 * MAX_WAITING):
        inbox.put(b"loud", b"x" * 100)
    for _ in range(5):
        origin, _ = await inbox.turn()
        assert origin == b"loud"
        inbox.end(origin, seconds=0.003, whole=False)
    inbox.put(b"quiet", b"y")
    origin, _ = await inbox.turn()
    assert origin == b"quiet"


@pytest.mark.trio
async def test_an_origin_with_much_work_gets_a_bounded_share(autojump_clock: object) -> None:
    """Beyond its free share an origin gets a fifth of a core, and another's message ends a rest."""
    inbox = FairQueue(lambda origin, data: (data[:1],) * 100)
    for _ in range(MAX_WAITING):
        inbox.put(b"loud", b"x")
    worked, began = 0.0, trio.current_time()
    while trio.current_time() < began + 10:
        origin, _ = await inbox.turn()
        worked += 0.002
        inbox.end(origin, seconds=0.002, whole=False)
    assert 1.5 < worked < 2.7
    async with trio.open_nursery() as nursery:
        at = trio.current_time()

        async def say() -> None:
            await trio.sleep(0.001)
            inbox.put(b"quiet", b"y")

        nursery.start_soon(say)
        origin, _ = await inbox.turn()
    assert origin == b"quiet"
    assert trio.current_time() - at < 0.002


@pytest.mark.trio
async def test_what_reading_a_message_costs_is_charged_too(
    autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digests are acted on while they are read, so an origin of many digests waits as well."""
    spent = 0.0
    monkeypatch.setattr("swarm.net.pubsub.fair_queue.time.thread_time", lambda: spent)

    def read(origin: bytes, data: bytes) -> tuple[bytes, ...]:
        nonlocal spent
        spent += 0.01
        return ()

    inbox = FairQueue(read)
    began = trio.current_time()
    while trio.current_time() < began + 10:
        inbox.put(b"loud", b"x")
        origin, _ = await inbox.turn()
        inbox.end(origin, seconds=0.0)
    assert 1.5 < spent < 2.7


@pytest.mark.trio
async def test_work_is_forgiven_with_time(autojump_clock: object) -> None:
    """An origin that sent much, and then little for a while, is served at once again."""
    inbox = FairQueue(lambda origin, data: (data,))
    inbox.put(b"loud", b"x")
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=FREE_SECONDS)
    await trio.sleep(1 / FORGOTTEN_PER_SECOND)
    inbox.put(b"loud", b"x")
    at = trio.current_time()
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=0.01)
    assert trio.current_time() == at


@pytest.mark.trio
async def test_the_queue_is_bounded_and_frees_its_room(autojump_clock: object) -> None:
    """Beyond its bytes nothing more may wait; finished messages make room again."""
    inbox = FairQueue(lambda origin, data: (data,))
    big = bytes(MAX_WAITING_BYTES)
    count = MAX_BYTES // len(big)
    kept = [inbox.put(bytes([number]), big) for number in range(count + 2)]
    assert kept == [True] * count + [False] * 2
    assert not inbox.has_room(bytes([0]), 1)
    origin, _ = await inbox.turn()
    inbox.end(origin, seconds=0.0)
    assert inbox.put(b"late", big)
