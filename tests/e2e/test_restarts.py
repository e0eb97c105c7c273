"""The whole swarm is killed and restarted: with all its disks, and with only one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm.core.fold.plan import Plan
from swarm.core.policy import MINUTE, SECOND, Policy
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import talkers
from tests.e2e.waiting import until

ROLES = {"decomposer": 2, "scorer": 2, "executor": 2}
NAMES = [f"{role}-{number}" for role, count in ROLES.items() for number in range(1, count + 1)]
POLICY = Policy(max_depth=1, max_children=5, lease_ms=3 * SECOND, deadline_ms=3 * MINUTE)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Processes]:
    """A group of peers, with a model that takes one second per call."""
    with scripted_ollama("--latency", "1") as url:
        made = Processes(tmp_path, url)
        try:
            yield made
        finally:
            made.stop()


def start_all(group: Processes) -> None:
    for name in NAMES:
        group.start(name.partition("-")[0], name)


def kill_all(group: Processes) -> None:
    for name in NAMES:
        group.kill(name)


def plan_on_disk(group: Processes, name: str, goal: bytes) -> Plan | None:
    replica = group.replica(name)
    return replica.plan(goal)


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.trio
async def test_the_whole_swarm_is_killed_and_goes_on(group: Processes) -> None:
    """Killed halfway, the swarm continues from its disks; killed again, one disk restores them all.

    Nothing is submitted after the first minute: the asker was killed with the others.
    """
    start_all(group)
    options = {
        "role": "submitter",
        "swarm": SWARM,
        "mdns": False,
        "runtime_dir": str(group.runtime_dir),
        "state_dir": str(group.state_dir("talker")),
    }
    async with talkers([options], log=group.folder / "talker.log") as (talker,):
        await talker.until(lambda s: len(s["roles"]) == 4, "all roles are heard")
        goal = bytes.fromhex(await talker.submit("Plan a village concert", POLICY))
        await until(lambda: _results(group, "executor-1", goal) >= 1, "the first task is done", 60)
    kill_all(group)
    before = {name: set(group.records(name)) for name in NAMES}
    results = _results(group, "executor-1", goal)

    start_all(group)
    await until(lambda: _state(group, "executor-1", goal) == "done", "it is done after all", 90)
    everything = set().union(*before.values())
    await until(
        lambda: all(everything <= set(group.records(name)) for name in NAMES),
        "every peer has what any peer had on disk",
        30,
    )
    assert _results(group, "executor-1", goal) > results, "nothing was left to do: no proof"
    await until(lambda: len(_digests(group, goal)) == 1, "all have one digest", 30)
    (digest,) = _digests(group, goal)

    kill_all(group)
    for name in NAMES:
        if name != "scorer-2":
            group.wipe(name)
    start_all(group)
    held = set(group.records("scorer-2"))
    await until(
        lambda: all(set(group.records(name)) >= held for name in NAMES),
        "all have it again from the one disk",
        60,
    )
    assert _digests(group, goal) == {digest}


def _results(group: Processes, name: str, goal: bytes) -> int:
    plan = plan_on_disk(group, name, goal)
    return 0 if plan is None else sum(node.result is not None for node in plan.nodes())


def _state(group: Processes, name: str, goal: bytes) -> str:
    plan = plan_on_disk(group, name, goal)
    return "" if plan is None else plan.state


def _digests(group: Processes, goal: bytes) -> set[bytes]:
    plans = [plan_on_disk(group, name, goal) for name in NAMES]
    return {plan.digest if plan is not None else b"" for plan in plans}
