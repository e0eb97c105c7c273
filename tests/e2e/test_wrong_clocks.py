"""Wrong clocks with real processes: the odd one is told, the others show it, no hint misleads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import Processes, scripted_ollama
from tests.e2e.talkers import ROOT
from tests.e2e.waiting import wait_until

pytestmark = pytest.mark.timeout(240)

PATIENCE_SECONDS = 60
SHIFTED = ("-m", "tests.e2e.shifted")
FAR = 3600


@pytest.fixture(scope="module")
def ollama() -> Iterator[str]:
    """Run the scripted model server; yield its address."""
    with scripted_ollama() as url:
        yield url


@pytest.fixture
def group(tmp_path: Path, ollama: str) -> Iterator[Processes]:
    """Peers that are stopped at the end."""
    made = Processes(tmp_path, ollama)
    try:
        yield made
    finally:
        made.stop()


def start(group: Processes, role: str, name: str, shift: float = 0) -> None:
    """Start a peer whose clock is wrong by so many seconds."""
    command = [sys.executable, *SHIFTED, str(shift), "peer", role, "--name", name]
    command += ["--state-dir", str(group.state_dir(name))]
    with group.log_path(name).open("ab") as log:
        group.running[name] = subprocess.Popen(
            command, env=group.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            cwd=ROOT,
        )  # fmt: skip


def run(group: Processes, shift: float, *words: str) -> tuple[int, str, str]:
    """Run a command whose clock is wrong by so many seconds."""
    done = subprocess.run(
        [sys.executable, *SHIFTED, str(shift), *words], env=group.environment, cwd=ROOT,
        capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def listed(group: Processes) -> dict[str, dict[str, Any]]:
    """Return the peers that `swarm peers` lists, by name."""
    _, out, _ = run(group, 0, "peers", "--json")
    return {view["name"]: view for view in json.loads(out)} if out else {}


def logged(group: Processes, name: str) -> str:
    return group.log_path(name).read_text() if group.log_path(name).exists() else ""


@pytest.mark.slow
@pytest.mark.parametrize("shift", [FAR, -FAR])
def test_an_odd_executor_is_told_and_shown_with_its_offset(group: Processes, shift: int) -> None:
    """An hour ahead or behind: its log, the others' logs and `swarm peers` tell; `submit` too."""
    start(group, "decomposer", "splitter")
    start(group, "scorer", "rater")
    start(group, "executor", "odd", shift)
    wait_until(lambda: {"splitter", "rater", "odd"} <= set(listed(group)), "all three are listed")
    assert abs(listed(group)["odd"]["clock_ms"] - shift * 1000) < 10_000
    assert listed(group)["rater"]["clock_ms"] == 0
    side = "ahead" if shift > 0 else "behind"
    code, out, _ = run(group, 0, "peers")
    (line,) = [line for line in out.splitlines() if " odd " in line]
    assert (code, f"its clock is 60 min {side}" in line) == (0, True), out
    wait_until(lambda: "clock_differs" in logged(group, "odd"), "the odd peer is told")
    assert "timedatectl" in logged(group, "odd")
    wait_until(lambda: "peer_clock_differs" in logged(group, "rater"), "another peer logs it")
    assert logged(group, "rater").count("peer_clock_differs") == 1
    code, _, err = run(group, 0, "submit", "Plan a fair")
    assert code == 0
    assert f"odd, executor: its clock is 60 min {side}" in err
    assert "has no executor" not in err


@pytest.mark.slow
def test_commands_with_a_wrong_clock_are_told_so(group: Processes) -> None:
    """An hour off, or 20 s: what, by how much and what to do, and no peer is said to be missing."""
    for role, name in (("decomposer", "splitter"), ("scorer", "rater"), ("executor", "doer")):
        start(group, role, name)
    wait_until(lambda: len(listed(group)) >= 3, "all three are listed")
    for shift, told in ((FAR, "60 min ahead"), (-FAR, "60 min behind"), (20, "s ahead"),
                        (-20, "s behind")):  # fmt: skip
        for words in (("submit", "Plan a fair"), ("peers",), ("observe", "ab12", "--once"),
                      ("cancel", "ab12")):  # fmt: skip
            _, _, err = run(group, shift, *words)
            assert f"{told}, compared with most of the" in err, (shift, words, err)
            assert "timedatectl" in err
            assert "has no" not in err.replace("swarm has no plan", ""), (shift, words, err)
    _, _, err = run(group, 0, "submit", "Plan a fair")
    assert "clock" not in err
