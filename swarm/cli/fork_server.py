"""A process that imports everything once and forks peers: separate processes, one import.

    python -m swarm.cli.fork_server      with one end of a socket pair as its standard input

Importing libp2p and what a peer needs takes most of a second; for eight peers on two cores it would
take four. `swarm.processes.fork_client` is the other end: it sends a line of JSON with a peer's
arguments and three descriptors (its stdin, stdout, stderr), and receives the process id and later
the exit code. A forked peer is an ordinary process with its own session; it shares the memory of
what was imported. This process does nothing else, has one thread, and exits when the socket closes.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

REQUEST_BYTES = 64 * 1024
"""Most bytes of a request: a peer's arguments."""

PRELOAD = (
    "trio",
    "swarm.net.patches.slim_import",
    "swarm.net.network",
    "swarm.peer.peer",
    "swarm.config",
    "swarm.cli.app",
    "swarm.cli.commands.peer",
    "swarm.net.addresses",
    "swarm.processes.lifeline",
    "swarm.console.logs",
    "swarm.cli.model_setup",
    "swarm.cli.views.output",
    "swarm.cli.runner",
    "swarm.llm.client.resolve",
)
"""Modules that every peer imports. A module missing here only costs time."""


def main() -> None:
    """Serve until the socket closes."""
    from swarm.cli.commands.peer import leave_out

    leave_out("rich", "pygments")
    for name in PRELOAD:
        importlib.import_module(name)
    if threading.active_count() > 1:
        sys.exit("A library started a thread while it was imported: peers cannot be forked.")
    # These objects live forever: keep the collector from touching their pages, which copies them.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=os.dup(0)) as client:
        _serve(client)


def _serve(client: socket.socket) -> None:
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    _send(client, {"ready": True})
    with selectors.DefaultSelector() as selector:
        selector.register(client, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is client:
                    if not _take_request(client):
                        return
                else:
                    os.read(woken, 4096)
                    _report_ended(client)


def _send(client: socket.socket, message: dict[str, Any]) -> None:
    # The client may have exited meanwhile; then its end of the socket is closed and this exits too.
    with suppress(BrokenPipeError, ConnectionResetError):
        client.sendall(json.dumps(message).encode() + b"\n")


def _report_ended(client: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _send(client, {"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _take_request(client: socket.socket) -> bool:
    """Fork a peer as requested; return whether there was anything to read."""
    data, descriptors = b"", []
    while not data.endswith(b"\n"):
        piece, found, _, _ = socket.recv_fds(client, REQUEST_BYTES, 3)
        if not piece:
            return False
        data += piece
        descriptors += found
    arguments = [str(argument) for argument in json.loads(data)["arguments"]]
    pid = os.fork()
    if pid == 0:
        _become(arguments, array.array("i", descriptors).tolist())
    for descriptor in descriptors:
        os.close(descriptor)
    _send(client, {"pid": pid})
    return True


def _become(arguments: list[str], descriptors: list[int]) -> None:
    """Turn this forked process into a peer. Never returns."""
    code = 70
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for target, descriptor in enumerate(descriptors):
            os.dup2(descriptor, target)
        # The stream objects belong to the server's files; a peer gets new ones, as if it was
        # started.
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  open as long as the process
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        os.closerange(3, os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 1024)
        _show_as([sys.executable, "-m", "swarm", *arguments])
        from swarm.cli.app import run

        code = run(arguments)
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else 1
    except BaseException:
        # As Python does at the end of an ordinary process.
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # Not sys.exit: the frames above are the server's.
        os._exit(code)


def _show_as(command: list[str]) -> None:
    """Let ps show the peer's command rather than the server's."""
    from setproctitle import setproctitle

    sys.argv = command[2:]
    setproctitle(" ".join(command))


if __name__ == "__main__":
    main()
