"""Start and idle: how soon each command is ready, and what idle peers and an idle bot cost.

    python -m benchmarks.start_idle [--runs 5] [--idle 20]

Everything is started as a user starts it, with a scripted model, and with the playground's server
in place of Discord.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from benchmarks import report
from benchmarks.report import Chart, Series
from benchmarks.whole_path import ROLES, SETTLED_SECONDS
from bot.cli.app import COMMANDS as BOT_COMMANDS
from bot.cli.playground import BOT_ONLINE
from swarm.cli.app import COMMANDS
from tests.e2e.processes import SWARM, Processes, scripted_ollama

READY_SECONDS = 60
"""Seconds that anything may take to be ready, on a loaded machine."""

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one process takes: memory in MiB, CPU in percent of a core."""

    rss: float
    pss: float
    uss: float
    cpu: float


def main() -> None:
    """Measure, and write the report."""
    parser = report.parser(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--idle", type=float, default=20, help="seconds of idling measured")
    options = parser.parse_args()
    settle = SETTLED_SECONDS
    if options.quick:
        options.runs, options.idle, settle = 1, 2, 5
    page = report.Page("start_idle", "Start and idle", options)
    with scripted_ollama() as url, tempfile.TemporaryDirectory() as folder:
        commands(page, options.runs)
        idle(page, Path(folder), url, options, settle)
    page.write()


def commands(page: report.Page, runs: int) -> None:
    """Measure how soon each command prints its help."""
    measures: dict[str, Callable[[], float]] = {
        "python -c pass": partial(timed, [sys.executable, "-c", "pass"])
    }
    for module, names in (("swarm", COMMANDS), ("bot", BOT_COMMANDS)):
        for name in ("", *names):
            command = [sys.executable, "-m", module, *([name] if name else []), "--help"]
            shown = f"{'swarm-bot' if module == 'bot' else module} {name}".strip()
            measures[shown] = partial(timed, command)
    took = report.paired(runs, measures)
    bare = took.pop("python -c pass")
    slowest = max(took, key=lambda name: sum(took[name]))
    whole = [value for values in took.values() for value in values]
    page.say(
        f"Every command's `--help`, {len(took)} commands, process start included: "
        f"{report.spread([1000 * v for v in whole], 'ms', 0)}, of which an empty Python is "
        f"{report.spread([1000 * v for v in bare], 'ms', 0)} (aim: under 300 ms). The slowest is "
        f"`{slowest}`: {report.spread([1000 * v for v in took[slowest]], 'ms', 0)}."
    )


def timed(command: Sequence[str]) -> float:
    """Return how long a command takes, in seconds."""
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - began


def idle(
    page: report.Page, folder: Path, url: str, options: argparse.Namespace, settle: float
) -> None:
    """Measure starting and idling: peers of `swarm up`, peers one by one, the bot."""
    one = Processes(folder / "one", url)
    alone = [first_line(one, "observer", f"observer-{n}") for n in range(options.runs)]
    up, forked = swarm_up(folder / "up", url, options, settle)
    plain, bot = apart(folder / "apart", url, options.idle, settle)
    page.table(
        ["start", "median (range)", "aim"],
        [
            [f"`swarm up` until its {len(forked)} peers listen", report.spread(up), "5 s"],
            ["one `swarm peer` until it listens", report.spread(alone), ""],
        ],
    )
    kinds = {
        f"a peer of `swarm up` ({len(forked)})": forked,
        f"a peer started by itself ({len(plain)})": plain,
        "the bot": [bot],
    }
    page.say(
        f"Idle for {options.idle:g} s, {settle:g} s after the last of them came. Proportional "
        "memory (PSS) shares out what processes have in common; resident memory (RSS) counts it "
        "for each. Aims: 80 MB and 0.5 % of a core each."
    )
    page.table(
        ["idle", "PSS", "RSS", "unshared (USS)", "CPU"],
        [
            [
                name,
                report.spread([f.pss for f in found], "MiB", 0),
                report.spread([f.rss for f in found], "MiB", 0),
                report.spread([f.uss for f in found], "MiB", 0),
                report.spread([f.cpu for f in found], "%", 2),
            ]
            for name, found in kinds.items()
        ],
    )
    names = ["peer of swarm up", "peer by itself", "bot"]
    series = [
        Series(
            what,
            names,
            [sum(getattr(f, what) for f in found) / len(found) for found in kinds.values()],
        )
        for what in ("pss", "rss")
    ]
    page.chart("memory", Chart("bars", "Memory of an idle process", "", "MiB", series))


def first_line(group: Processes, role: str, name: str) -> float:
    """Start a peer and stop it once it listens; return how long that took, in seconds."""
    began = time.perf_counter()
    group.start(role, name)
    wait_for(lambda: b"listening on" in group.log_path(name).read_bytes())
    took = time.perf_counter() - began
    group.end(name)
    return took


def swarm_up(
    folder: Path, url: str, options: argparse.Namespace, settle: float
) -> tuple[list[float], list[Footprint]]:
    """Return how soon `swarm up` is ready, and what its idle peers cost."""
    group = Processes(folder, url)
    command = [sys.executable, "-m", "swarm", "up", "--ollama", url, "--json-events"]
    took: list[float] = []
    found: list[Footprint] = []
    for run in range(min(options.runs, 3)):
        began = time.perf_counter()
        with subprocess.Popen(
            command, env=group.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if json.loads(line)["event"] == "ready":
                    break
            took.append(time.perf_counter() - began)
            if run == 0:
                peers = [
                    child
                    for child in psutil.Process(process.pid).children(recursive=True)
                    if "swarm peer" in " ".join(child.cmdline())
                ]
                time.sleep(settle)
                found = footprints(peers, options.idle)
            process.terminate()
            process.stdout.read()
    return took, found


def apart(
    folder: Path, url: str, seconds: float, settle: float
) -> tuple[list[Footprint], Footprint]:
    """Return what peers that were started one by one cost, and a bot among them."""
    group = Processes(folder, url)
    command = [sys.executable, "-m", "bot", "playground", "--port", "0", "--swarm", SWARM]
    command += ["--state-dir", str(folder / "bot")]
    try:
        for role, count in ROLES.items():
            for number in range(count):
                group.start(role, f"{role}-{number + 1}")
        with subprocess.Popen(
            command, env=group.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as playground:
            assert playground.stdout is not None
            try:
                for line in playground.stdout:
                    if BOT_ONLINE.encode() in line:
                        break
                bots = psutil.Process(playground.pid).children()
                assert len(bots) == 1, "the playground has one child, the bot"
                time.sleep(settle)
                peers = [psutil.Process(process.pid) for process in group.running.values()]
                *plain, bot = footprints([*peers, *bots], seconds)
            finally:
                playground.terminate()
                playground.stdout.read()
    finally:
        group.stop()
    return plain, bot


def footprints(processes: Sequence[psutil.Process], seconds: float) -> list[Footprint]:
    """Return what idle processes cost."""
    before = [sum(process.cpu_times()[:2]) for process in processes]
    time.sleep(seconds)
    used = [sum(p.cpu_times()[:2]) - was for p, was in zip(processes, before, strict=True)]
    memory = [process.memory_full_info() for process in processes]
    return [
        Footprint(m.rss / MIB, m.pss / MIB, m.uss / MIB, 100 * cpu / seconds)
        for m, cpu in zip(memory, used, strict=True)
    ]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for a condition, looking every 5 ms.

    Raises:
        TimeoutError: It did not hold in time.
    """
    end = time.monotonic() + READY_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {READY_SECONDS} s")
        time.sleep(0.005)


if __name__ == "__main__":
    main()
