"""Short visits to a swarm: waiting for the right thing, and long enough."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock

from swarm.cli.session import (
    FIND_SECONDS,
    SETTLE_EMPTY_SECONDS,
    SETTLE_QUIET_SECONDS,
    SETTLE_SECONDS,
    Watch,
    find_swarm,
    settle,
)
from swarm.console.errors import CommandError
from swarm.net.settings import Counters
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings


def observer() -> Peer:
    """Return a peer that is not connected to anything."""
    return Peer(PeerSettings(role="observer"))


@pytest.mark.trio
async def test_a_swarm_that_does_not_answer_is_reported_with_what_to_do(
    autojump_clock: MockClock,
) -> None:
    """After the time limit the message says what to try, and the exit code is 3."""
    with pytest.raises(CommandError, match="swarm up") as caught:
        await find_swarm(observer())
    assert caught.value.exit_code == 3
    assert trio.current_time() == pytest.approx(FIND_SECONDS, abs=0.1)


class Hearing(Peer):
    """A peer whose count of received records a test sets."""

    heard = 0

    def counters(self) -> Counters:
        return Counters(records_received=self.heard)


async def settled_after(
    changes: list[float],
    complete: Callable[[float], bool] | None = None,
    *,
    goal: bytes = b"x" * 32,
) -> float:
    """Return how many seconds settling takes if a record arrives at each of these seconds."""
    peer = Hearing(PeerSettings(role="observer"))
    watch = Watch(peer)
    start = trio.current_time()

    async def change() -> None:
        for at in changes:
            await trio.sleep(start + at - trio.current_time())
            assert peer.on_change is not None
            peer.heard += 1
            peer.on_change(frozenset((goal,)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(change)
        await settle(
            peer,
            watch,
            complete=(lambda: complete(trio.current_time() - start)) if complete else None,
        )
        took = trio.current_time() - start
        nursery.cancel_scope.cancel()
    return took


@pytest.mark.trio
async def test_settling_waits_for_quiet(autojump_clock: MockClock) -> None:
    """Each new record postpones the end; quiet after the last one brings it."""
    took = await settled_after([0.2, 0.5, 1.3])
    assert 1.3 + SETTLE_QUIET_SECONDS <= took <= 1.3 + 2 * SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_waits_for_grants_and_presences_too(autojump_clock: MockClock) -> None:
    """Records that change no plan count as well: which peers count depends on them."""
    took = await settled_after([0.2, 1.4, 2.6, 3.8], goal=b"")
    assert took >= 3.8 + SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_with_no_news_at_all_takes_longer(autojump_clock: MockClock) -> None:
    """A swarm without plans is recognised only after the longer wait."""
    took = await settled_after([])
    assert SETTLE_EMPTY_SECONDS <= took <= SETTLE_EMPTY_SECONDS + 1


@pytest.mark.trio
async def test_settling_waits_longer_for_what_was_asked_for(autojump_clock: MockClock) -> None:
    """While the wanted goal is missing, the usual quiet is not enough."""
    took = await settled_after([0.2, 2.5], complete=lambda at: at > 2.5)
    assert took >= 2.5 + SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_ends_however_much_goes_on(autojump_clock: MockClock) -> None:
    """In a busy swarm the wait is bounded."""
    took = await settled_after([number / 5 for number in range(100)])
    assert took == pytest.approx(SETTLE_SECONDS, abs=0.5)
