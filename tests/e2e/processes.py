"""Real processes for tests: peers of a swarm, and the scripted model server."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from swarm.core.store.store import Store
from swarm.trust.identity import load_identity

SWARM = "e2e"
STOP_SECONDS = 20
"""How long a process may take to exit on SIGTERM before the test kills it and fails, in seconds: a
tenth of a second on an idle machine."""


@dataclass
class Processes:
    """Starts peers as a user would, in their own directory, and stops them all."""

    folder: Path
    ollama: str = ""
    prefix: tuple[str, ...] = ()
    """The prefix of each command: `ip netns exec NAME` for a peer on a separate host."""
    mdns: bool = False
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process, isolated from the machine's own swarm."""
        return os.environ | {
            "LEADERLESS_SWARM__NAME": SWARM,
            "LEADERLESS_SWARM__RUNTIME_DIR": str(self.runtime_dir),
            "LEADERLESS_SWARM__STATE_DIR": str(self.folder / "state"),
            "LEADERLESS_SWARM__MDNS": str(self.mdns).lower(),
            "OLLAMA_HOST": self.ollama,
            # Named explicitly: on a starved machine peers would stop looking for it after two
            # seconds and start the embedded model.
            **({"LEADERLESS_MODEL__OLLAMA_URL": self.ollama} if self.ollama else {}),
        }

    @property
    def runtime_dir(self) -> Path:
        """Return the directory of the address book that the peers share."""
        return self.folder / "run"

    def state_dir(self, name: str) -> Path:
        """Return the directory of a peer's identity and replica."""
        return self.folder / name

    def start(
        self, role: str, name: str, *more: str, preexec: Callable[[], None] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start `swarm peer` and return it; its output goes to a file beside its state.

        Args:
            role: its role.
            name: its name; the same name has the same key and disk.
            more: more arguments of the command.
            preexec: run in the new process first, to limit it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [*self.prefix, sys.executable, "-m", "swarm", "peer", role, "--name", name]
        command += ["--state-dir", str(self.state_dir(name)), *more]
        with self.log_path(name).open("ab") as log:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=preexec,
            )
        self.running[name] = process
        return process

    def kill(self, name: str) -> None:
        """Kill a peer with SIGKILL."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def end(self, name: str) -> None:
        """Stop a peer with SIGTERM; it must exit in time."""
        process = self.running.pop(name)
        process.terminate()
        process.wait(STOP_SECONDS)

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a peer a signal, such as SIGSTOP or SIGCONT."""
        self.running[name].send_signal(number)

    def wipe(self, name: str) -> None:
        """Empty the disk of a peer that is down, except for its key."""
        for file in self.state_dir(name).glob("replica-*"):
            file.unlink()

    def stop(self) -> None:
        """Stop all running peers with SIGTERM; kill and report those that do not exit in time."""
        for process in self.running.values():
            process.send_signal(signal.SIGCONT)
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
        assert not late, f"did not exit on SIGTERM: {late}"

    def log_path(self, name: str) -> Path:
        """Return the file of a peer's output."""
        return self.folder / f"{name}.log"

    def replica_path(self, name: str) -> Path:
        """Return the path of a peer's replica."""
        return self.state_dir(name) / f"replica-{SWARM}.sqlite3"

    def author(self, name: str) -> bytes:
        """Return a peer's author key."""
        key = load_identity(self.state_dir(name) / "identity.key")
        return key.public_key().public_bytes_raw()

    def records(self, name: str) -> dict[bytes, bytes]:
        """Return the records that a peer has on disk, by id; empty if it has no disk yet."""
        path = self.replica_path(name)
        if not path.exists():
            return {}
        with contextlib.closing(sqlite3.connect(path)) as db:
            try:
                rows = db.execute("SELECT id, raw FROM records").fetchall()
            except sqlite3.OperationalError:
                return {}
        return {bytes(rid): bytes(raw) for rid, raw in rows}

    def replica(self, name: str) -> Store:
        """Return the records on a peer's disk, folded by a new store."""
        store = Store(SWARM)
        for raw in self.records(name).values():
            store.add(raw, 2**50)
        return store


@contextlib.contextmanager
def scripted_ollama(*arguments: str, prefix: Sequence[str] = ()) -> Iterator[str]:
    """Run the scripted Ollama-compatible server, by `prefix` if given; yield its address."""
    process = subprocess.Popen(
        [*prefix, sys.executable, "-m", "swarm.testing.scripted_server", *arguments],
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
