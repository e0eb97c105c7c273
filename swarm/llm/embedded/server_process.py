"""One embedded model server a machine: find it, start it, hold it, release it.

Peers that start together must not start two servers, and none may be left running. So a file lock
decides which process starts the server. The server holds a second lock for its whole life, and
writes its address to a state file once the model is loaded. Every user holds a lease, which is an
open request, and the server exits two seconds after the last lease ended, whether it was closed or
its holder was killed (`swarm.llm.embedded.server`). The state is in the cache directory, with one
folder for each weights file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import anyio
import httpx
import structlog
from filelock import FileLock, Timeout

from swarm.llm.embedded import openmp
from swarm.llm.embedded.weights import OTHER_WAYS, cache_dir
from swarm.llm.errors import ServerUnreachable
from swarm.processes.log_files import open_log

log = structlog.get_logger(__name__)

START_LIMIT_SECONDS = 180.0
"""How long a server may take to load its model, in seconds: minutes from a slow disk."""

POLL_SECONDS = 0.1
"""Pause between checks of a lock or a state file, in seconds."""

PROBE_LIMIT_SECONDS = 5.0
"""How long a server may take to answer a probe, in seconds; it answers while its engine works."""

END_LIMIT_SECONDS = 6.0
"""How long the process that started the server waits for its exit, in seconds."""


class AnotherServes(Exception):
    """Another process serves these weights already."""


@dataclass
class Hold:
    """A lease on a running server, which stays while the lease is open.

    Attributes:
        url: The server's address.
    """

    url: str
    _client: httpx.AsyncClient
    _response: httpx.Response
    # Kept, though it is not read again: collecting it would close the connection.
    _body: AsyncGenerator[bytes, None]
    _process: subprocess.Popen[bytes] | None = None

    async def release(self) -> None:
        """End the lease; if this process started the server and no other holds it, await that."""
        with anyio.move_on_after(END_LIMIT_SECONDS, shield=True):
            await self._body.aclose()
            await self._response.aclose()
            await self._client.aclose()
            while self._process is not None and self._process.poll() is None:
                if await _leases(self.url) not in (0, None):
                    log.info("model_server_stays", url=self.url, why="other processes hold it")
                    return
                await anyio.sleep(POLL_SECONDS)


async def hold_server(weights: Path, model: str) -> Hold:
    """Hold the machine's server for these weights, starting it if there is none.

    Args:
        weights: A GGUF file.
        model: Its name.

    Returns:
        A lease; call its `release` when done. If this process is killed, the lease ends too.

    Raises:
        ServerUnreachable: It could not be started; the message has the reason if it is known.
    """
    folder = state_dir(weights)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "start.lock", thread_local=False)
    deadline = time.monotonic() + START_LIMIT_SECONDS
    while True:
        if (hold := await _hold_announced(folder)) is not None:
            return hold
        if time.monotonic() > deadline:
            raise ServerUnreachable(
                f"The embedded model server did not start within {START_LIMIT_SECONDS:g} s; "
                f"its log is {folder / 'server.log'}. {OTHER_WAYS}"
            )
        try:
            lock.acquire(timeout=0)
        except Timeout:
            await anyio.sleep(POLL_SECONDS)
            continue
        try:
            # Another process may have started it while we waited for the lock.
            hold = await _hold_announced(folder) or await _start(weights, model, folder)
        finally:
            lock.release()
        if hold is not None:
            return hold


def state_dir(weights: Path) -> Path:
    """Return the folder with the locks, state file and log of a weights file's server."""
    key = hashlib.sha256(os.fsencode(weights.resolve())).hexdigest()[:16]
    return cache_dir() / "embedded" / key


@contextlib.contextmanager
def announced(folder: Path, model: str) -> Iterator[Callable[[str], None]]:
    """In the server's process: be the only server of a folder, and announce the address.

    Raises:
        AnotherServes: Another process serves this folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "serving.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise AnotherServes from error
    state = folder / "state.json"

    def announce(url: str) -> None:
        fresh = folder / f"state.{os.getpid()}.new"
        fresh.write_text(json.dumps({"url": url, "pid": os.getpid(), "model": model}))
        fresh.replace(state)

    try:
        state.unlink(missing_ok=True)
        yield announce
    finally:
        state.unlink(missing_ok=True)
        lock.release()


async def _hold_announced(
    folder: Path, *, started: subprocess.Popen[bytes] | None = None
) -> Hold | None:
    """Return a lease on the server that the state file names; None if it is not really there.

    Args:
        folder: The folder of its state.
        started: The server's process, if this process has just started it.
    """
    try:
        state = json.loads((folder / "state.json").read_text())
        url, pid = str(state["url"]), int(state["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not url.startswith("http://127.0.0.1:"):
        return None
    client = httpx.AsyncClient(
        base_url=url, timeout=httpx.Timeout(None, connect=PROBE_LIMIT_SECONDS)
    )
    try:
        with anyio.fail_after(PROBE_LIMIT_SECONDS):
            # A stale file may name a port that another program has now.
            said = (await client.get("/api/version")).json()
            if said.get("pid") != pid:
                raise ValueError("another program answers there")
            request = client.build_request("GET", "/lease")
            response = await client.send(request, stream=True)
            response.raise_for_status()
            # The first byte proves that the lease counts, even if the server was about to exit.
            body = cast("AsyncGenerator[bytes, None]", response.aiter_raw())
            await anext(body)
            return Hold(url, client, response, body, started)
    except (httpx.HTTPError, ValueError, AttributeError, TimeoutError, StopAsyncIteration):
        await client.aclose()
        return None
    except BaseException:
        # Most likely cancelled: the connection must not stay open.
        with anyio.CancelScope(shield=True):
            await client.aclose()
        raise


async def _start(weights: Path, model: str, folder: Path) -> Hold | None:
    """Start the server and wait until it is announced; None if another process serves already.

    Raises:
        ServerUnreachable: It exited or took too long.
    """
    process = _spawn(weights, model, folder)
    log.info("model_server_started", model=model, pid=process.pid)
    try:
        with anyio.fail_after(START_LIMIT_SECONDS):
            while True:
                if (hold := await _hold_announced(folder, started=process)) is not None:
                    return hold
                if process.poll() is not None:
                    break
                await anyio.sleep(POLL_SECONDS)
    except BaseException as error:
        # Nobody has a lease yet: the server would wait for one.
        process.terminate()
        if not isinstance(error, TimeoutError):
            raise
        raise ServerUnreachable(
            f"The embedded model server did not load {model} within {START_LIMIT_SECONDS:g} s; "
            f"its log is {folder / 'server.log'}. {OTHER_WAYS}"
        ) from error
    if process.returncode == 0:
        return None
    raise ServerUnreachable(
        f"The embedded model server exited while starting: {_last_line(folder)} {OTHER_WAYS}"
    )


def _spawn(weights: Path, model: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start the server in its own session: Ctrl-C must not reach it, it may have other users."""
    command = [sys.executable, "-m", "swarm.llm.embedded.server", "--weights", os.fspath(weights)]
    command += ["--model", model, "--state-dir", os.fspath(folder)]
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    with open_log(folder / "server.log") as output:
        return subprocess.Popen(  # noqa: S603  our own module with paths from configuration
            command,
            env=os.environ | openmp.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            creationflags=flags,
        )


def _last_line(folder: Path) -> str:
    with contextlib.suppress(OSError):
        tail = (folder / "server.log").read_bytes()[-2_000:].decode("utf-8", "replace")
        lines = [line.strip() for line in tail.splitlines() if line.strip()]
        if lines:
            return lines[-1][:300]
    return "its log gives no reason."


async def _leases(url: str) -> int | None:
    """Return how many leases the server has; None if it does not answer."""
    try:
        async with httpx.AsyncClient(base_url=url, timeout=PROBE_LIMIT_SECONDS) as client:
            return int((await client.get("/api/version")).json()["leases"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None
