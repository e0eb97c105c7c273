"""Starts and controls real peers, each in its own process (`peer_process`)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import trio

from tests.net.hosts import STARVED

ROOT = Path(__file__).parents[2]


class Peer:
    """A running peer process."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self._pending = b""
        self.addresses: list[str] = []
        self.peer_id = ""

    async def _line(self) -> dict[str, Any]:
        stdout = self.process.stdout
        assert stdout is not None
        while b"\n" not in self._pending:
            chunk = await stdout.receive_some(65536)
            if not chunk:
                raise EOFError("the peer process exited")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def ask(self, do: str, **more: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        await self.process.stdin.send_all(json.dumps({"do": do, **more}).encode() + b"\n")
        return await self._line()

    async def publish(self, *raws: bytes) -> float:
        answer = await self.ask("publish", records=[raw.hex() for raw in raws])
        at: float = answer["at"]
        return at

    async def state(self, *, arrived: bool = False) -> dict[str, Any]:
        return await self.ask("state", arrived=arrived)

    async def until(self, limit_seconds: float, **wanted: Any) -> dict[str, Any]:
        """Poll the state until these keys have these values (or pass, if callable)."""
        state: dict[str, Any] = {}
        with anyio.move_on_after(STARVED * limit_seconds):
            while True:
                state = await self.state()
                if all(
                    want(state[key]) if callable(want) else state[key] == want
                    for key, want in wanted.items()
                ):
                    return state
                await trio.sleep(0.02)
        seen = {k: v for k, v in state.items() if k != "arrived"}
        raise AssertionError(f"not within {limit_seconds} s: {wanted}; last: {seen}")

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


async def spawn(**options: Any) -> trio.Process:
    return await trio.lowlevel.open_process(
        [sys.executable, "-m", "tests.net.peer_process", json.dumps(options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )


async def ready(process: trio.Process) -> Peer:
    peer = Peer(process)
    with trio.fail_after(60):
        first = await peer._line()
    peer.addresses, peer.peer_id = first["addresses"], first["peer_id"]
    return peer


@asynccontextmanager
async def peers(
    count: int, *, each: list[dict[str, Any]] | None = None, **options: Any
) -> AsyncIterator[list[Peer]]:
    """Start peers at once, wait until all are ready, and kill them at the end."""
    processes = [await spawn(**{**options, **(each[i] if each else {})}) for i in range(count)]
    try:
        yield [await ready(process) for process in processes]
    finally:
        for process in processes:
            with trio.CancelScope(shield=True):
                if process.returncode is None:
                    process.send_signal(signal.SIGCONT)
                    process.kill()
                await process.wait()
