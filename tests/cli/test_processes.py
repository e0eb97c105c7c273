"""The commands as people run them: real processes, real libp2p, a scripted model server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from swarm.core.views.plan_view import PlanView

pytestmark = pytest.mark.timeout(180)

PATIENCE = 60.0
"""Seconds for one command; a few are usual, more while the whole suite shares two cores."""

SMALL = ("--decomposers", "1", "--scorers", "1", "--executors", "1")


@pytest.fixture(scope="module")
def ollama() -> Iterator[str]:
    """Run the scripted model server; yield its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "swarm.testing.scripted_server"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


class Shell:
    """Runs `swarm` commands in an isolated environment, and knows which processes still run."""

    def __init__(self, folder: Path, ollama: str) -> None:
        """Prepare the environment in a folder."""
        self.mark = f"cli-{os.getpid()}-{folder.name}"
        self.environment = os.environ | {
            "LEADERLESS_SWARM__NAME": self.mark,
            "LEADERLESS_SWARM__STATE_DIR": str(folder / "state"),
            "LEADERLESS_SWARM__RUNTIME_DIR": str(folder / "run"),
            "LEADERLESS_SWARM__MDNS": "false",
            "LEADERLESS_MODEL__OLLAMA_URL": ollama,
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own, as a shell would."""
        return subprocess.Popen(
            [sys.executable, "-m", "swarm", *words],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command to its end; return its exit code, stdout and stderr."""
        return finish(self.start(*words))

    def left(self) -> list[psutil.Process]:
        """Return the processes of this environment that still run."""
        found = []
        for process in psutil.process_iter():
            try:
                ours = process.environ().get("LEADERLESS_SWARM__NAME") == self.mark
                if ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def none_left(self, seconds: float = 10.0) -> bool:
        """Wait until no process of this environment runs; return whether that happened."""
        deadline = time.monotonic() + seconds
        while self.left():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


@pytest.fixture
def shell(tmp_path: Path, ollama: str) -> Iterator[Shell]:
    """Yield an environment, and leave no process of it running, whatever the test did."""
    world = Shell(tmp_path, ollama)
    yield world
    for process in world.left():
        process.kill()


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for a command; return its exit code, stdout and stderr."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def events(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """Yield the events of `swarm up --json-events` as they arrive."""
    assert process.stdout is not None
    for line in process.stdout:
        yield json.loads(line)


def wait_for(process: subprocess.Popen[str], event: str) -> dict[str, Any]:
    """Read events until one of a kind, and return that one."""
    return next(told for told in events(process) if told["event"] == event)


def test_up_with_a_goal_prints_the_plan_and_leaves_nothing(shell: Shell) -> None:
    """`swarm up GOAL --json`: exit code 0, a PlanView and nothing else printed, no process left."""
    code, out, err = shell.run("up", "Plan a two week trip to Japan", *SMALL, "--json")
    assert (code, err) == (0, "")
    view = PlanView.model_validate_json(out)
    assert view.state == "done"
    assert view.text == "Plan a two week trip to Japan"
    assert len(view.tree.children) >= 2
    assert shell.none_left(0)


@pytest.mark.slow
def test_a_model_that_thinks_plans_like_any_other(tmp_path: Path) -> None:
    """It thinks though told not to, and answers nothing where a format is asked for (gpt-oss)."""
    command = [sys.executable, "-m", "swarm.testing.scripted_server", "--think", "60"]
    with subprocess.Popen(
        [*command, "--format-breaks"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        shell = Shell(tmp_path, server.stdout.readline().strip())
        try:
            code, out, err = shell.run("up", "Plan a two week trip to Japan", *SMALL, "--json")
        finally:
            server.terminate()
    assert (code, err) == (0, "")
    view = PlanView.model_validate_json(out)
    assert view.state == "done"
    assert len(view.tree.children) >= 2


def test_up_ends_with_whoever_started_it(shell: Shell) -> None:
    """A kill -9 of `swarm up` leaves no peer; nor does closing its lifeline, a normal exit."""
    alone = ("--decomposers", "1", "--scorers", "0", "--executors", "0")
    doomed = shell.start("up", *alone, "--json-events")
    polite = shell.start("up", *alone, "--json-events", "--until-stdin-closes")
    for process in (doomed, polite):
        assert len(wait_for(process, "ready")["peers"]) == 1
    assert len(shell.left()) == 4
    doomed.kill()
    doomed.communicate(timeout=PATIENCE)
    code, _, err = finish(polite)
    assert (code, err) == (0, "")
    assert shell.none_left()


def test_a_running_swarm_can_be_asked_watched_and_stopped(shell: Shell) -> None:
    """Submit, observe, peers, why and cancel work from other terminals; Ctrl-C stops everything."""
    up = shell.start("up", *SMALL, "--json-events")
    wait_for(up, "ready")

    code, out, err = shell.run("submit", "Plan a school fair", "--wait")
    assert code == 0
    assert out.startswith("# Plan a school fair\n")
    assert "the plan is done" in err

    watching = shell.start("observe", "--once", "--json", "--stats")
    listing = shell.start("peers", "--json")
    asking = shell.start("submit", "Plan a garden")
    code, out, err = finish(watching)
    views = [PlanView.model_validate(view) for view in json.loads(out)]
    assert views[0].text == "Plan a school fair"
    assert views[0].state == "done"
    assert json.loads(err)["messages_published"] == 0
    code, out, _ = finish(listing)
    roles = {peer["role"] for peer in json.loads(out)}
    assert roles >= {"decomposer", "scorer", "executor"}
    code, out, _ = finish(asking)
    assert code == 0
    garden = out.strip()

    telling = shell.start("why", views[0].goal[:12])
    plain = shell.start("observe", views[0].goal[:12], "--once")
    stopping = shell.start("cancel", garden)
    code, out, _ = finish(telling)
    assert code == 0
    assert "Plan a school fair: done" in out
    code, out, _ = finish(plain)
    assert out.startswith("✔ done")
    # The same identity as that of `submit`: it may cancel, unless the plan was quicker.
    code, out, err = finish(stopping)
    assert (code == 0 and garden[:8] in out) or "has already ended" in err

    up.send_signal(signal.SIGINT)
    code, _, err = finish(up)
    assert (code, err) == (signal.SIGINT + 128, "")
    assert shell.none_left(0)


def test_without_a_swarm_or_a_model_the_exit_code_is_3(shell: Shell) -> None:
    """Without a swarm or a model the message says what to do, and the exit code is 3."""
    visiting = shell.start("peers")
    shell.environment["LEADERLESS_MODEL__OLLAMA_URL"] = "http://127.0.0.1:9"
    starting = shell.start("up", *SMALL)
    peer = shell.start("peer", "scorer")
    told = shell.start("up", *SMALL, "--json-events")
    code, out, err = finish(visiting)
    assert (code, out) == (3, "")
    assert "swarm up" in err
    for process in (starting, peer):
        code, out, err = finish(process)
        assert (code, out) == (3, "")
        assert "127.0.0.1:9" in err
        assert "Traceback" not in err
    code, out, err = finish(told)
    assert (code, err) == (3, "")
    assert json.loads(out.splitlines()[-1])["exit"] == 3


def test_the_first_lines_of_a_peer_are_its_id_and_addresses(shell: Shell) -> None:
    """A peer in the foreground prints its addresses as text and as JSON, and exits cleanly."""
    plain = shell.start("peer", "observer")
    program = shell.start("peer", "scorer", "--name", "sam", "--json", "--until-stdin-closes")
    assert plain.stdout is not None
    assert program.stdout is not None
    first, second = plain.stdout.readline(), plain.stdout.readline()
    assert first.startswith("peer ")
    assert second.startswith("listening on /ip4/127.0.0.1/tcp/")
    assert second.strip().endswith(first.split()[1])
    told = json.loads(program.stdout.readline())
    assert told["name"] == "sam"
    assert told["addresses"][0].endswith(told["peer_id"])
    plain.terminate()
    code, _, err = finish(plain)
    assert code == 0
    assert "Traceback" not in err
    code, _, err = finish(program)
    assert code == 0
    assert shell.none_left(0)


def test_a_directory_given_to_a_peer_is_not_run_twice(shell: Shell, tmp_path: Path) -> None:
    """Two processes with one key would do all work twice: the second is refused with a reason."""
    place = tmp_path / "mine"
    first = shell.start("peer", "executor", "--json", "--state-dir", str(place))
    assert first.stdout is not None
    assert json.loads(first.stdout.readline())["addresses"]
    code, _, err = shell.run("peer", "executor", "--state-dir", str(place))
    assert code == 2
    assert "is already running in" in err
    assert "--state-dir" in err
    first.kill()
    first.wait()
    again = shell.start("peer", "executor", "--json", "--state-dir", str(place))
    assert again.stdout is not None
    assert json.loads(again.stdout.readline())["addresses"], "a killed one holds nothing up"
    again.kill()
    again.wait()
