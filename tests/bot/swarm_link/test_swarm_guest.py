"""The swarm peer as a trio guest: started, restarted when it crashes, stopped with the bot."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import trio

from bot.swarm_link.swarm_guest import SwarmGuest
from tests.bot.worlds import FakePeer


class Runnable(FakePeer):
    """A peer whose run can be made to crash."""

    def __init__(self, crash: Exception | None = None) -> None:
        super().__init__()
        self.crash = crash
        self.ended = False

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Take part until told to crash or cancelled."""
        task_status.started()
        try:
            if self.crash is not None:
                await trio.sleep(0.01)
                raise self.crash
            await trio.sleep_forever()
        finally:
            self.ended = True


class Log:
    """What the guest told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.event = asyncio.Event()

    def note(self, what: str) -> None:
        """Write it down."""
        self.told.append(what)
        self.event.set()

    async def until(self, *told: str) -> None:
        """Wait until exactly this was told."""
        async with asyncio.timeout(5):
            while self.told != list(told):
                self.event.clear()
                await self.event.wait()


def guest(peers: list[Runnable], log: Log) -> SwarmGuest:
    """Return a guest that starts these peers one after the other."""
    rest = iter(peers)
    return SwarmGuest(
        lambda: next(rest),
        on_up=lambda peer: log.note(f"up {peers.index(peer)}"),  # type: ignore[arg-type]
        on_down=lambda: log.note("down"),
        on_change=lambda goals: log.note(f"changed {len(goals)}"),
        pauses=(0.0,),
    )


@pytest.mark.asyncio
async def test_a_crash_restarts_the_peer_and_is_reported() -> None:
    """The crash's reason can be read afterwards, and a new peer runs in the same loop."""
    log, peers = Log(), [Runnable(RuntimeError("disk full")), Runnable()]
    swarm = guest(peers, log)
    task = asyncio.create_task(swarm.run())
    await log.until("up 0", "down", "up 1")
    assert swarm.state.running
    assert swarm.state.restarts == 1
    assert swarm.state.reason == "disk full"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert peers[1].ended


@pytest.mark.asyncio
async def test_a_peer_that_cannot_even_be_made_is_tried_again() -> None:
    """An error before trio starts is handled like a crash."""
    log, peers = Log(), [Runnable()]
    failures = iter([ValueError("no key")])

    def make() -> Runnable:
        for failure in failures:
            raise failure
        return peers[0]

    swarm = SwarmGuest(
        make,
        on_up=lambda peer: log.note("up"),
        on_down=lambda: log.note("down"),
        on_change=lambda goals: None,
        pauses=(0.0,),
    )
    task = asyncio.create_task(swarm.run())
    await log.until("down", "up")
    assert swarm.state.reason == "no key"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.asyncio
async def test_cancelling_ends_the_peer_before_it_returns() -> None:
    """No trio run is left behind on the loop when the bot stops."""
    log, peers = Log(), [Runnable()]
    task = asyncio.create_task(guest(peers, log).run())
    await log.until("up 0")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert peers[0].ended
    assert log.told == ["up 0", "down"]


@pytest.mark.asyncio
async def test_an_error_in_the_chat_side_does_not_reach_the_peer() -> None:
    """A change callback that raises is the loop's problem, not trio's."""
    log, peers = Log(), [Runnable()]
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    loop.set_exception_handler(lambda _, context: seen.append(str(context["exception"])))

    def broken(goals: frozenset[bytes]) -> None:
        raise RuntimeError("broken chat")

    swarm = guest(peers, log)
    swarm._on_change = broken
    task = asyncio.create_task(swarm.run())
    await log.until("up 0")
    assert peers[0].on_change is not None
    peers[0].on_change(frozenset((b"",)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert seen == ["broken chat"]
    assert swarm.state.running
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
