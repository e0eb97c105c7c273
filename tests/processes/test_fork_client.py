"""Forked peers are ordinary processes: with their own session, streams and exit code."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest
import trio

from swarm.processes.fork_client import Forked, ForkingError, ForkServer, fork_server


async def read_all(peer: Forked) -> bytes:
    """Return all that a forked process writes to stdout."""
    said = b""
    async for piece in peer.stdout:
        said += piece
    return said


async def spawn(server: ForkServer | None, log: Path, *arguments: str) -> Forked:
    """Fork a `swarm` command whose stderr goes to a file."""
    assert server is not None
    with log.open("ab") as stderr:
        return await server.spawn(arguments, stderr.fileno())


@pytest.mark.trio
async def test_forked_commands_have_their_own_output_and_exit_code(tmp_path: Path) -> None:
    """Two commands forked at once write to their own pipes and exit with their own codes."""
    async with fork_server() as server:
        good = await spawn(server, tmp_path / "good", "--version")
        bad = await spawn(server, tmp_path / "bad", "peer", "emperor")
        assert (await read_all(good)).startswith(b"leaderless ")
        assert await good.wait() == 0
        assert await bad.wait() == 2
        assert b"emperor" in (tmp_path / "bad").read_bytes()


@pytest.mark.trio
async def test_a_forked_peer_leads_a_session_and_shows_as_what_it_is(tmp_path: Path) -> None:
    """Its group can be signalled, ps shows its command, and its exit by a signal is reported."""
    async with fork_server() as server:
        peer = await spawn(
            server, tmp_path / "log", "peer", "observer", "--state-dir", str(tmp_path / "state"),
            "--json",
        )  # fmt: skip
        assert b"peer_id" in await peer.stdout.receive_some()
        assert os.getsid(peer.pid) == peer.pid
        assert "swarm peer observer" in " ".join(psutil.Process(peer.pid).cmdline())
        os.killpg(peer.pid, signal.SIGKILL)
        assert await peer.wait() == -signal.SIGKILL


@pytest.mark.trio
async def test_without_the_server_nothing_is_forked_and_nothing_is_left(tmp_path: Path) -> None:
    """When the server is killed, its peers exit, and a request for another peer fails."""
    async with fork_server() as server:
        peer = await spawn(
            server, tmp_path / "log", "peer", "observer", "--state-dir", str(tmp_path / "state")
        )
        await peer.stdout.receive_some()
        parent = psutil.Process(peer.pid).parent()
        assert parent is not None
        parent.kill()
        with trio.fail_after(10):
            assert await peer.wait() == -signal.SIGKILL
            with pytest.raises(ForkingError):
                await spawn(server, tmp_path / "log", "--version")
