"""A peer's records reach peers that connect only later."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings


def settings(role: str, folder: Path) -> PeerSettings:
    return PeerSettings(role=role, swarm="early", mdns=False, runtime_dir=folder)  # type: ignore[arg-type]


def _said(peer: Peer) -> int:
    """Return how many records a peer has put on the topic, heard or not."""
    counters = peer.counters()
    return counters.records_published if counters is not None else 0


@pytest.mark.trio
async def test_a_goal_submitted_before_any_link_reaches_later_peers(tmp_path: Path) -> None:
    """A later listener gets one goal from before the peer ran and one from before it had links."""
    asker = Peer(settings("submitter", tmp_path))
    goals = {asker.submit("Plan a holiday")}
    listener = Peer(settings("observer", tmp_path))
    async with trio.open_nursery() as nursery:
        await nursery.start(asker.run)
        goals.add(asker.submit("Plan a school fair"))
        with trio.fail_after(30):
            while _said(asker) < len(goals):  # noqa: ASYNC110  the network tells nobody
                await trio.sleep(0.05)
        await nursery.start(listener.run)
        with trio.fail_after(30):
            while {plan.id for plan in listener.store.plans()} != goals:  # noqa: ASYNC110
                await trio.sleep(0.05)
        counters = listener.counters()
        assert counters is not None
        assert counters.messages_published == 0
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_a_peer_that_ends_is_gone_for_others_at_once(tmp_path: Path) -> None:
    """Its last presence arrives before its connection is missed, which takes three seconds."""
    stays = Peer(settings("submitter", tmp_path))
    leaves = Peer(settings("submitter", tmp_path))
    changed = trio.Event()

    def note(goals: frozenset[bytes]) -> None:
        changed.set()

    async def heard(count: int, seconds: float) -> None:
        nonlocal changed
        with trio.fail_after(seconds):
            while len(stays.peers()) != count:
                await changed.wait()
                changed = trio.Event()

    stays.on_change = note
    async with trio.open_nursery() as nursery:
        await nursery.start(stays.run)
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as inner:
                await inner.start(leaves.run)
                await heard(2, 30)
                scope.cancel()
        await heard(1, 1)
        nursery.cancel_scope.cancel()
