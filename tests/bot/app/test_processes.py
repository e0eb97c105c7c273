"""The bot as a process of its own: real discord.py, real libp2p, the playground as its Discord."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from bot.cli.local_swarm import PEERS_RUNNING
from bot.cli.playground import BOT_ONLINE
from bot.playground.client import PlaygroundClient, PlaygroundError
from bot.playground.server import Playground
from bot.playground.views import MessageView
from swarm.testing.scripted_server import Behaviour, serving

pytestmark = pytest.mark.asyncio

SECONDS = 60


class Process:
    """A bot process and what it logs."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process = process
        self.log = log

    async def end(self, number: signal.Signals) -> int:
        """Send a signal, and return the exit code."""
        self.process.send_signal(number)
        async with asyncio.timeout(SECONDS):
            return await self.process.wait()


@contextlib.asynccontextmanager
async def bot(folder: Path, environment: dict[str, str]) -> AsyncIterator[Process]:
    """Run `swarm-bot run`; it is gone after the block."""
    log = folder / "bot.log"
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "run", "--swarm", "test-" + folder.name,
            "--state-dir", str(folder),
            stderr=errors,
            env={**os.environ, "LEADERLESS_SWARM__MDNS": "false",
                 "LEADERLESS_SWARM__RUNTIME_DIR": str(folder), **environment},
        )  # fmt: skip
    try:
        yield Process(process, log)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def story(client: PlaygroundClient, thread: str) -> list[MessageView]:
    """Return a thread's messages."""
    try:
        return await client.messages(thread)
    except PlaygroundError:
        return []


async def until_said(client: PlaygroundClient, thread: str, text: str) -> list[MessageView]:
    """Wait until a message in a thread has a text."""
    async with asyncio.timeout(SECONDS):
        while True:
            found = await story(client, thread)
            if any(text in message.content for message in found):
                return found
            await asyncio.sleep(0.1)


async def test_a_wrong_token_ends_with_the_remedy(tmp_path: Path) -> None:
    """Discord's 401 becomes a sentence and exit code 2, not a traceback and not a loop."""
    async with Playground() as page:
        environment = {**page.bot_environment(), "LEADERLESS_DISCORD_TOKEN": "wrong-token"}
        async with bot(tmp_path, environment) as running:
            async with asyncio.timeout(SECONDS):
                assert await running.process.wait() == 2
            said = running.log.read_text()
    assert "Discord rejected the token" in said
    assert "Traceback" not in said
    assert "wrong-token" not in said


async def test_killed_and_restarted_the_bot_goes_on_in_the_same_thread(tmp_path: Path) -> None:
    """Killed by -9 in a live goal: the next run edits the same messages, then ends cleanly."""
    async with Playground() as page, PlaygroundClient(page.url) as client:
        async with bot(tmp_path, page.bot_environment()) as first:
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            async with client.follow_command("Asha", "plan", {"goal": "A day in Kyoto"}) as steps:
                async for step in steps:
                    if step.kind == "thread" and step.thread is not None:
                        thread = step.thread.id
                        break
            before = await until_said(client, thread, "### 🗺️ A day in Kyoto")
            await first.end(signal.SIGKILL)
        async with bot(tmp_path, page.bot_environment()) as second:
            await client.wait_for_bot(command="plan", seconds=SECONDS)
            refused = await client.run_command("Bilal", "cancel", {}, channel_id=thread)
            assert refused.id
            await client.run_command("Asha", "cancel", {}, channel_id=thread)
            after = await until_said(client, thread, "The plan was cancelled")
            live = await until_said(client, thread, "🚫 cancelled")
            assert await second.end(signal.SIGTERM) == 0
            log = second.log.read_text()
    lives = [message for message in live if message.content.startswith("### 🗺️")]
    assert [message.id for message in lives] == [before[0].id]
    assert len([message for message in after if "The plan was cancelled" in message.content]) == 1
    assert log.count('"commands_synced"') == 1
    assert page.token not in log
    assert "Kyoto" not in log


def left_behind(mark: str) -> list[str]:
    """Return the command lines of processes that still have a mark in theirs."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if mark in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(line)
    return found


async def until_gone(mark: str) -> None:
    """Wait until no process has a mark in its command line."""
    while left_behind(mark):  # noqa: ASYNC110  # nothing tells when a grandchild ends
        await asyncio.sleep(0.2)


@pytest.fixture
def model() -> Iterator[str]:
    """Run the scripted model server in a thread; return its address."""
    address: list[str] = []
    started, stop = threading.Event(), threading.Event()

    async def run() -> None:
        async with serving(Behaviour()) as server:
            address.append(server.url)
            started.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(SECONDS)
    yield address[0]
    stop.set()
    thread.join()


async def playground(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    """Start `swarm-bot playground` with a small swarm."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "playground", "--with-swarm", "--state-dir", str(folder),
        "--decomposers", "2", "--scorers", "2", "--executors", "1", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


@pytest.mark.slow
async def test_a_goal_from_the_terminal_ends_as_a_plan(tmp_path: Path, model: str) -> None:
    """What `make run GOAL=...` does: swarm, bot and page, a thread, a plan, nothing left."""
    process = await playground(tmp_path, "--ollama", model, "--goal", "A week in Porto")
    async with asyncio.timeout(110):
        output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    assert "Asha: /plan goal: A week in Porto" in output
    assert "Split by" in output
    assert "The plan is ready" in output
    assert "# A week in Porto" in output
    assert left_behind(str(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_the_playground_leaves_no_process(
    tmp_path: Path, model: str, number: signal.Signals
) -> None:
    """However it ends, the page, the bot and the swarm end with it."""
    process = await playground(tmp_path, "--ollama", model, "--port", "0")
    assert process.stdout is not None
    async with asyncio.timeout(90):
        seen = b""
        while PEERS_RUNNING.encode() not in seen or BOT_ONLINE.encode() not in seen:
            seen += await process.stdout.readline()
        assert len(left_behind(str(tmp_path))) >= 7
        process.send_signal(number)
        code = await process.wait()
        assert code == {signal.SIGINT: 130, signal.SIGTERM: 0}.get(number, -number)
        await until_gone(str(tmp_path))
