"""Short visits to a swarm: waiting for the right thing, and long enough."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock

from swarm.cli.plan_run import absent
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
from swarm.core.clock import Stamp
from swarm.core.records import Presence, sign
from swarm.net.settings import Counters
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.cli.plans import SCORER


def observer() -> Peer:
    """Return a peer that is not connected to anything."""
    return Peer(PeerSettings(role="observer"))


@pytest.mark.trio
async def test_a_swarm_that_does_not_answer_is_told_with_what_to_do(
    autojump_clock: MockClock,
) -> None:
    """After the time allowed the message names the ways out and the exit code is 3."""
    with pytest.raises(CommandError, match="swarm up") as caught:
        await find_swarm(observer())
    assert caught.value.exit_code == 3
    assert trio.current_time() == pytest.approx(FIND_SECONDS, abs=0.1)


class Hearing(Peer):
    """A peer that counts what a test lets it hear."""

    heard = 0

    def counters(self) -> Counters:
        return Counters(records_received=self.heard)


async def settled_after(
    changes: list[float],
    complete: Callable[[float], bool] | None = None,
    *,
    goal: bytes = b"x" * 32,
) -> float:
    """Return how long settling takes when a record comes at each of these seconds."""
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
    """News postpones the end; some quiet after them brings it."""
    took = await settled_after([0.2, 0.5, 1.3])
    assert 1.3 + SETTLE_QUIET_SECONDS <= took <= 1.3 + 2 * SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_waits_for_grants_and_presences_too(autojump_clock: MockClock) -> None:
    """What changes no plan is news as well: who counts follows from it."""
    took = await settled_after([0.2, 1.4, 2.6, 3.8], goal=b"")
    assert took >= 3.8 + SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_with_no_news_at_all_takes_longer(autojump_clock: MockClock) -> None:
    """An empty swarm is told as such only after the longer wait."""
    took = await settled_after([])
    assert SETTLE_EMPTY_SECONDS <= took <= SETTLE_EMPTY_SECONDS + 1


@pytest.mark.trio
async def test_settling_waits_longer_for_what_was_asked_for(autojump_clock: MockClock) -> None:
    """While the wanted goal is missing, the usual quiet is not enough."""
    took = await settled_after([0.2, 2.5], complete=lambda at: at > 2.5)
    assert took >= 2.5 + SETTLE_QUIET_SECONDS


@pytest.mark.trio
async def test_settling_ends_however_much_goes_on(autojump_clock: MockClock) -> None:
    """In a busy swarm it is bounded."""
    took = await settled_after([number / 5 for number in range(100)])
    assert took == pytest.approx(SETTLE_SECONDS, abs=0.5)


def test_missing_roles_are_told_with_the_command_that_helps() -> None:
    """Whoever asks an empty swarm learns which roles are missing and how to start one."""
    lines = absent(observer())
    assert [
        f"swarm peer {role}" in line
        for role, line in zip(("decomposer", "scorer", "executor"), lines, strict=True)
    ] == [True] * 3


def test_a_capability_that_no_executor_offers_is_told() -> None:
    """Whoever asks for one that is not here learns which, and how to start such an executor."""
    peer = observer()
    now = peer.now()

    def lines_with(*offered: str) -> list[str]:
        body = Presence(
            stamp=Stamp(now + len(offered)),
            swarm="leaderless",
            role="executor",
            capabilities=list(offered),
        )
        peer.store.add(sign(body, SCORER).raw, now + len(offered))
        return [line for line in absent(peer, ["web"]) if "web" in line]

    assert ["--capability web" in line for line in lines_with("gpu")] == [True]
    assert lines_with("gpu", "web") == []


def test_what_a_peer_says_of_itself_cannot_steer_the_terminal() -> None:
    """A name and a trouble with escapes are told without them."""
    peer = observer()
    now = peer.now()
    body = Presence(
        stamp=Stamp(now), swarm="leaderless", role="scorer", name="\x1b[2Jx", trouble="\x9bno\n"
    )
    peer.store.add(sign(body, SCORER).raw, now)
    assert absent(peer)[-1] == "[2Jx: no"
