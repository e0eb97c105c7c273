"""Full, read-only and damaged disks: the log states it clearly, and the peer continues."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio

from swarm.core.policy import SECOND, Policy
from tests.e2e.processes import SWARM, Processes, scripted_ollama
from tests.e2e.talkers import Talker, talkers

POLICY = Policy(max_depth=1, lease_ms=5 * SECOND, deadline_ms=120 * SECOND)

HEARD_SECONDS = 60
DONE_SECONDS = 100
"""Seconds until peers are heard, and until a goal is done: a few on an idle machine, half a minute
with thirty other processes on the same two cores."""

FULL_BYTES = 64 * 1024
"""The largest file, in bytes, that the peer with a full disk may write: its replica soon needs
more, and the log loses its last lines."""

MANY = 300
"""A number of records that does not fit there."""


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Processes]:
    """A group of peers, with a model that answers at once."""
    with scripted_ollama() as url:
        made = Processes(tmp_path, url)
        try:
            yield made
        finally:
            made.stop()


def talker_options(group: Processes) -> dict[str, Any]:
    return {
        "role": "submitter",
        "swarm": SWARM,
        "mdns": False,
        "runtime_dir": str(group.runtime_dir),
        "state_dir": str(group.state_dir("talker")),
    }


async def plan_something(talker: Talker) -> str:
    await talker.until(lambda s: len(s["roles"]) == 4, "all roles are heard", HEARD_SECONDS)
    goal = await talker.submit("Plan a village concert", POLICY)
    await talker.until(
        lambda s: s["plans"][goal]["state"] == "done", "the goal is done", DONE_SECONDS
    )
    return goal


@pytest.mark.trio
async def test_full_damaged_and_lost_disks_stop_nobody(group: Processes) -> None:
    """Three peers, each the only one of its role, do their work without a reliable disk.

    The scorer's disk is full, for its log as well. While both are down, the decomposer's replica is
    cut in half and the executor's is overwritten with noise. Each logs it, and gets the lost
    records back from the others.
    """

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_BYTES, FULL_BYTES))

    group.start("decomposer", "decomposer")
    group.start("executor", "executor")
    group.start("scorer", "scorer", "--log-level", "debug", preexec=full)
    async with talkers([talker_options(group)], log=group.folder / "talker.log") as (talker,):
        first = await plan_something(talker)
        await talker.ask("burst", goal=first, count=MANY, padding="x" * 200)
        state = await talker.ask("state")
        await everything_on_disk(group, "executor", state["count"])
        await everything_on_disk(group, "decomposer", state["count"])
        assert "replica_unusable" in group.log_path("scorer").read_text(errors="replace")

        group.kill("decomposer")
        group.kill("executor")
        half, noise = group.replica_path("decomposer"), group.replica_path("executor")
        for path in (half, noise):
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        os.truncate(half, half.stat().st_size // 2)
        noise.write_bytes(os.urandom(noise.stat().st_size))
        group.start("decomposer", "decomposer")
        group.start("executor", "executor")

        await plan_something(talker)
        state = await talker.ask("state")
        await everything_on_disk(group, "executor", state["count"])
        await everything_on_disk(group, "decomposer", state["count"])
        assert "replica_damaged" in group.log_path("executor").read_text()
        assert group.running["scorer"].poll() is None


async def everything_on_disk(group: Processes, name: str, count: int) -> None:
    with trio.fail_after(30):
        while len(group.records(name)) < count:  # noqa: ASYNC110  a process writes it
            await trio.sleep(0.2)


async def said(log: Path, word: str) -> None:
    """Wait until a process has logged a text: records are written some time after they arrive."""
    with trio.fail_after(30):
        while word not in await trio.Path(log).read_text():  # noqa: ASYNC110  a process writes it
            await trio.sleep(0.2)


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
"""A read-only mount that no other process sees: root can write anywhere else."""


@pytest.mark.trio
async def test_a_disk_that_became_read_only_stops_nobody(group: Processes) -> None:
    """A peer restarted on a read-only disk logs it, keeps its records, and does its work."""
    folder = group.state_dir("executor")
    for role in ("executor", "decomposer", "scorer"):
        group.start(role, role)
    async with talkers([talker_options(group)], log=group.folder / "talker.log") as (talker,):
        await plan_something(talker)
        count = (await talker.ask("state"))["count"]
        await everything_on_disk(group, "executor", count)
        group.kill("executor")
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
        try:
            if os.geteuid() == 0:
                if shutil.which("unshare") is None:
                    pytest.skip("as root this needs unshare (util-linux)")
                group.prefix = ("unshare", "--mount", "sh", "-c", READ_ONLY, str(folder))
            else:
                for path, mode in modes.items():
                    path.chmod(mode & ~0o222)
            group.start("executor", "executor")
            await plan_something(talker)
            await said(group.log_path("executor"), "replica_unusable")
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        log = group.log_path("executor").read_text()
        assert f'"records": {count}' in log, "what was on the disk was not read"
        assert set(modes) == {folder, *folder.iterdir()}, "the replica was moved or added to"


SMALL_DISK = 'mount -t tmpfs -o size=96k none "$0" && exec "$@"'
"""A disk that no other process sees, for a key and an empty replica (44 KiB); it is soon full."""


@pytest.mark.slow
@pytest.mark.trio
async def test_a_disk_that_runs_full_is_used_again_when_there_is_room(group: Processes) -> None:
    """The peer logs it, continues, and writes the queued records once there is space again."""
    if os.geteuid() != 0 or shutil.which("nsenter") is None:
        pytest.skip("a separate disk needs root, and unshare and nsenter (util-linux)")
    folder = group.state_dir("executor")
    folder.mkdir(parents=True)
    small = replace(group, prefix=("unshare", "--mount", "sh", "-c", SMALL_DISK, str(folder)))
    process = small.start("executor", "executor")
    log = small.log_path("executor")
    for role in ("decomposer", "scorer"):
        group.start(role, role)
    async with talkers([talker_options(group)], log=group.folder / "talker.log") as (talker,):
        first = await plan_something(talker)
        await talker.ask("burst", goal=first, count=MANY, padding="x" * 200)
        await said(log, "database or disk is full")
        await plan_something(talker)
        assert "replica_usable_again" not in log.read_text()
        inside = ["nsenter", "--mount", "--target", str(process.pid)]
        await trio.run_process([*inside, "mount", "-o", "remount,size=50m", str(folder)])
        await said(log, "replica_usable_again")
        files = [str(small.replica_path("executor")) + suffix for suffix in ("", "-wal")]
        kept = await trio.run_process([*inside, "cat", *files], capture_stdout=True)
        assert kept.stdout.count(b'"code":"burst"') >= MANY


def test_a_full_disk_under_the_log_is_survived() -> None:
    """A program whose log cannot be written continues."""
    code = (
        "import logging, structlog; from swarm.console.logs import log_to_stderr;"
        "log_to_stderr('debug'); structlog.get_logger().warning('lost'); print('alive')"
    )
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=full, check=True
        )
    assert done.stdout == b"alive\n"
