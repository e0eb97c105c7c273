"""Starting peers by a fork server: the near end of `swarm.cli.fork_server`.

Peers started so are up in a third of the time and share the memory of their imports. Where there is
no fork, or the server breaks, `ForkServer.spawn` says so and the caller starts a process plainly.
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
"""How long the server may import; then peers are started plainly. It takes one second."""

LINE = 64 * 1024
"""Bytes of the longest line from the server."""


class ForkingError(Exception):
    """The fork server cannot start a peer."""


class Process(Protocol):
    """What a supervisor needs of a process: `trio.Process` has it, and so has `Forked`."""

    @property
    def pid(self) -> int:
        """Its id; it leads a session and a process group of the same number."""
        ...

    @property
    def returncode(self) -> int | None:
        """How it ended, as `subprocess` says it; None while it runs."""
        ...

    @property
    def stdin(self) -> Any:
        """Where to write to it; closing it is its sign to end."""
        ...

    @property
    def stdout(self) -> Any:
        """Where to read from it."""
        ...

    async def wait(self) -> int:
        """Wait until it has ended; return how."""
        ...


class Forked:
    """A peer that the server forked."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        """Wrap a running process and our ends of its pipes."""
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = trio.lowlevel.FdStream(stdin)
        self.stdout = trio.lowlevel.FdStream(stdout)
        self._ended = trio.Event()

    async def wait(self) -> int:
        """Wait until it has ended; return how."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def ended(self, code: int) -> None:
        """Take note of the end."""
        if self.returncode is None:
            self.returncode = code
            self._ended.set()


class ForkServer:
    """A running fork server."""

    def __init__(self, near: socket.socket) -> None:
        """Wrap our end of the socket pair."""
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
            arguments: of the `swarm` command.
            stderr: the descriptor its log goes to; stays the caller's.

        Raises:
            ForkingError: the server is gone.
        """
        with trio.move_on_after(READY_SECONDS):
            await self.ready.wait()
        if self._broken or not self.ready.is_set():
            raise ForkingError("the fork server is gone")
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        request = json.dumps({"arguments": list(arguments)}).encode() + b"\n"
        try:
            async with self._asking:
                # Small, and never two at once: it fits the socket's buffer whole.
                socket.send_fds(self._near, [request], [read_in, write_out, stderr])
                # Not to be left half done: the answer to come would be taken for another's.
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
            peer.ended(self._early.pop(pid))
        else:
            self._peers[pid] = peer
        return peer

    async def listen(self) -> None:
        """Take in what the server says, until it ends."""
        buffer = b""
        while True:
            await trio.lowlevel.wait_readable(self._near.fileno())
            try:
                piece = self._near.recv(LINE)
            except BlockingIOError:
                continue
            except OSError:
                piece = b""
            if not piece:
                self._lost()
                return
            *lines, buffer = (buffer + piece).split(b"\n")
            for line in lines:
                self._heard(json.loads(line))

    def _heard(self, message: dict[str, Any]) -> None:
        if "ready" in message:
            self.ready.set()
        elif "pid" in message:
            self._pids.send_nowait(int(message["pid"]))
        elif (peer := self._peers.pop(int(message["ended"]), None)) is not None:
            peer.ended(int(message["code"]))
        else:
            self._early[int(message["ended"])] = int(message["code"])

    def _lost(self) -> None:
        """The server is gone: nobody would tell of its peers' ends, so they are ended."""
        self._broken = True
        self.ready.set()
        self._pids.close()
        if self._peers:
            log.warning("fork_server_lost", peers=len(self._peers))
        for pid, peer in self._peers.items():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            peer.ended(-signal.SIGKILL)
        self._peers.clear()


@asynccontextmanager
async def fork_server(env: Mapping[str, str] | None = None) -> AsyncIterator[ForkServer | None]:
    """Run a fork server; None where there is no fork.

    It is told to end, and has ended, when the block is left; its peers must have ended before.
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
            # Shielded: whoever stops the peers, cancelled or not, must hear that they have ended.
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
