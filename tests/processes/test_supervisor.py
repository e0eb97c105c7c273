"""Supervision of a local swarm, with small scripts in place of real peers."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
import trio

import swarm.processes.supervisor
from swarm.processes.fork_client import Process
from swarm.processes.supervisor import (
    LocalSwarm,
    PeerDiedError,
    PeerEvent,
    PeerSpec,
    peer_command,
)

HELLO = 'print(\'{"peer_id": "p", "addresses": ["/a"]}\', flush=True)'
WAIT = "import sys; sys.stdin.read()"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
TIME = 20.0
"""Seconds until a test gives up; each process needs well under one."""


def spec(folder: Path, name: str, *code: str) -> PeerSpec:
    """Return a peer that runs Python code."""
    command = (sys.executable, "-c", "\n".join(code))
    return PeerSpec(role="scorer", name=name, command=command, log=folder / f"{name}.log")


def gone(pid: int | None) -> bool:
    """Return whether a process has exited."""
    return pid is None or not psutil.pid_exists(pid)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses that real peers need."""
    monkeypatch.setattr(swarm.processes.supervisor, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(swarm.processes.supervisor, "PAUSES_SECONDS", (0.05, 0.1, 0.2))


@pytest.mark.trio
async def test_all_are_stopped_even_the_stubborn_one(tmp_path: Path) -> None:
    """Started means that all listen; cancelling stops every one, SIGTERM or not."""
    events: list[PeerEvent] = []
    local = LocalSwarm(
        [
            spec(tmp_path, "good", HELLO, WAIT),
            spec(tmp_path, "stubborn", STUBBORN, HELLO, "time.sleep(60)"),
        ],
        on_event=events.append,
    )
    with trio.fail_after(TIME):
        async with trio.open_nursery() as nursery:
            await nursery.start(local.run)
            assert local.addresses == ("/a", "/a")
            pids = {event.pid for event in events if event.pid}
            assert len(pids) == 2
            nursery.cancel_scope.cancel()
    assert all(map(gone, pids))
    assert [event.state for event in events].count("stopped") == 2


@pytest.mark.trio
async def test_a_peer_that_dies_is_told_and_started_again(tmp_path: Path) -> None:
    """A kill -9 of a peer gives `ended` with the reason and last log line, then a restart."""
    events: list[PeerEvent] = []
    send, receive = trio.open_memory_channel[PeerEvent](100)

    def note(event: PeerEvent) -> None:
        events.append(event)
        send.send_nowait(event)

    say = "import sys; print('last words', file=sys.stderr, flush=True)"
    local = LocalSwarm([spec(tmp_path, "one", say, HELLO, WAIT)], on_event=note)
    with trio.fail_after(TIME):
        async with trio.open_nursery() as nursery:
            await nursery.start(local.run)
            first = events[-1].pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            while sum(event.state == "listening" for event in events) < 2:
                await receive.receive()
            nursery.cancel_scope.cancel()
    ended = next(event for event in events if event.state == "ended")
    assert "SIGKILL" in ended.detail
    assert "last words" in ended.detail
    assert events[-2].pid != first


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Traceback: the end", " (Traceback: the end)"),
        ('{"event": "peer_started", "level": "info"}', ""),
        ('{"event": "disk", "level": "error", "meaning": "it is full"}', " (disk: it is full)"),
        ('{"event": "disk", "level": "warning"}', " (disk)"),
        ("17", " (17)"),
        ("", ""),
    ],
)
def test_the_last_line_of_a_peer_are_words(tmp_path: Path, line: str, told: str) -> None:
    """The reason is readable text, not the raw last line of the log."""
    log = tmp_path / "peer.log"
    log.write_text(f'{{"event": "before", "level": "error"}}\n{line}\n' if line else "\n")
    assert swarm.processes.supervisor._last_line(log) == told


@pytest.mark.trio
async def test_a_peer_that_cannot_start_ends_it_all_with_its_reason(tmp_path: Path) -> None:
    """After exit code 3 before it listened, a peer is not restarted, and the others are stopped."""
    bad = "import sys; print('no model here', file=sys.stderr); sys.exit(3)"
    events: list[PeerEvent] = []
    local = LocalSwarm(
        [spec(tmp_path, "good", HELLO, WAIT), spec(tmp_path, "bad", bad)], on_event=events.append
    )
    with (
        trio.fail_after(TIME),
        pytest.RaisesGroup(
            pytest.RaisesExc(
                PeerDiedError, match="bad cannot be started: exit code 3.*no model here"
            ),
            flatten_subgroups=True,
        ),
    ):
        await local.run()
    assert all(gone(event.pid) for event in events)


@pytest.mark.trio
@pytest.mark.parametrize("lack", ["log", "process"])
async def test_what_a_machine_lacks_for_a_restart_ends_no_other_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lack: str
) -> None:
    """If a log or a process cannot be created, that is reported and retried; the others run on."""
    send, receive = trio.open_memory_channel[PeerEvent](1_000)
    folder = tmp_path / "logs"
    peers = [spec(folder, name, HELLO, WAIT) for name in ("one", "other")]
    local = LocalSwarm(peers, on_event=send.send_nowait)
    broken = True
    start = LocalSwarm._start

    async def until(state: str) -> PeerEvent:
        async for event in receive:
            if event.state == state:
                return event
        raise AssertionError

    async def lacking(self: LocalSwarm, command: Sequence[str], stderr: int) -> Process:
        if broken:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return await start(self, command, stderr)

    with trio.fail_after(TIME):
        async with trio.open_nursery() as nursery:
            await nursery.start(local.run)
            victim, other = await until("listening"), await until("listening")
            if lack == "log":
                shutil.rmtree(folder)
                folder.write_text("in the way")
            else:
                monkeypatch.setattr(LocalSwarm, "_start", lacking)
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            assert "SIGKILL" in (await until("ended")).detail
            if lack == "process":
                assert "this machine cannot start it" in (await until("ended")).detail
            broken = False
            assert (await until("listening")).name == victim.name
            assert not gone(other.pid)
            nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_a_peer_that_never_speaks_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A peer that hangs at its start is killed after the time limit."""
    monkeypatch.setattr(swarm.processes.supervisor, "START_SECONDS", 0.3)
    events: list[PeerEvent] = []
    local = LocalSwarm([spec(tmp_path, "mute", WAIT)], on_event=events.append)
    with trio.move_on_after(1.5):
        await local.run()
    assert [event.state for event in events][:3] == ["starting", "ended", "restarting"]
    assert all(gone(event.pid) for event in events)


def test_the_command_of_a_peer_is_one_that_the_command_line_takes(tmp_path: Path) -> None:
    """`peer_command` and `swarm peer` agree on the options."""
    import click

    from swarm.cli.commands.peer import peer

    command = peer_command("scorer", name="n", state_dir=tmp_path, options=["--swarm", "s"])
    at = command.index("peer")
    context = peer.make_context("peer", command[at + 1 :])
    assert isinstance(context, click.Context)
    assert context.params["until_stdin_closes"]
    assert context.params["as_json"]


def test_an_earlier_run_is_no_reason(tmp_path: Path) -> None:
    """A process that said nothing is not explained by what another one said in the same log."""
    log = tmp_path / "peer.log"
    log.write_text("old words\n")
    assert swarm.processes.supervisor._last_line(log, log.stat().st_size) == ""
