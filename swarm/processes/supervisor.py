"""A local swarm: peers as processes on this machine, started, watched, restarted, stopped.

`LocalSwarm` supervises processes and decides nothing for the swarm: its peers find each other and
continue without it. Each child has a lifeline (`swarm.processes.lifeline`), so that none outlives
this process, however it exits. Only `peer_command` knows how a peer is started.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import structlog
import trio

from swarm.core.roles import Worker
from swarm.processes.fork_client import ForkingError, ForkServer, Process, fork_server
from swarm.processes.log_files import open_log
from swarm.processes.restarts import RestartPauses

log = structlog.get_logger(__name__)

START_SECONDS = 60.0
"""How long a peer may take until it listens: a second alone, several while eight start at once on
two cores, and more with a slow disk."""

GRACE_SECONDS = 4.0
"""How long a peer may take to exit after SIGTERM; then it is killed."""

PAUSES_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Before a peer that exited is started again; the last one repeats."""

HEALTHY_SECONDS = 30.0
"""A peer that ran this long counts as healthy: the pauses start again from the first."""

HOPELESS = frozenset((2, 3))
"""Exit codes after which a restart cannot help: wrong usage or configuration, no model. This holds
only until the peer has listened once; later, what it needs may come back."""

NOT_STARTED = 3
"""Used as the exit code of a peer whose process could not be created."""

TAIL_BYTES = 4_096
"""How much of a log's end is searched for the reason why a peer exited."""

State = Literal["starting", "listening", "ended", "restarting", "stopped"]


class PeerDiedError(Exception):
    """A peer cannot be started; the text is shown to the user.

    Attributes:
        exit_code: the peer's exit code.
    """

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@dataclass(frozen=True, kw_only=True)
class PeerSpec:
    """One peer to keep running.

    Attributes:
        role: what it does.
        name: its name, also used for its log.
        command: how to start it (`peer_command`).
        log: the file for its stderr.
    """

    role: Worker
    name: str
    command: tuple[str, ...]
    log: Path


@dataclass(frozen=True, kw_only=True)
class PeerEvent:
    """Something that happened to a peer of a local swarm.

    Attributes:
        role: its role.
        name: its name.
        state: its new state.
        pid: its process id; None if it has no process.
        peer_id: its libp2p peer id; empty until it listens.
        addresses: multiaddresses where it listens.
        detail: human-readable text: why it exited, or when it restarts.
        log: path of its log.
    """

    role: Worker
    name: str
    state: State
    pid: int | None = None
    peer_id: str = ""
    addresses: tuple[str, ...] = ()
    detail: str = ""
    log: str = ""


def peer_command(role: Worker, *, name: str, state_dir: Path, options: Sequence[str]) -> list[str]:
    """Return the command that runs a peer for a supervisor.

    The peer prints its id and addresses as a line of JSON on stdout, logs to stderr, and exits when
    its standard input closes: give it a pipe and keep the other end open.

    Args:
        role: what it does.
        name: its name.
        state_dir: where its identity and replica are kept.
        options: further options of `swarm peer`.
    """
    return [
        sys.executable,
        "-m",
        "swarm",
        "peer",
        role,
        "--name",
        name,
        "--state-dir",
        str(state_dir),
        "--json",
        "--until-stdin-closes",
        *options,
    ]


@dataclass(slots=True)
class _Child:
    """A peer's process, and what it reported about itself."""

    process: Process
    peer_id: str = ""
    addresses: tuple[str, ...] = ()
    heard: trio.Event = field(default_factory=trio.Event)


class LocalSwarm:
    """Keeps peers running until it is cancelled."""

    def __init__(
        self,
        specs: Sequence[PeerSpec],
        *,
        on_event: Callable[[PeerEvent], None],
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare the peers; nothing runs yet.

        Args:
            specs: the peers.
            on_event: called with everything that happens to the peers; must not raise.
            env: their environment; None: that of this process.
        """
        self._specs = specs
        self._on_event = on_event
        self._env = env
        self._forks: ForkServer | None = None
        self._listening: dict[str, tuple[str, ...]] = {}
        self._log_begins: dict[str, int] = {}
        """Where in its log each peer's latest process began, in bytes."""
        self._all_listen = trio.Event()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Multiaddresses where the running peers listen."""
        return tuple(address for found in self._listening.values() for address in found)

    async def run(self, *, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Start the peers and keep them running; report the start once all have listened.

        On cancellation all peers are stopped first: SIGTERM, `GRACE_SECONDS`, SIGKILL.

        Raises:
            PeerDiedError: a peer cannot be started at all.
        """
        async with fork_server(self._env) as self._forks, trio.open_nursery() as nursery:
            for spec in self._specs:
                nursery.start_soon(self._keep, spec)
            if self._specs:
                await self._all_listen.wait()
            task_status.started()

    async def _keep(self, spec: PeerSpec) -> None:
        listened = False
        restarts = RestartPauses(PAUSES_SECONDS, HEALTHY_SECONDS)
        while True:
            began = trio.current_time()
            try:
                code, came_up = await self._run_once(spec)
                reason = f"{_exit_text(code)}{_last_line(spec.log, self._log_begins[spec.name])}"
            except OSError as error:
                # Out of memory, processes or files: this may be over soon.
                code, came_up = NOT_STARTED, False
                reason = f"this machine cannot start it: {error.strerror or error}"
            listened = listened or came_up
            self._event(spec, "ended", detail=reason)
            if not listened and code in HOPELESS:
                raise PeerDiedError(f"{spec.name} cannot be started: {reason}", code)
            pause = restarts.after(trio.current_time() - began)
            self._event(spec, "restarting", detail=f"starts again in {pause:g} s")
            await trio.sleep(pause)

    async def _run_once(self, spec: PeerSpec) -> tuple[int, bool]:
        """Run a peer until it exits; return its exit code, and whether it listened."""
        with self._open_log(spec) as stderr:
            self._log_begins[spec.name] = stderr.tell()
            process = await self._start(spec.command, stderr.fileno())
        child = _Child(process)
        self._event(spec, "starting", pid=process.pid)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._listen_to, spec, child)
                nursery.start_soon(self._kill_if_late, child)
                code = await process.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._listening.pop(spec.name, None)
            if process.returncode is None:
                with trio.CancelScope(shield=True):
                    await stop(process)
                self._event(spec, "stopped")
        return code, bool(child.addresses)

    def _open_log(self, spec: PeerSpec) -> IO[bytes]:
        """Open a peer's log, or /dev/null if the log cannot be written: the peer matters more.

        Raises:
            OSError: not even /dev/null can be opened.
        """
        try:
            return open_log(spec.log)
        except OSError as error:
            log.warning(
                "peer_log_unusable",
                name=spec.name,
                path=str(spec.log),
                error=error.strerror or str(error),
                meaning="the peer runs anyway; what it logs until its next start is lost",
            )
            return open(os.devnull, "wb")

    async def _start(self, command: Sequence[str], stderr: int) -> Process:
        """Start a peer: through the fork server if possible, else as an ordinary process."""
        if self._forks is not None and tuple(command[:3]) == (sys.executable, "-m", "swarm"):
            try:
                return await self._forks.spawn(command[3:], stderr)
            except ForkingError as error:
                log.warning("fork_failed", reason=str(error))
        return await trio.lowlevel.open_process(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=self._env,
            # Ctrl-C in the terminal reaches only this process, which then stops the peers.
            start_new_session=True,
        )

    async def _listen_to(self, spec: PeerSpec, child: _Child) -> None:
        """Read the peer's first line, and drain the rest so that its pipe never fills up."""
        assert child.process.stdout is not None
        line = b""
        async for piece in child.process.stdout:
            if child.heard.is_set():
                continue
            line += piece
            if b"\n" in line:
                child.heard.set()
                self._introduced(spec, child, line.partition(b"\n")[0])

    def _introduced(self, spec: PeerSpec, child: _Child, line: bytes) -> None:
        try:
            facts = json.loads(line)
            child.peer_id, child.addresses = str(facts["peer_id"]), tuple(facts["addresses"])
        except (ValueError, KeyError, TypeError):
            log.warning("peer_output_not_understood", name=spec.name)
            return
        self._listening[spec.name] = child.addresses
        self._event(
            spec,
            "listening",
            pid=child.process.pid,
            peer_id=child.peer_id,
            addresses=child.addresses,
        )
        if len(self._listening) == len(self._specs):
            self._all_listen.set()

    async def _kill_if_late(self, child: _Child) -> None:
        """Kill a peer that does not listen in time, so that it is started again."""
        with trio.move_on_after(START_SECONDS):
            await child.heard.wait()
        if not child.heard.is_set():
            _signal(child.process, signal.SIGKILL)

    def _event(self, spec: PeerSpec, state: State, **rest: Any) -> None:
        self._on_event(
            PeerEvent(role=spec.role, name=spec.name, state=state, log=str(spec.log), **rest)
        )


async def stop(process: Process) -> None:
    """Stop a process that leads its own session, and everything in it: SIGTERM, then SIGKILL."""
    if process.stdin is not None:
        # Both at once: the lifeline also works where there are no signals.
        await process.stdin.aclose()
    _signal(process, signal.SIGTERM)
    with trio.move_on_after(GRACE_SECONDS):
        await process.wait()
    if process.returncode is None:
        _signal(process, signal.SIGKILL)
        await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid, number)


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def _last_line(path: Path, begin: int = 0) -> str:
    """Return the last line of a log in parentheses, for a message; an empty text if none.

    Args:
        path: The log.
        begin: Where in it the process began, in bytes: what an earlier run said is no reason.
    """
    try:
        with path.open("rb") as source:
            source.seek(max(begin, path.stat().st_size - TAIL_BYTES))
            lines = source.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    line = _readable(next((line.strip() for line in reversed(lines) if line.strip()), ""))
    return f" ({line[:300]})" if line else ""


def _readable(line: str) -> str:
    """Return a log line as readable text; an info or debug line gives no reason for an exit."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(event, dict):
        return line
    if event.get("level") in ("debug", "info"):
        return ""
    why = event.get("meaning") or event.get("error") or event.get("reason") or ""
    return ": ".join(str(part) for part in (event.get("event"), why) if part)
