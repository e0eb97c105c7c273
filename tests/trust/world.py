"""An environment for tests: `swarm` commands as people run them, and all their output."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

PATIENCE = 90.0
"""Seconds to wait for a command or a condition; a few are usual."""

SECRET_FILES = ("owner.key", "swarm.key", "identity.key", "people.key")


@dataclass
class World:
    """Starts commands in a folder, and stops them all at the end."""

    folder: Path
    ollama: str = ""
    machine: str = "run"
    """Name of the address book: commands with different ones act as on different machines."""
    running: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """All output of commands, except the invites."""
    invites: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of every command: no settings of the machine, loopback only."""
        kept = {name: v for name, v in os.environ.items() if not name.startswith("LEADERLESS_")}
        return kept | {
            "LEADERLESS_SWARM__RUNTIME_DIR": str(self.folder / self.machine),
            "LEADERLESS_SWARM__MDNS": "false",
            "LEADERLESS_SWARM__LISTEN": "/ip4/127.0.0.1/tcp/0",
            "LEADERLESS_POLICY__DEADLINE": "2m",
            "LEADERLESS_MODEL__OLLAMA_URL": self.ollama,
        }

    def config(self, who: str) -> tuple[str, str]:
        """Return the option that names a participant's configuration."""
        return "--config", str(self.folder / who / "swarm.toml")

    def run(self, *words: str, stdin: str = "", secret: bool = False) -> tuple[int, str, str]:
        """Run a command to its end; return exit code, stdout and stderr."""
        done = subprocess.run(
            [sys.executable, "-m", "swarm", *words],
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.said += [done.stderr] if secret else [done.stdout, done.stderr]
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stdout, done.stderr

    def json(self, *words: str) -> Any:
        """Run a command that succeeds, and return what it printed."""
        code, out, err = self.run(*words, "--json")
        assert code == 0, err
        return json.loads(out)

    def invite(self, *words: str) -> str:
        """Make an invite as the owner; return its line."""
        code, out, err = self.run("invite", *words, *self.config("owner"), secret=True)
        assert code == 0, err
        assert out.count("\n") == 1
        self.invites.append(out.strip())
        return out.strip()

    def let_in(self, where: str, *words: str) -> Any:
        """Invite and join; return what `swarm join --json` says."""
        line = self.invite(*words)
        code, out, err = self.run("join", "-", "--dir", str(self.folder / where), "--json",
                                  stdin=f"{line}\n")  # fmt: skip
        assert code == 0, err
        return json.loads(out)

    def start(self, called: str, *words: str) -> dict[str, Any]:
        """Start `swarm peer` and wait until it listens; return its first line of JSON."""
        log = (self.folder / f"{called}.log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "-m", "swarm", "peer", *words, "--json", "--log-level", "debug"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        log.close()
        self.running[called] = process
        assert process.stdout is not None
        line = process.stdout.readline()
        self.said.append(line)
        assert line, self.log(called)
        told: dict[str, Any] = json.loads(line)
        return told

    def log(self, called: str) -> str:
        """Return what a peer has logged so far."""
        return (self.folder / f"{called}.log").read_text()

    def stop(self) -> None:
        """Stop all running processes."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def secrets(self) -> Iterator[tuple[str, str]]:
        """Yield where each secret is kept, and each form in which it could be written."""
        for line in self.invites:
            yield "an invite", line[len("leaderless-invite-1-") :][:40]
        for name in SECRET_FILES:
            for path in self.folder.rglob(name):
                data = path.read_bytes()
                raw = bytes.fromhex(data.decode()) if name == "swarm.key" else data
                urlsafe = base64.urlsafe_b64encode(raw).decode().rstrip("=")
                plain = base64.b64encode(raw).decode().rstrip("=")
                forms = (raw.hex(), raw.hex().upper(), plain, urlsafe, repr(raw)[2:-1])
                for form in forms:
                    yield str(path), form

    def check_nothing_leaked(self) -> None:
        """Assert that no secret was printed or logged, or is visible in a process list."""
        words = list(self.said)
        words += [path.read_text(errors="replace") for path in self.folder.glob("*.log")]
        for process in self.running.values():
            with contextlib.suppress(psutil.Error):
                words.append(" ".join(psutil.Process(process.pid).cmdline()))
        everything = "\n".join(words)
        found = [where for where, secret in self.secrets() if secret in everything]
        assert found == []


def until(condition: Callable[[], object], what: str, pause: float = 0.2) -> None:
    """Wait for a condition that another process makes true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(pause)
