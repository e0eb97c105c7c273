"""A killed peer's last record reached only a listener: peers that join later still get it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from swarm.core.policy import SECOND, Policy
from swarm.gossip import handoff
from swarm.peer.peer import Peer
from tests.e2e.processes import Processes, scripted_ollama
from tests.e2e.story import talker_options, watching
from tests.e2e.talkers import talkers
from tests.e2e.waiting import until

POLICY = Policy(max_depth=1, lease_ms=5 * SECOND, deadline_ms=120 * SECOND)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Processes]:
    """A group of peers, with a model that answers at once."""
    with scripted_ollama() as url:
        made = Processes(tmp_path, url)
        try:
            yield made
        finally:
            made.stop()


def remembered(listener: Peer) -> bool:
    """Return whether libp2p itself would still pass the asker's message to a newcomer."""
    network = listener.network
    assert network is not None
    assert network._pubsub is not None
    return bool(network._pubsub.router.mcache.window(network._topic))


@pytest.mark.trio
async def test_a_goal_that_only_a_listener_heard_is_planned(
    group: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The asker is killed before any other peer joins, and the listener publishes nothing.

    If a listener did not pass on a record that it alone holds, nobody would ever plan that goal.
    """
    monkeypatch.setattr(handoff, "LASTING_MS", 2_000)
    monkeypatch.setattr(handoff, "WITNESS_MS", 4_000)
    async with watching(group) as listener:
        async with talkers([talker_options(group, "asker")], log=group.folder / "t.log") as (
            asker,
        ):
            goal = bytes.fromhex(await asker.submit("Plan a village concert", POLICY))
            await until(lambda: goal in listener.store, "the listener hears the goal", 30)
            asker.kill()
        await until(lambda: not remembered(listener), "libp2p itself forgets the message", 30)
        for role in ("decomposer", "scorer", "executor"):
            await trio.to_thread.run_sync(group.start, role, role)

        def done() -> bool:
            plan = listener.store.plan(goal)
            return plan is not None and plan.state == "done"

        await until(done, "the goal is done", 90)
        counters = listener.counters()
        assert counters is not None
        assert counters.messages_published == 0
        assert counters.syncs >= 1
