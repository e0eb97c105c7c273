"""Child processes of the playground, each on a lifeline: its standard input.

A child ends when that pipe closes, so it never outlives this process, however this one ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import structlog

from swarm.processes.restarts import RestartPauses

log = structlog.get_logger(__name__)

STOP_SECONDS = 10.0
"""How long a child may take to end by itself; a swarm needs about six to end its peers."""

LINE_BYTES = 4 * 1024 * 1024
"""The longest line a child may print: a whole plan as JSON."""

PAUSES_SECONDS = (1.0, 2.0, 5.0, 15.0)
"""Before a child that died is started again; the last one repeats."""

HEALTHY_SECONDS = 120.0
"""A child that ran this long counts as healthy: the pauses start again from the first."""


class Child:
    """One run of a Python module in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(
        cls,
        module: str,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        errors: IO[bytes] | None = None,
    ) -> Child:
        """Start `python -m module arguments --until-stdin-closes`.

        Args:
            module: what to run.
            arguments: for it.
            environment: variables on top of this process's own.
            errors: where its stderr goes; None: to this process's.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            module,
            *arguments,
            "--until-stdin-closes",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **(environment or {})},
            # Its own session: Ctrl-C on the terminal is ours to handle, children are told by us.
            start_new_session=True,
            limit=LINE_BYTES,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield what it prints, line by line, until it ends."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            yield line

    async def wait(self) -> int:
        """Wait until it has ended; return its exit code."""
        return await self._process.wait()

    async def stop(self) -> None:
        """Close the lifeline and wait; kill it if it does not end."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                # What it still prints must be read, or it could never end.
                async for _ in self.lines():
                    pass
                await self._process.wait()
        except TimeoutError:
            log.warning("child_killed", pid=self.pid)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


async def keep_running(
    module: str,
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    log_path: Path,
    fatal: frozenset[int],
) -> int:
    """Run a child again and again until cancelled, or until it says that it cannot run.

    Args:
        module: what to run.
        arguments: for it.
        environment: variables on top of this process's own.
        log_path: where its stderr goes.
        fatal: exit codes after which starting it again is pointless.

    Returns:
        the fatal exit code.
    """
    loop = asyncio.get_running_loop()
    restarts = RestartPauses(PAUSES_SECONDS, HEALTHY_SECONDS)
    while True:
        started = loop.time()
        with log_path.open("ab") as errors:
            child = await Child.start(module, arguments, environment=environment, errors=errors)
            try:
                async for _ in child.lines():
                    pass
                code = await child.wait()
            finally:
                await child.stop()
        if code in fatal:
            return code
        pause = restarts.after(loop.time() - started)
        log.warning("child_restarts", module=module, exit_code=code, in_seconds=pause)
        await asyncio.sleep(pause)
