"""Starts and controls real peers (`talker`) that publish what a test asks for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from swarm.core.policy import Policy

ROOT = Path(__file__).parents[2]

START_SECONDS = 60
"""How long a process may take to join, in seconds: one on an idle machine; half a minute was
measured with sixteen others on the same two cores."""


class Talker:
    """One peer in its own process."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.addresses: list[str] = []
        self.author = ""
        self._pending = b""
        self._turn = trio.Lock()

    async def ready(self) -> None:
        """Wait until the peer runs."""
        with trio.fail_after(START_SECONDS):
            first = await self._line()
        self.addresses, self.author = first["addresses"], first["author"]

    async def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Send the peer a command and return its answer."""
        assert self.process.stdin is not None
        async with self._turn:
            line = json.dumps({"do": do, **more}).encode() + b"\n"
            await self.process.stdin.send_all(line)
            answer = await self._line()
        assert "error" not in answer, answer["error"]
        return answer

    async def submit(self, text: str, policy: Policy, language: str = "") -> str:
        """Have the peer submit a goal; return the goal's id in hex."""
        answer = await self.ask(
            "submit", text=text, policy=policy.model_dump(mode="json"), language=language
        )
        return str(answer["goal"])

    async def until(
        self, condition: Callable[[dict[str, Any]], object], what: str, seconds: float = 30
    ) -> dict[str, Any]:
        """Poll the peer's state until a condition holds; return that state."""
        state: dict[str, Any] = {}
        with trio.move_on_after(seconds):
            while True:
                state = await self.ask("state")
                if condition(state):
                    return state
                await trio.sleep(0.1)
        raise AssertionError(f"gave up after {seconds} s waiting until {what}; last: {state}")

    def kill(self) -> None:
        """Kill the peer with SIGKILL."""
        self.process.kill()

    async def _line(self) -> dict[str, Any]:
        stdout = self.process.stdout
        assert stdout is not None
        while b"\n" not in self._pending:
            chunk = await stdout.receive_some(65536)
            if not chunk:
                raise EOFError("the talker's process exited")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


@asynccontextmanager
async def talkers(
    options: Sequence[dict[str, Any]], *, log: Path, prefixes: Sequence[Sequence[str]] = ()
) -> AsyncIterator[list[Talker]]:
    """Start talkers at once, wait until all run, and kill them at the end.

    Args:
        options: the `PeerSettings` of each.
        log: the file that their stderr goes to.
        prefixes: the prefix of each command, if any.
    """
    with log.open("ab") as errors:
        processes = [
            await trio.lowlevel.open_process(
                [
                    *(prefixes[number] if prefixes else ()),
                    *(sys.executable, "-m", "tests.e2e.talker", json.dumps(one)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=ROOT,
            )
            for number, one in enumerate(options)
        ]
    try:
        started = [Talker(process) for process in processes]
        for talker in started:
            await talker.ready()
        yield started
    finally:
        with trio.CancelScope(shield=True):
            for process in processes:
                if process.returncode is None:
                    process.kill()
                await process.wait()
