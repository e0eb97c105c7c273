"""The swarm peer as a guest: trio on discord.py's asyncio loop, in one thread, supervised.

A crash of the peer stops neither the loop nor the chat client. It is logged and shown by `/peers`,
and a new peer with the same identity starts after a pause that grows while it keeps failing. The
new peer reads back what the old one knew from its state directory and from the swarm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import outcome
import structlog
import trio

from bot import metrics
from bot.swarm_link.swarm_peer import SwarmPeer
from swarm.processes.restarts import RestartPauses

log = structlog.get_logger(__name__)

PAUSES_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Pauses before a peer is started again; the last one repeats."""

HEALTHY_SECONDS = 120.0
"""A peer that ran this long counts as healthy: the pauses start again from the first."""


class GuestPeer(SwarmPeer, Protocol):
    """A peer that can be run and that reports changes."""

    on_change: Callable[[frozenset[bytes]], None] | None

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Take part until cancelled (trio)."""


@dataclass(frozen=True, slots=True)
class GuestState:
    """The state of the link to the swarm."""

    running: bool = False
    restarts: int = 0
    reason: str = ""
    """Why it last stopped, in words shown to the user; empty: it never stopped."""


class SwarmGuest:
    """Runs a swarm peer for as long as the bot runs."""

    def __init__(
        self,
        make_peer: Callable[[], GuestPeer],
        *,
        on_up: Callable[[SwarmPeer], None],
        on_down: Callable[[], None],
        on_change: Callable[[frozenset[bytes]], None],
        pauses: tuple[float, ...] = PAUSES_SECONDS,
    ) -> None:
        """Make the guest; `run` starts it.

        Args:
            make_peer: makes a peer; called again after each crash.
            on_up: called on the asyncio loop when a peer listens.
            on_down: called on the asyncio loop when it has stopped.
            on_change: called on the asyncio loop with the goals that may have changed.
            pauses: pauses before restarts, in seconds.
        """
        self.state = GuestState()
        self._make_peer = make_peer
        self._on_up = on_up
        self._on_down = on_down
        self._on_change = on_change
        self._pauses = pauses

    async def run(self) -> None:
        """Run until cancelled; the peer is stopped before this returns."""
        loop = asyncio.get_running_loop()
        restarts = RestartPauses(self._pauses, HEALTHY_SECONDS)
        while True:
            started = loop.time()
            try:
                await self._run_once(loop)
                reason = "it stopped by itself"
            except Exception as error:
                # Whatever crashed the peer, the chat goes on and a new peer takes over.
                log.exception("swarm_peer_crashed")
                reason = _why(error)
            finally:
                self.state = GuestState(False, self.state.restarts, self.state.reason)
                self._on_down()
            pause = restarts.after(loop.time() - started)
            self.state = GuestState(False, self.state.restarts + 1, reason)
            metrics.RESTARTS.labels("swarm").inc()
            log.warning("swarm_peer_restarts", reason=reason, in_seconds=pause)
            await asyncio.sleep(pause)

    async def _run_once(self, loop: asyncio.AbstractEventLoop) -> None:
        peer = self._make_peer()
        peer.on_change = lambda goals: _later(loop, self._on_change, goals)
        scope = trio.CancelScope()

        def up() -> None:
            self.state = GuestState(True, self.state.restarts, self.state.reason)
            self._on_up(peer)

        async def main() -> None:
            with scope:
                async with trio.open_nursery() as nursery:
                    await nursery.start(peer.run)
                    _later(loop, up)

        await _as_guest(loop, main, scope)


async def _as_guest(
    loop: asyncio.AbstractEventLoop, main: Callable[[], Awaitable[None]], scope: trio.CancelScope
) -> None:
    """Run a trio function on this loop; cancelling this cancels it and waits until it has ended."""
    ended: asyncio.Future[None] = loop.create_future()

    def done(result: outcome.Outcome[None]) -> None:
        if ended.done():
            return
        if isinstance(result, outcome.Error):
            ended.set_exception(result.error)
        else:
            ended.set_result(None)

    trio.lowlevel.start_guest_run(
        main,
        run_sync_soon_threadsafe=lambda call: _ignore(loop.call_soon_threadsafe(call)),
        run_sync_soon_not_threadsafe=lambda call: _ignore(loop.call_soon(call)),
        done_callback=done,
        host_uses_signal_set_wakeup_fd=True,
        restrict_keyboard_interrupt_to_checkpoints=True,
    )
    try:
        await asyncio.shield(ended)
    except asyncio.CancelledError:
        scope.cancel()
        while not ended.done():
            # Cancelled again: the guest must still end before its loop does.
            await asyncio.wait([ended])
        if not ended.cancelled() and (error := ended.exception()) is not None:
            log.warning("swarm_peer_failed_to_stop", reason=_why(error))
        raise


def _ignore(_: object) -> None:
    """Drop a handle: what trio schedules is never cancelled."""


def _later(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *args: object) -> None:
    """Schedule a call of the chat's side outside trio's tick, so its errors do not hurt trio."""
    if not loop.is_closed():
        loop.call_soon(call, *args)


def _why(error: BaseException) -> str:
    """Return the innermost reason of a crash, as one short line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]
