"""What the playground's tests share: a running playground, and a real bot in another process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from bot.playground.client import PlaygroundClient
from bot.playground.server import Playground

if TYPE_CHECKING:
    from selenium import webdriver

    from tests.bot.playground.browser import Page
    from tests.bot.playground.scene import Scene

STARTUP_SECONDS = 30.0
"""How long a bot may take to start on a busy machine."""


class BotProcess:
    """A bot in its own process, whose output is read line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def expect(self, beginning: str) -> str:
        """Return the next line that begins so, skipping others; fail if none comes in time."""
        assert self.process.stdout is not None
        async with asyncio.timeout(STARTUP_SECONDS):
            while line := (await self.process.stdout.readline()).decode():
                if line.startswith(beginning):
                    return line.strip()
        raise AssertionError(f"the bot ended without saying {beginning!r}")

    async def kill(self) -> None:
        """End the process at once, as a crash or `kill -9` does."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


@asynccontextmanager
async def run_bot(
    playground: Playground, script: str = "echo_bot", **environment: str
) -> AsyncIterator[BotProcess]:
    """Run one of this folder's bots against a playground; it is killed at the end of the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"tests.bot.playground.{script}",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=bot_environment(playground) | environment,
    )
    bot = BotProcess(process)
    try:
        yield bot
    finally:
        await bot.kill()


def bot_environment(playground: Playground) -> dict[str, str]:
    """Return the whole environment of a bot's process."""
    inherited: Mapping[str, str] = os.environ
    return {**inherited, **playground.bot_environment(), "ECHO_TICK_SECONDS": "0.1"}


@pytest_asyncio.fixture
async def playground() -> AsyncIterator[Playground]:
    """A playground on a free port."""
    async with Playground() as running:
        yield running


@pytest_asyncio.fixture
async def client(playground: Playground) -> AsyncIterator[PlaygroundClient]:
    """A program's client for that playground."""
    async with PlaygroundClient(playground.url) as running:
        yield running


@pytest_asyncio.fixture
async def echo(playground: Playground, client: PlaygroundClient) -> AsyncIterator[BotProcess]:
    """The echo bot, logged in, its commands registered."""
    async with run_bot(playground) as bot:
        await client.wait_for_bot(command="plan", seconds=STARTUP_SECONDS)
        yield bot


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One headless Chromium for all tests of the page."""
    from tests.bot.playground.browser import start_chromium

    running = start_chromium(tmp_path_factory.mktemp("chromium"))
    yield running
    running.quit()


@pytest.fixture
def page(driver: webdriver.Chrome, playground: Playground) -> Page:
    """The browser, about to look at this test's playground."""
    from tests.bot.playground.browser import Page

    driver.get("about:blank")  # the last test's page still looks for its playground, and complains
    driver.get_log("browser")  # type: ignore[no-untyped-call]
    return Page(driver, playground.url)


@pytest_asyncio.fixture
async def scene(
    playground: Playground, client: PlaygroundClient, tmp_path: Path
) -> AsyncIterator[Scene]:
    """A server in which the real bot can run."""
    from tests.bot.playground.scene import Scene, led_to
    from tests.bot.worlds import FakePeer

    with led_to(playground):
        yield Scene(playground, client, FakePeer(), tmp_path)
