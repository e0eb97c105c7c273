"""The same key at two places, with real processes: both notice, and one makes the model calls."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from swarm.core.policy import MINUTE, Policy
from swarm.core.records import SHARED_KEY
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import talkers
from tests.e2e.waiting import until

TWINS = ("executor", "copy")
POLICY = Policy(max_depth=1, max_children=5, deadline_ms=3 * MINUTE)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Processes]:
    """A group of peers, with a model that takes half a second per call."""
    with scripted_ollama("--latency", "0.5") as url:
        made = Processes(tmp_path, url)
        try:
            yield made
        finally:
            made.stop()


def logged(group: Processes, name: str, event: str) -> list[dict[str, Any]]:
    """Return what a peer has logged about an event."""
    lines = [line for line in group.log_path(name).read_text().splitlines() if line[:1] == "{"]
    return [entry for line in lines if (entry := json.loads(line))["event"] == event]


async def troubles(group: Processes) -> dict[str, str]:
    """Return the trouble of each role's peer, as `swarm peers` shows it."""
    done = await trio.run_process(
        [sys.executable, "-m", "swarm", "peers", "--json"],
        env=group.environment,
        capture_stdout=True,
        stderr=subprocess.DEVNULL,
    )
    return {view["role"]: view["trouble"] for view in json.loads(done.stdout)}


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.trio
async def test_of_two_executors_with_one_key_one_makes_the_calls(group: Processes) -> None:
    """Both log it, `swarm peers` shows it, one calls the model; when that exits, the other does."""
    group.start("executor", "executor")
    await until(lambda: logged(group, "executor", "peer_started"), "the executor has started")
    group.end("executor")
    shutil.copytree(group.state_dir("executor"), group.state_dir("copy"))
    for role in ("decomposer", "scorer"):
        group.start(role, role)
    for name in TWINS:
        group.start("executor", name)
    for name in TWINS:
        await until(partial(logged, group, name, "key_in_use_twice"), f"{name} notices")
    assert (await troubles(group))["executor"].startswith(SHARED_KEY)
    options = {
        "role": "submitter",
        "swarm": SWARM,
        "mdns": False,
        "runtime_dir": str(group.runtime_dir),
        "state_dir": str(group.state_dir("talker")),
    }
    async with talkers([options], log=group.folder / "talker.log") as (talker,):
        await talker.until(lambda s: len(s["roles"]) == 4, "all roles are heard")
        first = await talker.submit("Plan a village concert", POLICY)
        await talker.until(lambda s: s["plans"].get(first, {}).get("state") == "done", "done")
        calls = {name: len(logged(group, name, "call_started")) for name in TWINS}
        assert sorted(calls.values())[0] == 0, calls
        worker = max(calls, key=lambda name: calls[name])
        (waiting,) = set(TWINS) - {worker}
        group.end(worker)
        await until(lambda: logged(group, waiting, "key_in_use_once"), "the other is alone")
        second = await talker.submit("Plan a village market", POLICY)
        await talker.until(lambda s: s["plans"].get(second, {}).get("state") == "done", "done")
        assert logged(group, waiting, "call_started")
