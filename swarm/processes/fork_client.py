"""Starting peers through a fork server: the client of `swarm.cli.fork_server`.

Peers started this way are ready in a third of the time and share the memory of their imports. Where
there is no fork, or the server fails, `ForkServer.spawn` raises an error and the caller starts an
ordinary process.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

import structlog
import trio

log = structlog.get_logger(__name__)

READY_SECONDS = 30.0
"""How long the server may take to import; then peers are started as ordinary processes. One second
is usual."""

READ_BYTES = 64 * 1024
"""Most bytes read from the server at a time."""


class ForkingError(Exception):
    """The fork server cannot start a peer."""


class Process(Protocol):
    """What a supervisor needs of a process; `trio.Process` and `Forked` provide it."""

    @property
    def pid(self) -> int:
        """Its process id, also that of the session and process group that it leads."""
        ...

    @property
    def returncode(self) -> int | None:
        """Its exit code as in `subprocess`; None while it runs."""
        ...

    @property
    def stdin(self) -> Any:
        """Its standard input; closing it tells the process to exit."""
        ...

    @property
    def stdout(self) -> Any:
        """Its standard output."""
        ...

    async def wait(self) -> int:
        """Wait until it has exited; return its exit code."""
        ...


class Forked:
    """A peer forked by the server."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        """Wrap a running process and the near ends of its pipes."""
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = trio.lowlevel.FdStream(stdin)
        self.stdout = trio.lowlevel.FdStream(stdout)
        self._exited = trio.Event()

    async def wait(self) -> int:
        """Wait until it has exited; return its exit code."""
        await self._exited.wait()
        assert self.returncode is not None
        return self.returncode

    def exited(self, code: int) -> None:
        """Note that the process has exited."""
        if self.returncode is None:
            self.returncode = code
            self._exited.set()


class ForkServer:
    """A running fork server."""

    def __init__(self, near: socket.socket) -> None:
        """Wrap the near end of the socket pair."""
        self._near = near
        self._asking = trio.Lock()
        self._pids, self._answered = trio.open_memory_channel[int](1)
        self._peers: dict[int, Forked] = {}
        self._early: dict[int, int] = {}
        self._broken = False
        self.ready = trio.Event()

    async def spawn(self, arguments: Sequence[str], stderr: int) -> Forked:
        """Fork a peer.

        Args:
            arguments: arguments of the `swarm` command.
            stderr: the descriptor for its log; the caller still owns it.

        Raises:
            ForkingError: the server has exited.
        """
        with trio.move_on_after(READY_SECONDS):
            await self.ready.wait()
        if self._broken or not self.ready.is_set():
            raise ForkingError("the fork server has exited")
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        request = json.dumps({"arguments": list(arguments)}).encode() + b"\n"
        try:
            async with self._asking:
                # Small, and never two at once, so it fits into the socket's buffer.
                socket.send_fds(self._near, [request], [read_in, write_out, stderr])
                # Never cancelled halfway: the next request would receive this answer.
                with trio.CancelScope(shield=True):
                    pid = await self._answered.receive()
        except (OSError, trio.EndOfChannel) as error:
            for descriptor in (write_in, read_out):
                os.close(descriptor)
            raise ForkingError(str(error)) from error
        finally:
            for descriptor in (read_in, write_out):
                os.close(descriptor)
        peer = Forked(pid, write_in, read_out)
        if pid in self._early:
            peer.exited(self._early.pop(pid))
        else:
            self._peers[pid] = peer
        return peer

    async def listen(self) -> None:
        """Read the server's messages until it exits."""
        buffer = b""
        while True:
            await trio.lowlevel.wait_readable(self._near.fileno())
            try:
                piece = self._near.recv(READ_BYTES)
            except BlockingIOError:
                continue
            except OSError:
                piece = b""
            if not piece:
                self._lost()
                return
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                self._handle(json.loads(line))

    def _handle(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self.ready.set()
        elif "pid" in message:
            self._pids.send_nowait(int(message["pid"]))
        elif (peer := self._peers.pop(int(message["ended"]), None)) is not None:
            peer.exited(int(message["code"]))
        else:
            self._early[int(message["ended"])] = int(message["code"])

    def _lost(self) -> None:
        """Kill the peers of a server that has exited: nothing would report their exits any more."""
        self._broken = True
        self.ready.set()
        self._pids.close()
        if self._peers:
            log.warning("fork_server_lost", peers=len(self._peers))
        for pid, peer in self._peers.items():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            peer.exited(-signal.SIGKILL)
        self._peers.clear()


@asynccontextmanager
async def fork_server(env: Mapping[str, str] | None = None) -> AsyncIterator[ForkServer | None]:
    """Run a fork server for the time of the block; yield None where there is no fork.

    Its peers must have exited before the block is left; then the server exits too.
    """
    if not (hasattr(os, "fork") and hasattr(socket, "send_fds")):
        yield None
        return
    near, far = socket.socketpair()
    near.setblocking(False)
    with near:
        try:
            process = await trio.lowlevel.open_process(
                [sys.executable, "-m", "swarm.cli.fork_server"],
                stdin=far.fileno(),
                stdout=subprocess.DEVNULL,
                env=env,
                start_new_session=True,
            )
        finally:
            far.close()
        server = ForkServer(near)
        async with trio.open_nursery() as nursery:
            # Shielded: the code that stops the peers must learn of their exits, even if cancelled.
            scope = trio.CancelScope(shield=True)

            async def listen() -> None:
                with scope:
                    await server.listen()

            nursery.start_soon(listen)
            try:
                yield server
            finally:
                scope.cancel()
                with trio.CancelScope(shield=True):
                    near.shutdown(socket.SHUT_RDWR)
                    with trio.move_on_after(2):
                        await process.wait()
                    if process.returncode is None:
                        process.kill()
                        await process.wait()
