"""No single peer is needed: real peers are killed halfway through a plan, and it continues."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from swarm.core.fold.plan import Plan
from swarm.core.policy import SECOND, Policy
from swarm.peer.peer import Peer
from swarm.peer.settings import PeerSettings
from tests.e2e.processes import SWARM, Processes, scripted_ollama

POLICY = Policy(max_depth=1, max_children=5, lease_ms=3 * SECOND, deadline_ms=90 * SECOND)
GROUP = {"decomposer": 3, "scorer": 3, "executor": 2}


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """A group of peers, with a model that takes 0.3 s per call."""
    with scripted_ollama("--latency", "0.3") as url:
        group = Processes(tmp_path, url)
        try:
            yield group
        finally:
            group.stop()


@asynccontextmanager
async def asker(group: Processes) -> AsyncIterator[Peer]:
    """Run a submitter in this process; yield it once it has heard every peer."""
    peer = Peer(
        PeerSettings(role="submitter", swarm=SWARM, mdns=False, runtime_dir=group.runtime_dir)
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(peer.run)
        await until(peer, lambda: len(peer.peers()) > len(group.running), "every peer is heard")
        yield peer
        nursery.cancel_scope.cancel()


async def until(peer: Peer, condition: Callable[[], object], what: str, seconds: int = 60) -> None:
    """Wait for a condition, checking it whenever the peer reports a change."""
    changed = trio.Event()

    def notice(_: frozenset[bytes]) -> None:
        changed.set()

    peer.on_change = notice
    with trio.move_on_after(seconds):
        while not condition():
            changed = trio.Event()
            with trio.move_on_after(0.5):
                await changed.wait()
        return
    pytest.fail(f"gave up after {seconds} s waiting until {what}")


def start_all(group: Processes) -> None:
    for role, count in GROUP.items():
        for number in range(1, count + 1):
            group.start(role, f"{role}-{number}")


def plan_of(peer: Peer, goal: bytes) -> Plan:
    plan = peer.store.plan(goal)
    assert plan is not None
    return plan


@pytest.mark.trio
async def test_the_plan_goes_on_when_peers_are_killed(processes: Processes) -> None:
    """Kill a decomposer, a scorer and a claim's holder: the task is reclaimed and the goal done."""
    start_all(processes)
    async with asker(processes) as peer:
        goal = peer.submit("Plan a two week trip to Japan", policy=POLICY)

        def holder() -> bytes | None:
            for node in plan_of(peer, goal).nodes():
                if node.outcome.holder is not None:
                    return node.outcome.holder.author
            return None

        await until(peer, lambda: holder() is not None, "a task is claimed")
        victim = peer.name_of(holder() or b"")
        for name in ("decomposer-1", "scorer-1", victim):
            processes.kill(name)
        dead = next(view.author for view in peer.peers() if view.name == victim)
        await until(peer, lambda: plan_of(peer, goal).final, "the goal ends")
        plan = plan_of(peer, goal)
        assert plan.state == "done", plan.reason
        again = [node for node in plan.nodes() if len(node.outcome.attempts) > 1]
        assert again, "the killed executor's task was never claimed again"
        assert all(node.result and node.result.author.hex() != dead for node in again)
        survivors = sorted(processes.running)
        records = set(peer.store.ids(goal))
        digest = plan.digest
        await until(
            peer,
            lambda: all(records <= set(processes.replica(n).ids(goal)) for n in survivors),
            "every survivor has every record",
            seconds=20,
        )
        for name in survivors:
            replica = processes.replica(name)
            replica.advance(peer.now())
            found = replica.plan(goal)
            assert found is not None
            assert found.digest == digest, name
        late = observe_once(processes, goal)
        assert late["digest"] == digest.hex()
        assert late["published"] == 0


def observe_once(group: Processes, goal: bytes) -> dict[str, object]:
    """Run `swarm observe ID --once --json --stats` as a user would."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "swarm", "observe", goal.hex(), "--once", "--json", "--stats"),
            *("--log-level", "error"),
        ],
        env=group.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counters = dict(re.findall(r"(\w+)[\"=: ]+(\d+)", done.stderr))
    assert int(counters["messages_received"]) > 0, done.stderr
    return {
        "digest": json.loads(done.stdout)["digest"],
        "published": int(counters["messages_published"]),
    }
