"""Commands against a swarm with a history show the whole, or say that it is not."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from swarm.peer.replica import Replica, row_of
from swarm.testing.finished_goals import Cast
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.waiting import wait_until

GOALS = 300
HOUR_MS = 3_600_000


def address_in(group: Processes, name: str) -> str:
    """Return the address that a peer says it listens at; empty until then."""
    lines = group.log_path(name).read_text().splitlines()
    found = [line for line in lines if line.startswith("listening on ")]
    return found[0].removeprefix("listening on ").strip() if found else ""


def listening_at(group: Processes, name: str) -> str:
    """Wait until a peer listens; return its address."""
    wait_until(lambda: address_in(group, name), f"{name} listens")
    return address_in(group, name)


def swarm(group: Processes, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user would."""
    command = [sys.executable, "-m", "swarm", *arguments]
    return subprocess.run(
        command, env=group.environment, capture_output=True, text=True, timeout=110, check=False
    )


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Processes]:
    """Two peers that hold finished goals on disk."""
    made = Processes(tmp_path)
    now = time.time_ns() // 1_000_000
    cast = Cast(SWARM, submitters=1)
    goals = list(cast.goals(GOALS, first_ms=now - 100 * HOUR_MS, last_ms=now - 2 * HOUR_MS))
    with scripted_ollama() as url:
        made.ollama = url
        for name in ("one", "two"):
            made.state_dir(name).mkdir(parents=True, mode=0o700)
            replica = Replica(made.replica_path(name))
            replica.open()
            replica.save([row_of(record) for records in goals for record in records])
            replica.close()
            made.start("executor", name)
        for name in ("one", "two"):
            listening_at(made, name)
        yield made
        made.stop()


def test_a_long_history_is_shown_whole_and_one_goal_of_it_at_once(group: Processes) -> None:
    """All of 300 finished goals are shown as done; `why` and `observe ID` know any of them."""
    everything = swarm(group, "observe", "--once", "--json")
    assert everything.returncode == 0, everything.stderr
    plans = json.loads(everything.stdout)
    assert [plan["state"] for plan in plans] == ["done"] * GOALS
    for plan in (plans[0], plans[GOALS // 2]):
        one = swarm(group, "observe", plan["goal"][:16], "--once", "--json")
        assert one.returncode == 0, one.stderr
        assert json.loads(one.stdout)["digest"] == plan["digest"]
        why = swarm(group, "why", plan["goal"][:16])
        assert why.returncode == 0, why.stderr
        assert "accepted" in why.stdout


@pytest.mark.slow
def test_of_a_swarm_that_only_listens_nothing_is_taken_for_the_whole(tmp_path: Path) -> None:
    """Where no peer answers, the command says that it is incomplete, and exits with 4."""
    group = Processes(tmp_path)
    group.start("observer", "mute")
    listening_at(group, "mute")
    shown = swarm(group, "observe", "--once")
    group.stop()
    assert shown.returncode == 4
    assert "Incomplete: no peer of the swarm answered" in shown.stderr
    assert "has no plans" not in shown.stderr


def test_in_a_star_every_reader_gets_all_from_the_hub(tmp_path: Path) -> None:
    """Peers that can dial but not be dialled, each linked to one hub: readers are complete."""
    with scripted_ollama() as url:
        hub = Processes(tmp_path / "hub", url)
        hub.start("scorer", "hub")
        address = listening_at(hub, "hub")
        groups = [hub]
        for role in ("decomposer", "executor"):
            # An address book of its own, so that nobody else learns where it listens.
            spoke = Processes(tmp_path / role, url)
            spoke.start(role, role, "--peers", address)
            groups.append(spoke)
        reader = Processes(tmp_path / "reader", url)
        reader.folder.mkdir()
        for text in ("Plan a picnic", "Plan a concert"):
            done = swarm(reader, "submit", text, "--wait", "--json", "--peers", address)
            assert done.returncode == 0, done.stderr
        for _ in range(3):
            shown = swarm(reader, "observe", "--once", "--json", "--peers", address)
            assert shown.returncode == 0, shown.stderr
            assert [plan["state"] for plan in json.loads(shown.stdout)] == ["done", "done"]
        for group in groups:
            group.stop()
