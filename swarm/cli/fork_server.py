"""A process that imports everything once and forks peers: separate processes, one import.

    python -m swarm.cli.fork_server      with one end of a socket pair as its standard input

Importing libp2p and what a peer needs takes most of a second; eight peers on two cores would take
four. `swarm.processes.fork_client` is the other end: it sends one line of JSON with a peer's
arguments and three descriptors (its stdin, stdout, stderr), and is told the pid, and later how the
process ended. A forked peer is a process like any other, in a session of its own; the memory of
what was imported is shared. This process does nothing else, has one thread, and ends when the
socket closes.
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

REQUEST = 64 * 1024
"""Bytes of the longest request: a peer's arguments."""

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
"""What every peer imports; a module missing here costs time, nothing else."""


def main() -> None:
    """Serve until the socket closes."""
    from swarm.cli.commands.peer import leave_out

    leave_out("rich", "pygments")
    for name in PRELOAD:
        importlib.import_module(name)
    if threading.active_count() > 1:
        sys.exit("A library started a thread while it was imported: peers cannot be forked.")
    # What is there now is never freed: keep the collector from touching, and so copying, it.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=os.dup(0)) as asker:
        _serve(asker)


def _serve(asker: socket.socket) -> None:
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    _say(asker, {"ready": True})
    with selectors.DefaultSelector() as selector:
        selector.register(asker, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is asker:
                    if not _take_request(asker):
                        return
                else:
                    os.read(woken, 4096)
                    _report_ended(asker)


def _say(asker: socket.socket, message: dict[str, Any]) -> None:
    # Who asked may have ended meanwhile; then there is nothing more to take either, and this ends.
    with suppress(BrokenPipeError, ConnectionResetError):
        asker.sendall(json.dumps(message).encode() + b"\n")


def _report_ended(asker: socket.socket) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _say(asker, {"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _take_request(asker: socket.socket) -> bool:
    """Fork a peer as asked; return whether there was anything to read."""
    data, descriptors = b"", []
    while not data.endswith(b"\n"):
        piece, found, _, _ = socket.recv_fds(asker, REQUEST, 3)
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
    _say(asker, {"pid": pid})
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
        # The server's stream objects remember its own files; a peer gets new ones, as if started.
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
        # As Python itself does at the end of a process that was started in the usual way.
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
