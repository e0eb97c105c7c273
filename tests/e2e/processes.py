"""Real processes for tests: peers of a swarm, and the scripted model server."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from swarm.core.store import Store

SWARM = "e2e"
STOP_SECONDS = 10
"""How long a process may take to end on SIGTERM before the test kills and blames it."""


@dataclass
class Processes:
    """Starts peers as a user would, in a directory of their own, and ends them all."""

    folder: Path
    ollama: str = ""
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process: nothing of the machine's own swarm."""
        return os.environ | {
            "LEADERLESS_SWARM__NAME": SWARM,
            "LEADERLESS_SWARM__RUNTIME_DIR": str(self.runtime_dir),
            "LEADERLESS_SWARM__STATE_DIR": str(self.folder / "state"),
            "LEADERLESS_SWARM__MDNS": "false",
            "OLLAMA_HOST": self.ollama,
        }

    @property
    def runtime_dir(self) -> Path:
        """The address book they share."""
        return self.folder / "run"

    def state_dir(self, name: str) -> Path:
        """Where a peer keeps its identity and replica."""
        return self.folder / name

    def start(self, role: str, name: str, *more: str) -> subprocess.Popen[bytes]:
        """Start `swarm peer` and return it; its output goes to a file beside its state."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = (self.folder / f"{name}.log").open("ab")
        command = [sys.executable, "-m", "swarm", "peer", role, "--name", name]
        command += ["--state-dir", str(self.state_dir(name)), *more]
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        self.running[name] = process
        return process

    def kill(self, name: str) -> None:
        """End a peer with kill -9."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all that run, politely; whoever does not comply is killed and named."""
        for process in self.running.values():
            process.terminate()
        late = []
        for name, process in self.running.items():
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                late.append(name)
        self.running.clear()
        assert not late, f"did not end on SIGTERM: {late}"

    def replica(self, name: str) -> Store:
        """Return what a peer has on disk, folded by a fresh store."""
        store = Store(SWARM)
        path = self.state_dir(name) / f"replica-{SWARM}.sqlite3"
        with contextlib.closing(sqlite3.connect(path)) as db:
            for (raw,) in db.execute("SELECT raw FROM records"):
                store.add(bytes(raw), 2**50)
        return store


@contextlib.contextmanager
def scripted_ollama(*arguments: str) -> Iterator[str]:
    """Run the scripted Ollama-compatible server; yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "swarm.llm.scripted", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip().split()[-1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
