"""Child processes of the playground, whose standard input is a lifeline.

A child exits when that pipe closes, so it never outlives this process, however this process ends.
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

from swarm.processes.log_files import open_log
from swarm.processes.restarts import RestartPauses

log = structlog.get_logger(__name__)

STOP_SECONDS = 10.0
"""How long a child may take to exit by itself; a swarm needs about six to stop its peers."""

LINE_BYTES = 4 * 1024 * 1024
"""Longest line that a child may print, such as a whole plan as JSON."""

PAUSES_SECONDS = (1.0, 2.0, 5.0, 15.0)
"""Before a child that died is started again; the last one repeats."""

HEALTHY_SECONDS = 120.0
"""A child that ran this long counts as healthy: the pauses start again from the first."""


class Child:
    """One run of a Python module in its own process."""

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
            module: the module to run.
            arguments: its arguments.
            environment: variables added to this process's own.
            errors: where its stderr goes; None: to this process's stderr.
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
            # Its own session: Ctrl-C in the terminal reaches only this process, which stops it.
            start_new_session=True,
            limit=LINE_BYTES,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines that the child prints, until it exits."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            yield line

    async def wait(self) -> int:
        """Wait until the child has exited and return its exit code."""
        return await self._process.wait()

    async def stop(self) -> None:
        """Close the lifeline and wait; kill the child if it does not exit in time."""
        if self._process.returncode is not None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                # Keep reading its output, or a full pipe could keep it from exiting.
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
    """Run a child and restart it whenever it exits, until cancelled or until it cannot run.

    Args:
        module: the module to run.
        arguments: its arguments.
        environment: variables added to this process's own.
        log_path: where its stderr goes.
        fatal: exit codes after which a restart is pointless.

    Returns:
        the fatal exit code.
    """
    loop = asyncio.get_running_loop()
    restarts = RestartPauses(PAUSES_SECONDS, HEALTHY_SECONDS)
    while True:
        started = loop.time()
        with open_log(log_path) as errors:
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
